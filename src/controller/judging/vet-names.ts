// The names of a serving request that carries evidence: proof of what a machine is makes no name its own that is no
// node's. Judged before the evidence, where a policy covers the request; without one only the addresses of a Machine
// count, which are the infrastructure's word.

import { type CertificateSigningRequest, purposeOf } from "../../api/certificates/index.ts";
import { gather } from "./gather.ts";
import { type Judgement, judgeNames } from "./judge.ts";
import type { GatherOptions, Judged } from "./look.ts";
import { type RequestReader, wantedNode } from "./reading.ts";

interface Objection {
  readonly nodeName: string;
  readonly judged: Judged;
  readonly judgement: Judgement;
}

export async function objectionToNames(
  options: GatherOptions & { readonly readRequest: RequestReader["plain"] },
  csr: CertificateSigningRequest,
  signal: AbortSignal,
): Promise<Objection | undefined> {
  const { signerName } = csr.spec;
  if (purposeOf(signerName) !== "NodeServing") return undefined;
  const reading = options.readRequest(csr);
  const nodeName = wantedNode(reading);
  const policy = options.surroundings.policies.of(signerName, nodeName);
  if (nodeName === undefined || policy === undefined) return undefined;
  const judged = { csr, reading, policy };
  const judgement = judgeNames(await gather(options, judged, signal));
  return judgement.verdict.kind === "Allow" ? undefined : { nodeName, judged, judgement };
}
