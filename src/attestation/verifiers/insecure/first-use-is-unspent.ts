// The insecure provider (protocol 5): trust on first use, once. The same key may ask again within an hour, as a node does that
// crashed before it stored its certificate.
import { encodeHex } from "../../../kernel/bytes/index.ts";
import { sha256 } from "../../../kernel/crypto/index.ts";
import { notYet, pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { pinsOf } from "../identity.ts";
import { withEvidence } from "../with-evidence.ts";

const SAME_KEY_MS = 3_600_000;
const RETRY_UNREAD_MS = 2_000;

export const firstUseIsUnspent: Rule<EvidenceFacts> = {
  id: "first-use-is-unspent",
  sentence: "the node was never let in, or the same key asks again within the hour",
  judge: withEvidence(({ request }, { identity, node, nowMs }) => {
    if (identity.kind === "NotRead") return notYet("IdentityNotRead", identity.why, RETRY_UNREAD_MS);
    if (node.kind === "NotRead") return notYet("NodeNotRead", node.why, RETRY_UNREAD_MS);
    const pins = pinsOf(identity);
    if (pins?.spkiSha256 === undefined)
      return node.kind === "Present" ? refuse("NodeNameTaken", "a Node of that name exists") : pass("first use");
    const isSameKey = pins.spkiSha256 === encodeHex(sha256(request.publicKey.spki));
    const isYoung = nowMs - Date.parse(pins.attestedAt ?? "") < SAME_KEY_MS;
    return isSameKey && isYoung ? pass("the same key again") : refuse("FirstUseSpent", "the node was let in before");
  }),
};
