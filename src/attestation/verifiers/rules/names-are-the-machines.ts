// Serving certificates (protocol 3.10): every name and address belongs to the machine. They are in the request, hence in what the
// TPM signed; whether they are its own is another question, and this one's.
import { canonicalDns, canonicalIp } from "../../../api/countersign/index.ts";
import { notYet, pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { withEvidence } from "../with-evidence.ts";

const RETRY_MS = 10_000;

export const namesAreTheMachines: Rule<EvidenceFacts> = {
  id: "names-are-the-machines",
  sentence: "every name and address of a serving certificate belongs to the machine",
  judge: withEvidence(({ envelope, request }, { ownNames }) => {
    if (envelope.purpose === "client") return pass();
    if (ownNames.kind !== "Present" || ownNames.value.length === 0) {
      const why = ownNames.kind === "NotRead" ? ownNames.why : "the machine has no addresses yet";
      return notYet("MachineAddressesMissing", why, RETRY_MS);
    }
    const own = new Set(ownNames.value.map(canonical));
    const { dnsNames = [], ipAddresses = [] } = request.subjectAltNames ?? {};
    const foreign = [...dnsNames, ...ipAddresses].find((name) => !own.has(canonical(name)));
    return foreign === undefined
      ? pass()
      : refuse("SanNotAllowed", `${JSON.stringify(foreign)} is no name or address of this machine`);
  }),
};

/** An address in its one spelling, else a name in lower case. */
function canonical(name: string): string {
  return canonicalIp(name) ?? canonicalDns(name);
}
