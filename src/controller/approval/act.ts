// The verdict → the object, an Event, an audit line: all writes of approval.
//
//   Allow                     condition Approved + annotation, one PATCH of /approval
//   Deny, our own signer      condition Denied + annotation, the same way
//   Deny, a built-in signer   annotation only; the request stays pending, as kube-controller-manager leaves it
//   Wait                      annotation only
//   NoOpinion                 nothing
//
// Every PATCH carries uid and resourceVersion: it meets exactly the object that was judged, or nothing.

import { type CertificateSigningRequest, type CsrCondition, VERDICT_ANNOTATION } from "../../api/certificates/index.ts";
import { CSRS, EVENTS } from "../../api/meta/index.ts";
import { type FaultCode, isFault, type Verdict } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";
import { isBuiltInSigner } from "../signers.ts";
import type { Claims } from "./claims.ts";
import { buildEvent } from "./event.ts";
import type { Judgement } from "./judge.ts";
import { encodeVerdict } from "./record.ts";

export interface ActOptions {
  readonly client: KubeClient;
  readonly claims: Claims;
  readonly clock: Clock;
  readonly log: Log;
  /** Which replica speaks. */
  readonly identity: string;
}

export interface Act {
  act(csr: CertificateSigningRequest, judgement: Judgement): Promise<void>;
  /** The request is gone: what was said about it need not be remembered. */
  forget(csrUid: string): void;
}

/** Writes are not aborted at shutdown: an approval without an answer is worse than a second of patience. */
export function createAct(options: ActOptions): Act {
  /** What was last said about each request, by uid: the same words are not said twice. */
  const said = new Map<string, string>();
  return {
    act: async (csr, judgement) => {
      const { verdict } = judgement;
      if (verdict.kind === "NoOpinion") return;
      const words = encodeVerdict(judgement);
      await write(options, csr, verdict, words);
      const uid = csr.metadata.uid ?? "";
      if (said.get(uid) === words) return;
      said.set(uid, words);
      audit(options.log, csr, verdict);
      if (verdict.kind !== "Allow") await tell(options, csr, verdict);
    },
    forget: (csrUid) => {
      said.delete(csrUid);
    },
  };
}

async function write(
  options: ActOptions,
  csr: CertificateSigningRequest,
  verdict: Verdict,
  words: string,
): Promise<void> {
  const condition = conditionFor(csr, verdict);
  // Our own write comes back as a change: without this comparison, each look would cause the next.
  if (condition === undefined && csr.metadata.annotations?.[VERDICT_ANNOTATION] === words) return;
  const patch = buildPatch(csr, words, condition);
  if (condition?.type === "Approved") await approve(options, csr, patch);
  else await send(options, csr, patch);
}

/** Faults after which the PATCH has surely not been applied; after any other it may have been. */
const NOT_WRITTEN: ReadonlySet<FaultCode> = new Set([
  "conflict",
  "invalid",
  "not-found",
  "forbidden",
  "unauthorized",
  "too-many-requests",
  "untrusted",
]);

async function approve(options: ActOptions, csr: CertificateSigningRequest, patch: unknown): Promise<void> {
  const isFirstAttempt = options.claims.reserve(csr);
  try {
    options.claims.observe(await send(options, csr, patch));
  } catch (error) {
    // An attempt before this one may have been written: then this one's conflict proves nothing.
    const isFree = isFirstAttempt && isFault(error) && NOT_WRITTEN.has(error.code);
    if (isFree) options.claims.release(csr.metadata.uid ?? "");
    throw error;
  }
}

function send(
  { client }: ActOptions,
  csr: CertificateSigningRequest,
  patch: unknown,
): Promise<CertificateSigningRequest> {
  return client.patch(CSRS, { name: csr.metadata.name ?? "", subresource: "approval" }, patch, { type: "merge" });
}

/** A merge patch replaces lists whole, so the conditions that are there travel along. */
function buildPatch(csr: CertificateSigningRequest, text: string, condition?: CsrCondition): unknown {
  const { uid, resourceVersion } = csr.metadata;
  return {
    metadata: { uid, resourceVersion, annotations: { [VERDICT_ANNOTATION]: text } },
    ...(condition === undefined ? {} : { status: { conditions: [...(csr.status?.conditions ?? []), condition] } }),
  };
}

function conditionFor(csr: CertificateSigningRequest, verdict: Verdict): CsrCondition | undefined {
  const { kind, rule, reason, message } = verdict;
  if (kind === "Allow") return { type: "Approved", status: "True", reason, message };
  if (kind !== "Deny" || isBuiltInSigner(csr.spec.signerName)) return undefined;
  return { type: "Denied", status: "True", reason, message: `${rule}: ${message}` };
}

function audit(log: Log, csr: CertificateSigningRequest, { kind, rule, reason, message }: Verdict): void {
  log.info("verdict", {
    audit: true,
    csr: csr.metadata.name,
    uid: csr.metadata.uid,
    signer: csr.spec.signerName,
    requester: csr.spec.username,
    verdict: kind,
    rule,
    reason,
    why: message,
  });
}

/** An Event that cannot be written must not keep a verdict from being reached: it is a courtesy. */
async function tell(
  { client, clock, log, identity }: ActOptions,
  csr: CertificateSigningRequest,
  verdict: Verdict,
): Promise<void> {
  try {
    await client.create(EVENTS, buildEvent(csr, verdict, { nowMs: clock.now(), instance: identity }));
  } catch (error) {
    if (!isFault(error)) throw error;
    if (error.code !== "already-exists") log.warn("event not written", { csr: csr.metadata.name, error });
  }
}
