// Whatever vouches for a name: when another Node or Machine has it, it is not this node's. A network or a pattern in the policy
// covers every node in it, and must not let one speak for its neighbour.

import { canonicalDns } from "../../../../api/countersign/index.ts";
import type { ApprovalFacts } from "../../facts.ts";
import { notYet, pass, RETRY_UNREAD_MS, type Rule, refuse, UNREADABLE_REASONS, withRequest } from "../rule.ts";

export const namesAreOfNoOtherNode: Rule<ApprovalFacts> = {
  id: "names-are-of-no-other-node",
  sentence: "no other node and no other Machine has any of the names",
  reasons: [...UNREADABLE_REASONS, "NodesAreNotRead", "NameIsAnotherNodes"],
  judge: withRequest(({ subjectAltNames }, { serving: { foreign } }) => {
    if (foreign.kind === "NotRead") return notYet("NodesAreNotRead", foreign.why, RETRY_UNREAD_MS);
    const owners = foreign.kind === "Present" ? foreign.value : new Map<string, string>();
    const { dnsNames = [], ipAddresses = [] } = subjectAltNames ?? {};
    for (const name of [...dnsNames.map(canonicalDns), ...ipAddresses]) {
      const owner = owners.get(name);
      if (owner !== undefined) return refuse("NameIsAnotherNodes", `${JSON.stringify(name)} belongs to ${owner}`);
    }
    return pass();
  }),
};
