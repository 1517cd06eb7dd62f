// Approval of an exchange that the identity records, with a message that names provider, level and rules; and what an
// exchange is in the identity's status.

import type { Exchange, NodeIdentity } from "../../../api/countersign/index.ts";
import { encodeProtocol } from "../../../attestation/evidence/index.ts";
import { isRetired, isRevoked } from "../../../attestation/rules/index.ts";
import { encodeHex } from "../../../kernel/bytes/index.ts";
import { sha256 } from "../../../kernel/crypto/index.ts";
import { allow, assert, type Judgement, type Seen } from "../../../kernel/outcome/index.ts";
import type { Next } from "../../loop/index.ts";
import { settle } from "../settle.ts";
import type { AttestationWorld, EvidenceLook } from "./world.ts";

export function exchangeOf(look: EvidenceLook, nowMs: number): Exchange {
  const helloUid = look.envelope?.hello?.uid;
  return {
    proofUid: look.object.uid,
    ...(helloUid === undefined ? {} : { helloUid }),
    spkiSha256: spkiHashOf(look),
    signerName: look.object.signerName,
    state: "Verified",
    at: new Date(nowMs).toISOString(),
  };
}

function spkiHashOf({ reading }: EvidenceLook): string {
  assert(reading.request.ok, "an exchange is recorded after its request was read");
  return encodeHex(sha256(reading.request.value.parsed.publicKey.spki));
}

/** Whether the identity records this exchange, and is neither revoked nor retired. */
export function isRecorded(identity: Seen<NodeIdentity>, look: EvidenceLook): boolean {
  // What cannot be read was never recorded; it is refused by the rules, as is a node that is revoked or retired by now.
  if (identity.kind !== "Present" || !look.reading.request.ok || isOver(identity.value)) return false;
  return (identity.value.status?.exchanges ?? []).some(
    ({ proofUid, spkiSha256, signerName }) =>
      proofUid === look.object.uid && spkiSha256 === spkiHashOf(look) && signerName === look.object.signerName,
  );
}

/** Nothing that was proven before counts for a node that was revoked or retired since. */
export function isOver(identity: NodeIdentity): boolean {
  return isRevoked(identity) || isRetired(identity);
}

export async function approve(
  world: AttestationWorld,
  look: EvidenceLook,
  identity: Seen<NodeIdentity>,
  judgement?: Judgement,
): Promise<Next> {
  const status = identity.kind === "Present" ? identity.value.status : undefined;
  const level = status?.tpm?.ek.trust ?? status?.level ?? "Unattested";
  const protocol = look.envelope === undefined ? "" : encodeProtocol(look.envelope.protocol);
  const rules = judgement === undefined ? "recorded before" : `all ${judgement.trail.length} rules hold`;
  const isAttested = level !== "Unattested";
  const message = isAttested
    ? `provider ${protocol}, level ${level}: ${rules}`
    : `provider ${protocol}, level Unattested: the machine proved nothing but a bootstrap credential; ${rules}`;
  const rule = judgement?.verdict.rule ?? "exchange-is-recorded";
  const verdict = allow({ rule, reason: isAttested ? "Attested" : "Unattested", message });
  return await settle(world, look, { verdict, trail: judgement?.trail ?? [] });
}
