// A node that is in gets its next certificate by its name; what it writes as provider ID is its own word. It must be the word of its
// Node, and nobody else's: a certificate that names another Machine's instance would be believed by whoever reads it there.
// Without that Machine's word about it, it also makes no Machine somebody's (gather/machine.ts).
// differs from upstream: kube-controller-manager does not read the extension.

import type { ApprovalFacts } from "../../facts.ts";
import { notYet, pass, RETRY_UNREAD_MS, type Rule, refuse } from "../rule.ts";

export const providerIdIsItsOwn: Rule<ApprovalFacts> = {
  id: "provider-id-is-its-own",
  sentence: "a node that renews says no provider ID, or that of its Node, and none that another Node or Machine has",
  reasons: ["ProviderIdIsNotRead", "ProviderIdIsNotItsOwn"],
  isStricter: true,
  judge: ({ providerId }) => {
    if (providerId.kind === "NotRead") return notYet("ProviderIdIsNotRead", providerId.why, RETRY_UNREAD_MS);
    if (providerId.kind === "Absent") return pass();
    const { asked, ofNode, others } = providerId.value;
    if (ofNode === asked) return pass("the Node's own");
    const said = `the request says provider ID ${JSON.stringify(asked)}`;
    if (ofNode !== undefined) return refuse("ProviderIdIsNotItsOwn", `${said}, and its Node ${JSON.stringify(ofNode)}`);
    const [other] = others;
    return other === undefined
      ? pass("nobody else's")
      : refuse("ProviderIdIsNotItsOwn", `${said}, which is that of ${other}`);
  },
};
