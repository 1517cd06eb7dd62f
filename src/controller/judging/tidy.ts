// What becomes of a hello (The challenge): deleted once the proof that used its challenge up is issued or denied, a
// minute after its challenge expired, or a quarter of an hour after its denial. A finalizer of its creator's goes
// first.

import { type CertificateSigningRequest, findCondition, isDecided } from "../../api/certificates/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import {
  CHALLENGE_ANNOTATION,
  CONSUMED_BY_ANNOTATION,
  HELLO_OBJECT_PREFIX,
  parseChallenge,
} from "../../attestation/evidence/index.ts";
import { attempt } from "../../attestation/rules/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { type Next, UNTIL_CHANGED } from "../loop/index.ts";
import { OWNED_WAIT_MS } from "./exchange/plan.ts";
import type { AttestationWorld } from "./exchange/world.ts";

/** How long a hello stays after its challenge is over. */
export const UNANSWERED_MS = 60_000;
const DENIED_KEPT_MS = 15 * 60_000;

/** Open: challenged, and not answered yet. By requester, and all of them under the empty word. */
export const OPEN_HELLOS = "open-hellos";

/**
 * A creator may put a challenge on a request, too. Under our signers that is refused when it is seen, and is open no
 * longer; under others it would never be refused, and a few thousand of those would keep every machine waiting.
 */
export function openHelloKeys(servedSigners: readonly string[]): (csr: CertificateSigningRequest) => readonly string[] {
  return (csr) => {
    const { name = "", annotations = {} } = csr.metadata;
    const isOpen =
      name.startsWith(HELLO_OBJECT_PREFIX) &&
      annotations[CHALLENGE_ANNOTATION] !== undefined &&
      annotations[CONSUMED_BY_ANNOTATION] === undefined &&
      servedSigners.includes(csr.spec.signerName) &&
      !isDecided(csr);
    return isOpen ? ["", csr.spec.username ?? "-"] : [];
  };
}

/** A hello that has its challenge: nothing to do until its time is over. */
export async function tidyChallenged(world: AttestationWorld, csr: CertificateSigningRequest): Promise<Next> {
  const annotation = csr.metadata.annotations?.[CHALLENGE_ANNOTATION] ?? "";
  const parsed = attempt("", () => parseChallenge(annotation));
  if (!parsed.ok) return UNTIL_CHANGED;
  const isConsumed = csr.metadata.annotations?.[CONSUMED_BY_ANNOTATION] !== undefined;
  const keptMs = UNANSWERED_MS + (isConsumed ? OWNED_WAIT_MS : 0);
  return await removeAt(world, csr, parsed.value.challenge.exp * 1000 + keptMs);
}

export async function tidyDenied(world: AttestationWorld, csr: CertificateSigningRequest): Promise<Next> {
  const at = Date.parse(findCondition(csr, "Denied")?.lastUpdateTime ?? "");
  return Number.isFinite(at) ? await removeAt(world, csr, at + DENIED_KEPT_MS) : UNTIL_CHANGED;
}

async function removeAt(world: AttestationWorld, csr: CertificateSigningRequest, atMs: number): Promise<Next> {
  const leftMs = atMs - world.clock.now();
  if (leftMs > 0) return { afterMs: leftMs };
  await removeRequest(world, csr);
  return UNTIL_CHANGED;
}

export async function removeRequest(
  world: Pick<AttestationWorld, "client">,
  csr: CertificateSigningRequest,
): Promise<void> {
  const { name = "", uid = "", finalizers = [] } = csr.metadata;
  try {
    if (finalizers.length > 0) {
      const patch = { metadata: { uid, finalizers: null } };
      await world.client.patch(CSRS, { name, subresource: "status" }, patch, { type: "merge" });
    }
    await world.client.delete(CSRS, { name }, { uid });
  } catch (error) {
    if (!isFault(error, "not-found") && !isFault(error, "conflict")) throw error;
  }
}
