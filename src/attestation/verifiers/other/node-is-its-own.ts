// H18 for providers without a TPM: a registered node keeps its name, unless its own identity asks, whose pins the provider's verifier
// holds the machine to.
import { notYet, pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { isOpened, pinsOf } from "../identity.ts";
import { withEvidence } from "../with-evidence.ts";

const RETRY_UNREAD_MS = 2_000;

export const nodeIsItsOwn: Rule<EvidenceFacts> = {
  id: "node-is-its-own",
  sentence: "no Node has the name, unless its identity was attested by this provider",
  judge: withEvidence(({ envelope }, facts) => {
    const { node, identity } = facts;
    if (node.kind === "NotRead") return notYet("NodeNotRead", node.why, RETRY_UNREAD_MS);
    if (node.kind === "Absent") return pass();
    const isOwn = pinsOf(identity)?.provider === envelope.protocol.provider;
    return isOwn || isOpened(facts, envelope)
      ? pass("the node's own identity")
      : refuse("NodeNameTaken", `a Node ${envelope.node} exists and was not attested by this provider`);
  }),
};
