// Both selectors of a list or watch request as one question about an object.

import { type FieldSelector, matchesFields } from "./field-selector.ts";
import { type LabelSelector, matchesLabels } from "./label-selector.ts";
import type { KubeObject } from "./object.ts";

export interface Selection {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  /** The text of a selectable field; each kind knows its own. */
  readonly fieldOf: (object: KubeObject, field: string) => string;
}

export function createMatcher({ labels, fields, fieldOf }: Selection): (object: KubeObject) => boolean {
  return (object) =>
    matchesLabels(labels, object.metadata.labels) && matchesFields(fields, (field) => fieldOf(object, field));
}
