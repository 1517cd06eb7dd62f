// May this request be approved? One key → gather → judge → act. Step "judge" of the journey.
// Requests for one node name are judged one after another: the second must see what became of the first.

import { type CertificateSigningRequest, isDecided } from "../../api/certificates/index.ts";
import { createKeyedLock, type Handler, type Next, UNTIL_CHANGED } from "../loop/index.ts";
import { type ActOptions, createAct } from "./act.ts";
import { type GatherOptions, gather, type Judged, wantedNode } from "./gather.ts";
import { judgeApproval } from "./judge.ts";
import type { Pending } from "./pending.ts";
import { readRequest } from "./read-request.ts";

export { type Claims, createClaims } from "./claims.ts";
export { CONTROLLER_NAME } from "./event.ts";
export type { RequestFacts, RequestReading } from "./facts.ts";
export { APPROVAL_RULES, judgeRequest, type TrailEntry } from "./judge.ts";
export { createPending, type Pending } from "./pending.ts";
export { readRequest } from "./read-request.ts";
export { parseVerdict, type RecordedVerdict } from "./record.ts";

export interface ApprovalOptions extends GatherOptions, ActOptions {
  readonly getCsr: (name: string) => CertificateSigningRequest | undefined;
  readonly pending: Pending;
}

export interface Approval {
  readonly handle: Handler;
  /** The request was deleted. */
  forget(csr: CertificateSigningRequest): void;
}

export function createApproval(options: ApprovalOptions): Approval {
  const locks = createKeyedLock();
  const act = createAct(options);

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
      if (csr === undefined || isSettled(csr) || !options.servedSigners.includes(csr.spec.signerName))
        return UNTIL_CHANGED;
      const judged = { csr, reading: readRequest(csr.spec.request) };
      const nodeName = wantedNode(judged.reading);
      if (nodeName === undefined) return decide(judged, signal);
      options.pending.note(key, nodeName);
      return locks.run(nodeName, () => decide(judged, signal));
    },
    forget: (csr) => act.forget(csr.metadata.uid ?? ""),
  };
}

/** Decided by somebody, issued past us, or on its way out: none of our business any more. */
function isSettled(csr: CertificateSigningRequest): boolean {
  return isDecided(csr) || (csr.status?.certificate ?? "") !== "" || csr.metadata.deletionTimestamp !== undefined;
}
