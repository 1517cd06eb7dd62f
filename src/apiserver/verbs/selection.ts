// Which objects a list, watch or deletecollection is about: label selector, field selector, and the name in an old-style
// watch path.

import type { KubeObject } from "../../api/meta/index.ts";
import { matchesFields, parseFieldSelector } from "../entry/field-selector.ts";
import { matchesLabels, parseLabelSelector } from "../entry/label-selector.ts";
import { badRequest } from "../reply/status.ts";
import type { Strategy } from "../resources/strategy.ts";
import type { StoredCall } from "./stored-call.ts";

export interface Selection {
  /** True when nothing is left out, so that counts of storage are counts of the answer. */
  readonly isEverything: boolean;
  matches(object: KubeObject): boolean;
}

export function selectionOf({ call, strategy }: StoredCall): Selection {
  const labelText = call.query.first("labelSelector") ?? "";
  const fieldText = call.query.first("fieldSelector") ?? "";
  const labels = parseLabelSelector(labelText);
  if (labels === undefined) throw badRequest(`unable to parse requirement: ${JSON.stringify(labelText)}`);
  const fields = parseFieldSelector(fieldText);
  if (fields === undefined) throw badRequest(`invalid selector: '${fieldText}'; can't understand '${fieldText}'`);
  const known = new Set(Object.keys(fieldsOf(strategy, EMPTY)));
  const unknown = fields.find((one) => !known.has(one.field));
  if (unknown !== undefined) throw badRequest(`field label not supported: ${unknown.field}`);
  const { name } = call.info;
  return {
    isEverything: labels.length === 0 && fields.length === 0 && name === "",
    matches: (object) =>
      (name === "" || object.metadata.name === name) &&
      matchesLabels(labels, object.metadata.labels) &&
      matchesFields(fields, fieldsOf(strategy, object)),
  };
}

/** Enough of an object to learn which fields a kind offers. */
const EMPTY = { apiVersion: "", kind: "", metadata: {}, spec: {}, involvedObject: {} } as KubeObject;

function fieldsOf(strategy: Strategy, object: KubeObject): Readonly<Record<string, string>> {
  const { name = "", namespace = "" } = object.metadata;
  const place = strategy.resource.namespaced ? { "metadata.namespace": namespace } : {};
  return { "metadata.name": name, ...place, ...strategy.selectableFields(object) };
}
