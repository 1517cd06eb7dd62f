// The one place where the authority's key is used: template → signed bytes, and nothing decided on the way.

import { type CertificateTemplate, signCertificate } from "../../kernel/x509/index.ts";
import type { Authority } from "./authority.ts";

export function signTemplate(template: CertificateTemplate, { signer }: Authority): Uint8Array {
  return signCertificate(template, signer);
}
