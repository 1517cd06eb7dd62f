// The Machine, for the rules that come after machine-exists. None of them relies on that rule having run: without a Machine
// they do not pass.

import type { Machine } from "../../../../api/foreign/index.ts";
import type { CertificateRequest } from "../../../../kernel/x509/index.ts";
import type { ApprovalFacts } from "../../facts.ts";
import { isRenewal } from "../../identity.ts";
import { type Finding, pass, withRequest } from "../rule.ts";
import { machineExists } from "./machine-exists.ts";

/** A judge of first certificates that needs the Machine. A renewal was a first certificate once. */
export function withMachine(
  judge: (machine: Machine, facts: ApprovalFacts, request: CertificateRequest) => Finding,
): (facts: ApprovalFacts) => Finding {
  return withRequest((request, facts) => {
    if (isRenewal(request, facts.requester)) return pass("a renewal");
    const match = facts.machine.kind === "Present" ? facts.machine.value : undefined;
    if (match?.kind !== "One" || match.machine.isDeleting) return machineExists.judge(facts);
    return judge(match.machine, facts, request);
  });
}
