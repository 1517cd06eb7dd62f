// A request judged again, as it was when it was made, by a policy that does not exist yet: what would change? Nothing
// is read from the cluster beyond what is handed in, and nothing is written.

import { type CertificateSigningRequest, findCondition } from "../../api/certificates/index.ts";
import type { Policy } from "../../api/countersign/index.ts";
import type { Verdict } from "../../kernel/outcome/index.ts";
import { gather } from "./gather.ts";
import { type Judgement, judgeApproval } from "./judge.ts";
import type { GatherOptions } from "./look.ts";
import { readRequest, wantedNode } from "./reading.ts";
import { verdictOn } from "./record.ts";

export interface Replayed {
  readonly csr: CertificateSigningRequest;
  /** What became of it, or what was said of it last. */
  readonly before: Verdict["kind"] | undefined;
  readonly after: Judgement;
  /** Whether the outcome for the requester differs. */
  readonly isChange: boolean;
}

export async function replay(
  options: GatherOptions,
  csr: CertificateSigningRequest,
  policyFor: (signerName: string, nodeName: string | undefined) => Policy | undefined,
  signal: AbortSignal,
): Promise<Replayed> {
  const reading = readRequest(csr.spec.request);
  const policy = policyFor(csr.spec.signerName, wantedNode(reading));
  const after = judgeApproval(await gather(options, { csr, reading, policy }, signal));
  const before = verdictBefore(csr);
  return { csr, before, after, isChange: before !== after.verdict.kind };
}

function verdictBefore(csr: CertificateSigningRequest): Verdict["kind"] | undefined {
  if (findCondition(csr, "Denied") !== undefined) return "Deny";
  if (findCondition(csr, "Approved") !== undefined) return "Allow";
  return verdictOn(csr)?.verdict;
}
