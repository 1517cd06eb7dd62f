// A node that is in gets its next certificate by its name; what it writes as provider ID is its own word. It must be the word of its
// Node, and nobody else's: a certificate that names another Machine's instance would be believed by whoever reads it there.
// Without that Machine's word about it, it also makes no Machine somebody's (gather/machine.ts). A Machine that is another node counts
// before the Node, which registered itself with the ID. Where the Machines are not read, the Node's word is enough for the ID that it
// carries, and for no other: a node that is in has that ID in its certificate already, a management cluster that is away must not end
// every node's certificate, and the next renewal is held to the Machines again.
// differs from upstream: kube-controller-manager does not read the extension.

import type { ApprovalFacts, MachinesOfProvider } from "../../facts.ts";
import { notYet, pass, RETRY_UNREAD_MS, type Rule, refuse } from "../rule.ts";

const NONE: MachinesOfProvider = { taken: [], waiting: [] };

export const providerIdIsItsOwn: Rule<ApprovalFacts> = {
  id: "provider-id-is-its-own",
  sentence: "a node that renews says no provider ID, or that of its Node, and none that another Node or Machine has",
  reasons: ["ProviderIdIsNotRead", "ProviderIdIsNotItsOwn"],
  isStricter: true,
  judge: ({ providerId }) => {
    if (providerId.kind === "NotRead") return notYet("ProviderIdIsNotRead", providerId.why, RETRY_UNREAD_MS);
    if (providerId.kind === "Absent") return pass();
    const { asked, ofNode, nodes, machines } = providerId.value;
    const { taken, waiting } = machines.kind === "Present" ? machines.value : NONE;
    const said = `the request says provider ID ${JSON.stringify(asked)}`;
    const [holder] = taken;
    if (holder !== undefined) return refuse("ProviderIdIsNotItsOwn", `${said}, which is that of ${holder}`);
    if (ofNode === asked) return pass("the Node's own");
    if (ofNode !== undefined) return refuse("ProviderIdIsNotItsOwn", `${said}, and its Node ${JSON.stringify(ofNode)}`);
    const [other] = [...nodes, ...waiting];
    if (other !== undefined) return refuse("ProviderIdIsNotItsOwn", `${said}, which is that of ${other}`);
    return machines.kind === "NotRead"
      ? notYet("ProviderIdIsNotRead", machines.why, RETRY_UNREAD_MS)
      : pass("nobody else's");
  },
};
