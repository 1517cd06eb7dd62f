// Whatever the request asks for beside its subject and its names must change nothing: no CA, nothing we cannot read. The
// harmless extensions are compared byte for byte with the one DER form they have, so there is nothing to parse.
// differs from upstream: kube-controller-manager drops extensions that it does not know; we refuse them, because who
// asks for a CA certificate under a node's name is not a kubelet.

import { purposeOf } from "../../../../api/certificates/index.ts";
import { equalBytes } from "../../../../kernel/bytes/index.ts";
import {
  basicConstraintsExtension,
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  type Extension,
  extKeyUsageExtension,
  keyUsageExtension,
  OID_SUBJECT_ALT_NAME,
  type SubjectAltNames,
} from "../../../../kernel/x509/index.ts";
import { isBuiltInSigner } from "../../../signers.ts";
import type { RequestFacts } from "../../facts.ts";
import { PROVIDER_ID_EXTENSION } from "../../provider-id.ts";
import { pass, type Rule, refuse, UNREADABLE_REASONS, withRequest } from "../rule.ts";

/** What some CSR tools add by themselves, and what the certificate will hold anyway. */
const HARMLESS: readonly Extension[] = [
  basicConstraintsExtension({ ca: false }),
  keyUsageExtension(["digitalSignature"]),
  keyUsageExtension(["digitalSignature", "keyEncipherment"]),
];
const EXT_KEY_USAGES = {
  NodeClient: extKeyUsageExtension([EKU_CLIENT_AUTH]),
  ApiClient: extKeyUsageExtension([EKU_CLIENT_AUTH]),
  NodeServing: extKeyUsageExtension([EKU_SERVER_AUTH]),
};

export const noForeignExtensions: Rule<RequestFacts> = {
  id: "no-foreign-extensions",
  sentence: "the request asks for no CA, for no extension that is not known here, and for none twice",
  reasons: [...UNREADABLE_REASONS, "ForeignExtensionRequested", "ExtensionRequestedTwice"],
  isStricter: true,
  judge: withRequest(({ extensions, subjectAltNames }, { signerName }) => {
    const foreign = extensions.find((extension) => !isKnown(extension, signerName, subjectAltNames));
    if (foreign !== undefined) {
      return refuse(
        "ForeignExtensionRequested",
        `the request asks for the extension ${foreign.oid} with a value not allowed here`,
      );
    }
    const oids = new Set(extensions.map(({ oid }) => oid));
    if (oids.size !== extensions.length) {
      return refuse("ExtensionRequestedTwice", "the request asks for the same extension more than once");
    }
    return pass();
  }),
};

function isKnown(extension: Extension, signerName: string, names: SubjectAltNames | undefined): boolean {
  // Other rules judge the names; here only the kinds that nobody parses are of interest.
  if (extension.oid === OID_SUBJECT_ALT_NAME) return names?.others === 0;
  if (extension.oid === PROVIDER_ID_EXTENSION) return !isBuiltInSigner(signerName);
  const purpose = purposeOf(signerName);
  const allowed = purpose === undefined ? HARMLESS : [...HARMLESS, EXT_KEY_USAGES[purpose]];
  return allowed.some(({ oid, value }) => oid === extension.oid && equalBytes(value, extension.value));
}
