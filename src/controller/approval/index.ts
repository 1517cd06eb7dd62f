// May this request be approved? One key → gather → judge → act. Step "judge" of the journey.
// Requests for one node name are judged one after another: the second must see what became of the first.

import { type CertificateSigningRequest, isDecided } from "../../api/certificates/index.ts";
import type { Policy } from "../../api/countersign/index.ts";
import { createKeyedLock, type Handler, type Next, UNTIL_CHANGED } from "../loop/index.ts";
import { isBuiltInSigner } from "../signers.ts";
import { type Act, type ActOptions, createAct } from "./act.ts";
import { gather, wantedNode } from "./gather.ts";
import { judgeApproval } from "./judge.ts";
import type { GatherOptions, Judged } from "./look.ts";
import { type Pending, providerKey } from "./pending.ts";
import { providerIdOf } from "./provider-id.ts";
import { readRequest } from "./read-request.ts";
import { verdictOn } from "./record.ts";

export { type AccessReviews, createAccessReviews } from "./access.ts";
export { type Act, createAct } from "./act.ts";
export { ALL_RULES, requireStricter, STRICTER_RULES } from "./chains.ts";
export { type Claims, createClaims } from "./claims.ts";
export type { EvidenceFinding, MachineMatch, PresentNames, RequestFacts, RequestReading } from "./facts.ts";
export { wantedNode } from "./gather.ts";
export type {
  EvidenceReader,
  MachineInventory,
  MachineQuery,
  Network,
  PolicyCover,
  Surroundings,
} from "./inventory.ts";
export { type Judgement, judgeRequest } from "./judge.ts";
export { namesOf } from "./known-addresses.ts";
export { createPending, type Pending, providerKey } from "./pending.ts";
export { PROVIDER_ID_EXTENSION } from "./provider-id.ts";
export { createRequestReader, readRequest } from "./read-request.ts";
export { parseVerdict, type RecordedVerdict, verdictOn } from "./record.ts";
export { type Replayed, replay } from "./replay.ts";

export interface ApprovalOptions extends Omit<GatherOptions, "client">, ActOptions {
  readonly getCsr: (name: string) => CertificateSigningRequest | undefined;
  readonly pending: Pending;
  /** Where other judges write by the same hand. Default: its own. */
  readonly writer?: Act | undefined;
  /** Default: without a memory. */
  readonly readRequest?: typeof readRequest | undefined;
}

export interface Approval {
  readonly handle: Handler;
  /** False for a request that `handle` would leave as it is: it need not be queued. */
  wants(csr: CertificateSigningRequest): boolean;
  /** The request was deleted. */
  forget(csr: CertificateSigningRequest): void;
}

export function createApproval(options: ApprovalOptions): Approval {
  const locks = createKeyedLock();
  const act = options.writer ?? createAct(options);
  const read = options.readRequest ?? readRequest;

  /** Foreign signers are nobody's business here (signer-is-served); reading their requests would be a third of all work. */
  function isMine(csr: CertificateSigningRequest): boolean {
    const isServed = options.servedSigners.includes(csr.spec.signerName);
    return isServed && (!isSettled(csr) || options.surroundings.policies.hasShadow());
  }

  async function decide(judged: Judged, signal: AbortSignal): Promise<Next> {
    const judgement = judgeApproval(await gather(options, judged, signal));
    await act.act(judged, judgement);
    return judgement.verdict.kind === "Wait" ? { afterMs: judgement.verdict.retryAfterMs } : UNTIL_CHANGED;
  }

  return {
    handle: async (key, signal) => {
      const csr = options.getCsr(key);
      options.pending.forget(key);
      if (csr === undefined || !isMine(csr)) return UNTIL_CHANGED;
      const reading = read(csr.spec.request);
      const nodeName = wantedNode(reading);
      const policy = options.surroundings.policies.of(csr.spec.signerName, nodeName);
      if (isSettled(csr) && !isUnrecorded(csr, policy)) return UNTIL_CHANGED;
      const judged = { csr, reading, policy };
      if (nodeName === undefined) return decide(judged, signal);
      options.pending.note(key, [nodeName, ...providerKeysOf(judged)]);
      return locks.run(nodeName, () => decide(judged, signal));
    },
    // Under our own signers a verdict is not the end: attestation tidies up after it.
    wants: (csr) => isMine(csr) || !isBuiltInSigner(csr.spec.signerName),
    forget: (csr) => {
      options.pending.forget(csr.metadata.name ?? "");
      act.forget(csr.metadata.uid ?? "");
    },
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
function isUnrecorded(csr: CertificateSigningRequest, policy: Policy | undefined): boolean {
  return policy?.mode === "Shadow" && csr.metadata.deletionTimestamp === undefined && verdictOn(csr) === undefined;
}
