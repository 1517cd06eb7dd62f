// PersistentVolumeClaims: a node that has grown a file system says so in the claim's status, and changes nothing else.

import type { KubeObject } from "../../../../api/meta/index.ts";
import { isSameJson } from "../../../../kernel/json/index.ts";
import { quoted, type WriteRule } from "./rule.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Claim extends KubeObject {
  readonly spec?: Fields;
  readonly status?: Fields;
}

/** What growing a volume changes. */
const OWN_STATUS: readonly string[] = ["capacity", "conditions", "allocatedResources", "allocatedResourceStatuses"];
/** What every write changes. */
const OWN_METADATA: readonly string[] = ["resourceVersion", "managedFields"];

export const persistentVolumeClaims: WriteRule = ({ operation, subresource, object, current }, { node }) => {
  if (subresource !== "status") return "may only update PVC status";
  if (operation !== "UPDATE") return `unexpected operation ${quoted(operation)}`;
  const changed = changedFields(object, current);
  if (changed.length === 0) return undefined;
  const text = "is not allowed to update fields other than status.quantity and status.conditions";
  return `node ${quoted(node)} ${text}: ${changed.join(", ")}`;
};

/** differs from upstream: the changed fields are named; there the whole difference is printed, in a form that varies. */
function changedFields(next: Claim | undefined, current: Claim | undefined): readonly string[] {
  return [
    ...changedIn("metadata", without(next?.metadata, OWN_METADATA), without(current?.metadata, OWN_METADATA)),
    ...changedIn("spec", next?.spec, current?.spec),
    ...changedIn("status", without(next?.status, OWN_STATUS), without(current?.status, OWN_STATUS)),
  ];
}

function without(fields: object = {}, names: readonly string[] = []): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function changedIn(path: string, next: Fields = {}, current: Fields = {}): readonly string[] {
  const names = new Set([...Object.keys(next), ...Object.keys(current)]);
  const read = (fields: Fields, name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined);
  const changed = [...names].filter((name) => !isSameJson(read(next, name), read(current, name)));
  return changed.sort().map((name) => `${path}.${name}`);
}
