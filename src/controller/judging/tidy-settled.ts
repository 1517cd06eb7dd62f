// What is left to do when a request is decided (The signer's gate): a denied hello goes after a quarter of an hour, a
// hello goes with the proof that used its challenge up, and an exchange whose certificate was delivered is recorded as
// issued. By the replica that sees the request then, so a crash changes nothing.

import { type CertificateSigningRequest, findCondition, isIssued } from "../../api/certificates/index.ts";
import { CONSUMED_BY_ANNOTATION, HELLO_OBJECT_PREFIX } from "../../attestation/evidence/index.ts";
import { envelopeIn } from "../../attestation/rules/index.ts";
import { type Next, UNTIL_CHANGED } from "../loop/index.ts";
import { completeIssued } from "../signing/gate.ts";
import type { AttestationWorld } from "./exchange/world.ts";
import { recipientsOf } from "./reading.ts";
import { removeRequest, tidyDenied } from "./tidy.ts";

/** Only the node waits, for its certificate: two writes in the moment that it is read make a join a tenth longer. */
const DELIVERY_MS = 500;
/** Identities are listed within seconds of the start. */
const RETRY_UNLISTED_MS = 1_000;
/**
 * A copy that shows no open exchange may only be older than it, as after a hand-over, and the request never changes
 * again: while it is young, it is looked at again. A look costs nothing.
 */
const LAGGING_MS = 10_000;
const YOUNG_MS = 60_000;

export async function tidySettled(
  world: AttestationWorld,
  csr: CertificateSigningRequest,
  getCsr: (name: string) => CertificateSigningRequest | undefined,
): Promise<Next> {
  const { name = "", uid = "" } = csr.metadata;
  const isOver = findCondition(csr, "Denied") !== undefined || findCondition(csr, "Failed") !== undefined;
  if (name.startsWith(HELLO_OBJECT_PREFIX))
    return findCondition(csr, "Denied") === undefined ? UNTIL_CHANGED : await tidyDenied(world, csr);
  if (isIssued(csr)) return await tidyIssued(world, csr);
  if (!isOver) return UNTIL_CHANGED;
  const read = world.readRequest(csr, await recipientsOf(world.keys, csr));
  const hello = getCsr(envelopeIn(read)?.hello?.name ?? "");
  // A stranger's denied proof changes nothing: only the one that used the challenge up ends its hello.
  if (hello?.metadata.annotations?.[CONSUMED_BY_ANNOTATION] === uid) await removeRequest(world, hello);
  return UNTIL_CHANGED;
}

async function tidyIssued(world: AttestationWorld, csr: CertificateSigningRequest): Promise<Next> {
  if (!world.identities.hasSynced()) return { afterMs: RETRY_UNLISTED_MS };
  // From the copy: once it says Issued, nothing is read live.
  const exchange = world.identities.openExchange(csr.metadata.uid ?? "");
  if (exchange === undefined) return isYoung(world, csr) ? { afterMs: LAGGING_MS } : UNTIL_CHANGED;
  const sinceMs = world.clock.now() - Date.parse(exchange.at);
  if (sinceMs < DELIVERY_MS) return { afterMs: DELIVERY_MS - Math.max(sinceMs, 0) };
  await completeIssued(world, csr);
  return UNTIL_CHANGED;
}

function isYoung({ clock }: AttestationWorld, csr: CertificateSigningRequest): boolean {
  return clock.now() - Date.parse(findCondition(csr, "Approved")?.lastUpdateTime ?? "") < YOUNG_MS;
}
