// A judgement → the object, by the writes of approval: one set of words for conditions, Events, metrics and the audit
// trail, for every judge. What is said about versions and crowds is added here.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import { encodeSupportedVersions, SUPPORTED_VERSIONS_ANNOTATION } from "../../attestation/evidence/index.ts";
import { deny, isFault } from "../../kernel/outcome/index.ts";
import { type Next, UNTIL_CHANGED } from "../loop/index.ts";
import { supportedBy } from "./exchange/gather.ts";
import type { AttestationWorld, EvidenceLook } from "./exchange/world.ts";
import type { Judgement } from "./judge.ts";
import { removeRequest } from "./tidy.ts";

/** Waits for a crowd to pass leave no trace on the object: a flood of requests must not become a flood of writes. */
const SILENT_WAIT = "Throttled";

/** Another write came first: its change is on the way here and brings the next look with it. */
const OVERTAKEN_MS = 50;

export async function settle(world: AttestationWorld, look: EvidenceLook, judgement: Judgement): Promise<Next> {
  const { verdict } = judgement;
  if (verdict.kind === "Wait" && verdict.reason === SILENT_WAIT) {
    world.limits.crowd.note(look.csr, verdict);
    // In random order, so that a crowd dilutes and does not starve.
    return { afterMs: verdict.retryAfterMs * (0.5 + fraction(world)) };
  }
  if (verdict.kind === "Deny" && look.policy?.mode !== "Shadow" && world.limits.overflow.isOver())
    return await drop(world, look, { judgement, why: "overflow" });
  const csr = verdict.reason === "VersionUnsupported" ? withVersions(world, look) : look.csr;
  const { policy } = look;
  const by = policy === undefined ? {} : { policy: { name: policy.name, mode: policy.mode } };
  try {
    await world.act.act(
      { csr, request: look.reading.request.ok ? look.reading.request.value.parsed : undefined },
      { ...judgement, ...by },
    );
    // The copy is shown the answer in the next turn: a look before that would judge anew what was just decided.
    await nextTurn();
  } catch (error) {
    if (!isFault(error, "conflict")) throw error;
    world.log.debug("request was judged on an old copy of it", { csr: look.object.name });
    return { afterMs: OVERTAKEN_MS };
  }
  return verdict.kind === "Wait" ? { afterMs: verdict.retryAfterMs } : UNTIL_CHANGED;
}

interface Dropped {
  readonly judgement: Judgement;
  readonly why: "overflow" | "junk-proof";
}

/**
 * Refused, and deleted at once, so that it takes no room: the audit trail and a metric tell why, and an Event where it
 * is not junk.
 */
export async function drop(world: AttestationWorld, look: EvidenceLook, { judgement, why }: Dropped): Promise<Next> {
  const { rule, reason, message } = judgement.verdict;
  if (why === "overflow") world.events.record(look.csr, { type: "Warning", reason, message: `${rule}: ${message}` });
  const { name: csr, uid, signerName: signer, requester } = look.object;
  const said = { csr, uid, signer, requester: requester.username, verdict: "Deny", rule, reason, why: message };
  world.log.info("verdict", { audit: true, ...said, ...judgement.audited, deleted: why });
  await removeRequest(world, look.csr);
  world.limits.dropped?.add({ why });
  return UNTIL_CHANGED;
}

/** A refusal that comes after the rules: from what was written or read while acting. */
export function refusedBy(judgement: Judgement, rule: string, { reason, message, audited }: Refusal): Judgement {
  return { verdict: deny({ rule, reason, message }), trail: judgement.trail, audited };
}

export interface Refusal extends Pick<Judgement, "audited"> {
  readonly reason: string;
  readonly message: string;
}

/** The annotation and the denial come in one write: the node never sees one without the other. */
function withVersions(world: AttestationWorld, { csr, reading, object }: EvidenceLook): CertificateSigningRequest {
  const provider = reading.blocks.ok ? reading.blocks.value.protocol?.provider : undefined;
  const versions = supportedBy(world).filter((supported) => supported.provider === provider);
  const annotations = { ...object.annotations, [SUPPORTED_VERSIONS_ANNOTATION]: encodeSupportedVersions(versions) };
  return { ...csr, metadata: { ...csr.metadata, annotations } };
}

function fraction({ randomBytes }: AttestationWorld): number {
  return (randomBytes(1)[0] ?? 0) / 256;
}
