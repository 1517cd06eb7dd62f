// H18. A registered node keeps its name, unless the same TPM comes back for it.
import { notYet, pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import { isOpened, pinsOf } from "../../identity.ts";
import { withEvidence, withReading } from "../../with-evidence.ts";
import type { EndorsementFacts } from "../facts.ts";

const RETRY_UNREAD_MS = 2_000;

export const nodeNameIsFree: Rule<EndorsementFacts> = {
  id: "node-name-is-free",
  sentence: "no Node has the name, unless its identity pins this very endorsement key",
  judge: withEvidence(({ envelope }, facts) => {
    const { node, identity, keys } = facts;
    if (node.kind === "NotRead") return notYet("NodeNotRead", node.why, RETRY_UNREAD_MS);
    if (node.kind === "Absent") return pass();
    return withReading(keys.endorsementKey, ({ hash }) => {
      const isSame = pinsOf(identity)?.tpm?.ek.spkiSha256 === hash;
      return isSame || isOpened(facts, envelope)
        ? pass("the node's own TPM")
        : refuse("NodeNameTaken", `a Node ${envelope.node} exists and this is not its TPM`);
    });
  }),
};
