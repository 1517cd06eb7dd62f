// H11. A machine that was talked into an older version shows it: its list begins with one that we would have taken.
import { pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import { bestCommon, encodeProtocol, parseProtocol } from "../../evidence/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { pinsOf } from "../identity.ts";
import { withEvidence } from "../with-evidence.ts";

export const versionIsTheBestCommon: Rule<EvidenceFacts> = {
  id: "version-is-the-best-common",
  sentence: "the version is the first of the offered ones that we speak, and not below the identity's",
  judge: withEvidence(({ envelope }, { cluster, identity }) => {
    const used = encodeProtocol(envelope.protocol);
    const best = bestCommon(envelope.offered, cluster.supported);
    if (best !== used)
      return refuse("Downgrade", `${used} is used where ${best ?? "another"} was offered and is spoken here`);
    const floor = pinsOf(identity)?.protocolFloor;
    if (floor !== undefined && parseProtocol(floor).version > envelope.protocol.version)
      return refuse("Downgrade", `${used} is below ${floor}, with which this node was attested`);
    return pass(used);
  }),
};
