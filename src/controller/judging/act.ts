// The verdict → the object, an Event, a metric, an audit line: all writes of approval.
//
//   Allow                                condition Approved + annotation, one PUT of /approval
//   Deny, our own signer or Enforce      condition Denied + annotation, the same way
// Deny, a built-in signer otherwise annotation only; the request stays pending, as kube-controller-manager leaves it
//   Wait                                 annotation only
//   NoOpinion                            nothing
//   any of them under Shadow             annotation only, by /status: nothing is written to the approval
//   Deny by a binding rule               condition Denied, under every signer and also under Shadow
//
// Every write carries uid and resourceVersion: it meets exactly the object that was judged, or nothing.

import {
  type CertificateSigningRequest,
  type CsrCondition,
  isDecided,
  VERDICT_ANNOTATION,
} from "../../api/certificates/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import { type FaultCode, isFault, type Verdict } from "../../kernel/outcome/index.ts";
import type { CertificateRequest } from "../../kernel/x509/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { createEventRecorder, type EventWords, type KubeClient } from "../../platform/kube/index.ts";
import type { Log, Metrics } from "../../platform/report/index.ts";
import { isBuiltInSigner } from "../signers.ts";
import type { Claims } from "./claims.ts";
import type { Judgement } from "./judge.ts";
import { encodeVerdict } from "./record.ts";

/** Who speaks in Events. */
export const CONTROLLER_NAME = "node-attestation-controller";

export interface ActOptions {
  readonly client: KubeClient;
  readonly claims: Claims;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** Which replica speaks. */
  readonly replica: string;
}

/** What a judgement is about. */
interface Acted {
  readonly csr: CertificateSigningRequest;
  /** Where it can be read. */
  readonly request: CertificateRequest | undefined;
}

export interface Act {
  act(judged: Acted, judgement: Judgement): Promise<void>;
  /** The request is gone: what was said about it need not be remembered. */
  forget(csrUid: string): void;
}

/** Writes are not aborted at shutdown: an approval without an answer is worse than a second of patience. */
export function createAct(options: ActOptions): Act {
  /** What was last said about each request, by uid: the same words are not said twice. */
  const said = new Map<string, string>();
  const count = createVerdictCounter(options.metrics);
  const { client, clock, log, replica } = options;
  // It returns at once and drops what cannot be written: an Event is a courtesy, and must not keep a verdict from being
  // reached.
  const events = createEventRecorder({ client, clock, log, component: CONTROLLER_NAME, instance: replica });
  return {
    act: async (judged, judgement) => {
      const { csr } = judged;
      const { verdict } = judgement;
      if (verdict.kind === "NoOpinion") return;
      const words = encodeVerdict(judgement, csr);
      await write(options, judged, { judgement, words });
      const uid = csr.metadata.uid ?? "";
      if (said.get(uid) === words) return;
      said.set(uid, words);
      count(csr, judgement);
      audit(options.log, csr, judgement);
      if (verdict.kind !== "Allow") events.record(csr, wordsOf(verdict));
    },
    forget: (csrUid) => {
      said.delete(csrUid);
    },
  };
}

function wordsOf({ rule, reason, message }: Verdict): EventWords {
  return { type: "Warning", reason, message: `${rule}: ${message}` };
}

interface Written {
  readonly judgement: Judgement;
  readonly words: string;
}

async function write(options: ActOptions, judged: Acted, { judgement, words }: Written): Promise<void> {
  const { csr } = judged;
  const condition = conditionFor(csr, judgement);
  // Our own write comes back as a change: without this comparison, each look would cause the next.
  if (condition === undefined && csr.metadata.annotations?.[VERDICT_ANNOTATION] === words) return;
  if (judgement.policy?.mode === "Shadow" && condition === undefined) await note(options, csr, words);
  else if (condition?.type === "Approved") await approve(options, judged, withVerdict(csr, words, condition));
  else await send(options, withVerdict(csr, words, condition));
}

/** Faults after which the write has surely not been applied; after any other it may have been. */
const NOT_WRITTEN: ReadonlySet<FaultCode> = new Set([
  "conflict",
  "invalid",
  "not-found",
  "forbidden",
  "unauthorized",
  "too-many-requests",
  "untrusted",
]);

async function approve(
  options: ActOptions,
  { csr, request }: Acted,
  approved: CertificateSigningRequest,
): Promise<void> {
  const isFirstAttempt = options.claims.reserve(csr, request);
  try {
    options.claims.observe(await send(options, approved));
  } catch (error) {
    // An attempt before this one may have been written: then this one's conflict proves nothing.
    const isFree = isFirstAttempt && isFault(error) && NOT_WRITTEN.has(error.code);
    if (isFree) options.claims.release(csr.metadata.uid ?? "");
    throw error;
  }
}

/** A PUT: the API server applies it without reading a patch against its own copy, which it does faster than a PATCH. */
function send({ client }: ActOptions, csr: CertificateSigningRequest): Promise<CertificateSigningRequest> {
  return client.update(CSRS, csr, { subresource: "approval" });
}

/** By way of the status: there only a certificate or a condition needs the right to sign, metadata does not. */
async function note({ client }: ActOptions, csr: CertificateSigningRequest, words: string): Promise<void> {
  const { uid, resourceVersion, name = "" } = csr.metadata;
  const metadata = { uid, resourceVersion, annotations: { [VERDICT_ANNOTATION]: words } };
  await client.patch(CSRS, { name, subresource: "status" }, { metadata }, { type: "merge" });
}

function withVerdict(
  csr: CertificateSigningRequest,
  words: string,
  condition: CsrCondition | undefined,
): CertificateSigningRequest {
  return {
    ...csr,
    metadata: { ...csr.metadata, annotations: { ...csr.metadata.annotations, [VERDICT_ANNOTATION]: words } },
    status: {
      ...csr.status,
      ...(condition === undefined ? {} : { conditions: [...(csr.status?.conditions ?? []), condition] }),
    },
  };
}

function conditionFor(csr: CertificateSigningRequest, judgement: Judgement): CsrCondition | undefined {
  const { verdict, policy, isBinding } = judgement;
  const { kind, rule, reason, message } = verdict;
  const denied: CsrCondition = { type: "Denied", status: "True", reason, message: `${rule}: ${message}` };
  // Others may have decided a request that a policy in Shadow looks at: what has an end is not given another.
  if (kind === "Deny" && isBinding === true) return isDecided(csr) ? undefined : denied;
  if (policy?.mode === "Shadow") return undefined;
  if (kind === "Allow") return { type: "Approved", status: "True", reason, message };
  const mayDeny = policy?.mode === "Enforce" || !isBuiltInSigner(csr.spec.signerName);
  if (kind !== "Deny" || !mayDeny) return undefined;
  return denied;
}

/** Signers, rules and reasons are written lists; nothing that a requester chooses becomes a label. */
function createVerdictCounter(
  metrics: Metrics | undefined,
): (csr: CertificateSigningRequest, judgement: Judgement) => void {
  const verdicts = metrics?.counter({
    name: "countersign_approval_verdicts_total",
    help: "Verdicts on certificate requests, once for each change of mind.",
  });
  return ({ spec }, { verdict: { kind, rule, reason }, policy }) =>
    verdicts?.add({ signer: spec.signerName, verdict: kind, rule, reason, mode: policy?.mode ?? "None" });
}

function audit(log: Log, csr: CertificateSigningRequest, { verdict, policy, audited }: Judgement): void {
  const { kind, rule, reason, message } = verdict;
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
    ...(policy === undefined ? {} : { policy: policy.name, mode: policy.mode }),
    ...audited,
  });
}
