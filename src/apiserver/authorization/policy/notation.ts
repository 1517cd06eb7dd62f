// A rule in one line: `<verbs> <groups> <resources> [<names>]`, lists with commas, the core group written `core`;
// or `<verbs> url <paths>`. `read` stands for get,list,watch; `write` for create,delete,deletecollection,patch,update.

import type { PolicyRule } from "../../../api/access/index.ts";
import { assert } from "../../../kernel/outcome/index.ts";

export type RuleLine = string;

/** Nearly every component writes events. */
export const EVENTS: RuleLine = "create,patch,update core,events.k8s.io events";

const WORDS: Readonly<Record<string, readonly string[]>> = {
  read: ["get", "list", "watch"],
  write: ["create", "delete", "deletecollection", "patch", "update"],
};

export function parseRule(line: RuleLine): PolicyRule {
  const [verbs, groups, resources, names, ...rest] = line.split(" ").map((field) => field.split(","));
  assert(verbs !== undefined && groups !== undefined && resources !== undefined && rest.length === 0, `rule: ${line}`);
  const expanded = verbs.flatMap((verb) => WORDS[verb] ?? [verb]).sort();
  if (groups[0] === "url") return { verbs: expanded, nonResourceURLs: resources };
  const apiGroups = groups.map((group) => (group === "core" ? "" : group));
  return { verbs: expanded, apiGroups, resources, ...(names === undefined ? {} : { resourceNames: names }) };
}
