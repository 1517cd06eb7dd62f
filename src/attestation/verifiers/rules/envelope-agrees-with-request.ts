// H9. Three places say the same: the envelope, the PKCS#10 and the object.
import { pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import { findExtension } from "../../../kernel/x509/index.ts";
import { OID_PROVIDER_ID, parseProviderId } from "../../evidence/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { attempt } from "../reading.ts";
import { signerParts } from "../signer.ts";
import { type ReadEvidence, withEvidence } from "../with-evidence.ts";

export const envelopeAgreesWithRequest: Rule<EvidenceFacts> = {
  id: "envelope-agrees-with-request",
  sentence: "envelope, PKCS#10 and object agree on signer, purpose, provider and provider ID",
  judge: withEvidence((read, { object }) => {
    const problem = findMismatch(read, object.signerName);
    return problem === undefined ? pass() : refuse("EnvelopeMismatch", problem);
  }),
};

function findMismatch({ envelope, request }: ReadEvidence, signerName: string): string | undefined {
  if (envelope.signer !== signerName) return "the envelope names another signer than the request";
  const parts = signerParts(signerName);
  if (parts?.purpose !== envelope.purpose) return `the signer is not one for purpose ${envelope.purpose}`;
  if (parts.provider !== envelope.protocol.provider) return "the signer is not one of the provider in the second block";
  const extension = findExtension(request.extensions, OID_PROVIDER_ID);
  const inRequest = extension === undefined ? undefined : attempt("", () => parseProviderId(extension));
  const isSame = inRequest?.ok === true && inRequest.value === envelope.providerId;
  return isSame ? undefined : "the envelope has another provider ID than the request";
}
