// A pod is a mirror of one on a node's disk from its creation, or never: what it refers to opens nothing to its node, and a
// node that could take the mark away by a status report would open it to itself.

import type { Pod } from "../../../../api/core/index.ts";
import { MIRROR_ANNOTATION } from "../../../../authorizer/index.ts";
import { type FieldError, forbiddenField } from "../../field-error.ts";

export function mirrorErrors(next: Pod, current: Pod): readonly FieldError[] {
  const after = markOf(next);
  const before = markOf(current);
  if (after === before) return [];
  const text =
    before === undefined ? "may not add mirror pod annotation" : "may not remove or update mirror pod annotation";
  return [forbiddenField(`metadata.annotations[${MIRROR_ANNOTATION}]`, text)];
}

function markOf({ metadata }: Pod): string | undefined {
  const annotations = metadata.annotations ?? {};
  return Object.hasOwn(annotations, MIRROR_ANNOTATION) ? annotations[MIRROR_ANNOTATION] : undefined;
}
