// Whatever the request asks for beside its subject must change nothing: no other name, no CA, nothing we cannot read.
// The harmless extensions are compared byte for byte with the one DER form they have, so there is nothing to parse.
// differs from upstream: kube-controller-manager drops extensions that it does not know; we refuse them, because who
// asks for a CA certificate under a node's name is not a kubelet.

import { equalBytes } from "../../../kernel/bytes/index.ts";
import {
  basicConstraintsExtension,
  EKU_CLIENT_AUTH,
  type Extension,
  extKeyUsageExtension,
  keyUsageExtension,
} from "../../../kernel/x509/index.ts";
import { isBuiltInSigner } from "../../signers.ts";
import type { RequestFacts } from "../facts.ts";
import { pass, type Rule, refuse, withRequest } from "./rule.ts";

const SUBJECT_ALT_NAME = "2.5.29.17";
/** The provider's id of the machine; the name is Google's CloudComputeInstanceIdentifier, taken over by Cluster API. */
export const PROVIDER_ID_EXTENSION = "1.3.6.1.4.1.11129.2.1.21";

/** What some CSR tools add by themselves, and what the certificate will hold anyway. */
const HARMLESS: readonly Extension[] = [
  basicConstraintsExtension({ ca: false }),
  keyUsageExtension(["digitalSignature"]),
  keyUsageExtension(["digitalSignature", "keyEncipherment"]),
  extKeyUsageExtension([EKU_CLIENT_AUTH]),
];

export const noNamesBesideTheSubject: Rule<RequestFacts> = {
  id: "no-names-beside-the-subject",
  sentence: "the request asks for no alternative names, for no CA, and for no extension that is not known here",
  judge: withRequest(({ extensions }, { signerName }) => {
    if (extensions.some(({ oid }) => oid === SUBJECT_ALT_NAME)) {
      return refuse("AlternativeNamesRequested", "the request asks for alternative names, expected none");
    }
    const foreign = extensions.find((extension) => !isHarmless(extension, signerName));
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

function isHarmless(extension: Extension, signerName: string): boolean {
  if (extension.oid === PROVIDER_ID_EXTENSION) return !isBuiltInSigner(signerName);
  return HARMLESS.some(({ oid, value }) => oid === extension.oid && equalBytes(value, extension.value));
}
