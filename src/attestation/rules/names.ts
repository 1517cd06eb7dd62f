// Rules for serving certificates: which names and addresses the machine may have.

import { canonicalDns, canonicalIp, describeDispute } from "../../api/countersign/index.ts";
import { type Finding, notYet, pass, type Rule, refuse } from "../../kernel/outcome/index.ts";
import type { EvidenceFacts } from "./facts.ts";
import { withEvidence } from "./with-evidence.ts";

const RETRY_MS = 10_000;
/** A person must find out whose the name is. */
const RETRY_DISPUTE_MS = 60_000;

export const namesAreTheMachines: Rule<EvidenceFacts> = {
  id: "names-are-the-machines",
  sentence: "every name and address of a serving certificate belongs to the machine, and to no other",
  judge: withEvidence(({ envelope, request }, facts) => {
    const { ownNames } = facts;
    if (envelope.purpose === "client") return pass();
    if (ownNames.kind !== "Present" || ownNames.value.length === 0) {
      const why = ownNames.kind === "NotRead" ? ownNames.why : "the machine has no addresses yet";
      return notYet("MachineAddressesMissing", why, RETRY_MS);
    }
    const own = new Set(ownNames.value.map(canonical));
    const { dnsNames = [], ipAddresses = [] } = request.subjectAltNames ?? {};
    const names = [...dnsNames, ...ipAddresses].map(canonical);
    const stray = names.find((name) => !own.has(name));
    if (stray !== undefined)
      return refuse("SanNotAllowed", `${JSON.stringify(stray)} is no name or address of this machine`);
    return judgeOthers(names, envelope.node, facts);
  }),
};

function judgeOthers(
  names: readonly string[],
  asking: string,
  { foreignNames, disputedNames }: EvidenceFacts,
): Finding {
  if (foreignNames.kind === "NotRead") return notYet("MachineAddressesMissing", foreignNames.why, RETRY_MS);
  const owners = foreignNames.kind === "Present" ? foreignNames.value : new Map<string, string>();
  const taken = names.find((name) => owners.has(name));
  if (taken !== undefined)
    return refuse("SanNotAllowed", `${JSON.stringify(taken)} belongs to ${owners.get(taken) ?? ""}`);
  const claimed = names.find((name) => disputedNames.has(name));
  if (claimed === undefined) return pass();
  const message = describeDispute(claimed, asking, disputedNames.get(claimed) ?? "");
  return notYet("NameIsDisputed", message, RETRY_DISPUTE_MS);
}

/** An address in its one spelling, else a name in lower case. */
function canonical(name: string): string {
  return canonicalIp(name) ?? canonicalDns(name);
}

/**
 * With `serving.approve: false` a policy leaves serving certificates to people. Judged for the hello already, so that
 * no challenge is given in vain.
 */
/** A change of the policy brings the request back at once. */
const RETRY_POLICY_MS = 600_000;

export const servingIsCovered: Rule<EvidenceFacts> = {
  id: "serving-is-covered",
  sentence: "the policy lets serving certificates be approved by rule",
  judge: withEvidence(({ envelope }, { servingLeftBy }) => {
    if (envelope.purpose === "client" || servingLeftBy === undefined) return pass();
    return notYet(
      "ServingIsLeftToPeople",
      `policy ${servingLeftBy} leaves serving certificates to people`,
      RETRY_POLICY_MS,
    );
  }),
};
