// Whatever vouches for a name: when another Node or Machine has it, it is not this node's. A network or a pattern in
// the policy covers every node in it, and must not let one speak for its neighbour. A Node's addresses are its
// kubelet's own word: they stop the request, but do not end it, or one compromised node could have every other's
// serving request denied.

import { nodeNameOf } from "../../../../api/certificates/index.ts";
import { canonicalDns, describeDispute } from "../../../../api/countersign/index.ts";
import type { ApprovalFacts } from "../../facts.ts";
import {
  notYet,
  pass,
  RETRY_SLOWLY_MS,
  RETRY_UNREAD_MS,
  type Rule,
  refuse,
  UNREADABLE_REASONS,
  withRequest,
} from "../rule.ts";

export const namesAreOfNoOtherNode: Rule<ApprovalFacts> = {
  id: "names-are-of-no-other-node",
  sentence: "no other node and no other Machine has any of the names",
  reasons: [...UNREADABLE_REASONS, "NodesAreNotRead", "NameIsAnotherNodes", "NameIsDisputed"],
  judge: withRequest(({ subjectAltNames, subject }, { serving: { foreign, disputed } }) => {
    if (foreign.kind === "NotRead") return notYet("NodesAreNotRead", foreign.why, RETRY_UNREAD_MS);
    const owners = foreign.kind === "Present" ? foreign.value : new Map<string, string>();
    const { dnsNames = [], ipAddresses = [] } = subjectAltNames ?? {};
    const names = [...dnsNames.map(canonicalDns), ...ipAddresses];
    const taken = names.find((name) => owners.has(name));
    if (taken !== undefined)
      return refuse("NameIsAnotherNodes", `${JSON.stringify(taken)} belongs to ${owners.get(taken)}`);
    const claimed = names.find((name) => disputed.has(name));
    if (claimed === undefined) return pass();
    const asking = nodeNameOf(subject.commonName) ?? "";
    return notYet("NameIsDisputed", describeDispute(claimed, asking, disputed.get(claimed) ?? ""), RETRY_SLOWLY_MS);
  }),
};
