// May this request be approved? One key → gather → judge → act. Step "judge" of the journey.
// Requests for one node name are judged one after another: the second must see what became of the first.

import { type CertificateSigningRequest, isDecided, VERDICT_ANNOTATION } from "../../api/certificates/index.ts";
import type { Policy } from "../../api/countersign/index.ts";
import { createKeyedLock, type Handler, type Next, UNTIL_CHANGED } from "../loop/index.ts";
import { type ActOptions, createAct } from "./act.ts";
import { gather, wantedNode } from "./gather.ts";
import { judgeApproval } from "./judge.ts";
import type { GatherOptions, Judged } from "./look.ts";
import { type Pending, providerKey } from "./pending.ts";
import { providerIdOf } from "./provider-id.ts";
import { readRequest } from "./read-request.ts";

export { type AccessReviews, createAccessReviews } from "./access.ts";
export { ALL_RULES, requireStricter, STRICTER_RULES } from "./chains.ts";
export { type Claims, createClaims } from "./claims.ts";
export { CONTROLLER_NAME } from "./event.ts";
export type { EvidenceFinding, MachineMatch, PresentNames, RequestFacts, RequestReading, Seen } from "./facts.ts";
export { wantedNode } from "./gather.ts";
export type {
  EvidenceReader,
  MachineInventory,
  MachineQuery,
  Network,
  PolicyCover,
  Surroundings,
} from "./inventory.ts";
export { type Judgement, judgeRequest, type TrailEntry } from "./judge.ts";
export { namesOf } from "./known-addresses.ts";
export { createPending, type Pending, providerKey } from "./pending.ts";
export { PROVIDER_ID_EXTENSION } from "./provider-id.ts";
export { createRequestReader, readRequest } from "./read-request.ts";
export { parseVerdict, type RecordedVerdict } from "./record.ts";
export { type Replayed, replay } from "./replay.ts";

export interface ApprovalOptions extends Omit<GatherOptions, "client">, ActOptions {
  readonly getCsr: (name: string) => CertificateSigningRequest | undefined;
  readonly pending: Pending;
  /** Default: without a memory. */
  readonly readRequest?: typeof readRequest | undefined;
}

export interface Approval {
  readonly handle: Handler;
  /** The request was deleted. */
  forget(csr: CertificateSigningRequest): void;
}

export function createApproval(options: ApprovalOptions): Approval {
  const locks = createKeyedLock();
  const act = createAct(options);
  const read = options.readRequest ?? readRequest;

  async function decide(judged: Judged, signal: AbortSignal): Promise<Next> {
    const judgement = judgeApproval(await gather(options, judged, signal));
    await act.act(judged.csr, judgement);
    return judgement.verdict.kind === "Wait" ? { afterMs: judgement.verdict.retryAfterMs } : UNTIL_CHANGED;
  }

  return {
    handle: async (key, signal) => {
      const csr = options.getCsr(key);
      options.pending.forget(key);
      // Foreign signers are nobody's business here (signer-is-served); reading their requests would be a third of all work.
      if (csr === undefined || !options.servedSigners.includes(csr.spec.signerName)) return UNTIL_CHANGED;
      const mayShadow = options.surroundings.policies.hasShadow();
      if (isSettled(csr) && !mayShadow) return UNTIL_CHANGED;
      const reading = read(csr.spec.request);
      const nodeName = wantedNode(reading);
      const policy = options.surroundings.policies.of(csr.spec.signerName, nodeName);
      if (isSettled(csr) && !isUnrecorded(csr, policy)) return UNTIL_CHANGED;
      const judged = { csr, reading, policy };
      if (nodeName === undefined) return decide(judged, signal);
      options.pending.note(key, [nodeName, ...providerKeysOf(judged)]);
      return locks.run(nodeName, () => decide(judged, signal));
    },
    forget: (csr) => act.forget(csr.metadata.uid ?? ""),
  };
}

function providerKeysOf({ reading }: Judged): readonly string[] {
  const providerId = reading.kind === "Readable" ? providerIdOf(reading.request) : undefined;
  return providerId === undefined ? [] : [providerKey(providerId)];
}

/** Decided by somebody, issued past us, or on its way out: none of our business any more. */
function isSettled(csr: CertificateSigningRequest): boolean {
  return isDecided(csr) || (csr.status?.certificate ?? "") !== "" || csr.metadata.deletionTimestamp !== undefined;
}

/** A policy in Shadow also wants to know what it would have said about a request that others have decided. */
function isUnrecorded({ metadata }: CertificateSigningRequest, policy: Policy | undefined): boolean {
  return (
    policy?.mode === "Shadow" &&
    metadata.deletionTimestamp === undefined &&
    metadata.annotations?.[VERDICT_ANNOTATION] === undefined
  );
}
