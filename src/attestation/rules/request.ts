// Rules about the CertificateSigningRequest itself: signer, metadata, size, name and the PKCS#10.

import {
  ATTESTED_CLIENT_SIGNER_PREFIX,
  ATTESTED_SERVING_SIGNER_PREFIX,
  CLIENT_USAGES,
  NODE_USER_PREFIX,
  NODES_GROUP,
  SERVING_USAGES,
} from "../../api/certificates/index.ts";
import { notMine, pass, type Rule, refuse } from "../../kernel/outcome/index.ts";
import {
  type CertificateRequest,
  type Extension,
  findExtension,
  OID_EXTENSION_REQUEST,
  OID_SUBJECT_ALT_NAME,
} from "../../kernel/x509/index.ts";
import {
  type Envelope,
  HELLO_NAME_PREFIX,
  MAX_REQUEST_OCTETS,
  OID_PROVIDER_ID,
  objectName,
  type Purpose,
  parseProviderId,
} from "../evidence/index.ts";
import type { EvidenceFacts } from "./facts.ts";
import { attempt } from "./reading.ts";
import { type ReadEvidence, withEvidence } from "./with-evidence.ts";

const PREFIXES: readonly (readonly [string, Purpose])[] = [
  [ATTESTED_CLIENT_SIGNER_PREFIX, "client"],
  [ATTESTED_SERVING_SIGNER_PREFIX, "serving"],
];

interface SignerParts {
  readonly purpose: Purpose;
  readonly provider: string;
}

export function signerParts(signerName: string): SignerParts | undefined {
  for (const [prefix, purpose] of PREFIXES) {
    if (signerName.startsWith(prefix)) return { purpose, provider: signerName.slice(prefix.length) };
  }
  return undefined;
}

export const signerIsOurs: Rule<EvidenceFacts> = {
  id: "signer-is-ours",
  sentence: "the signer is ours, for a cluster we serve; the request is undecided and not being deleted",
  judge: ({ object, cluster }) => {
    if (!cluster.servedSigners.includes(object.signerName))
      return notMine("SignerNotServed", `signer ${object.signerName} is not served here`);
    if (object.isDecided) return notMine("AlreadyDecided", "the request is decided");
    return object.isDeleting ? notMine("BeingDeleted", "the request is being deleted") : pass();
  },
};

/** A creator can set finalizers and owner references, and so keep the object from being deleted. */
export const metadataIsPlain: Rule<EvidenceFacts> = {
  id: "metadata-is-plain",
  sentence: "the request has neither finalizers nor owners",
  judge: ({ object }) =>
    object.hasFinalizers || object.hasOwnerReferences
      ? refuse("MetadataNotAllowed", "a request with evidence must have neither finalizers nor owner references")
      : pass(),
};

/** Judged before anything is parsed. */
export const requestIsSmallEnough: Rule<EvidenceFacts> = {
  id: "request-is-small-enough",
  sentence: `the request has at most ${MAX_REQUEST_OCTETS} octets`,
  judge: ({ reading }) =>
    reading.octets > MAX_REQUEST_OCTETS
      ? refuse("RequestTooLarge", `request must have at most ${MAX_REQUEST_OCTETS} octets, got ${reading.octets}`)
      : pass(),
};

/**
 * A copy of a request has the same content, hence the same name: it collides with the original instead of racing it.
 */
export const nameIsBound: Rule<EvidenceFacts> = {
  id: "name-is-bound",
  sentence: "the object's name is the one that its content gives",
  judge: withEvidence(({ blocks, envelope, request }, { object }) => {
    const { step, body } = envelope;
    const named = { step, body, request: object.request, content: blocks.content, cri: request.tbs };
    return objectName(named) === object.name
      ? pass()
      : refuse("NameNotBound", "the object's name is not the one that its content gives");
  }),
};

/**
 * A hello is inert by construction: signed by mistake, it would be no node's identity and could not authenticate a
 * client.
 */
export const requestIsWellFormed: Rule<EvidenceFacts> = {
  id: "request-is-well-formed",
  sentence:
    "the PKCS#10 is signed by its own P-256 or P-384 key and has the subject, extensions and usages of its step",
  judge: withEvidence((read, { object }) => {
    const problem = findProblem(read, object.usages);
    return problem === undefined ? pass() : refuse("RequestMalformed", problem);
  }),
};

function findProblem(read: ReadEvidence, usages: readonly string[]): string | undefined {
  const { request, signatureHolds, envelope } = read;
  if (!signatureHolds) return "the request is not signed with its own key";
  if (request.publicKey.curve !== "P-256" && request.publicKey.curve !== "P-384")
    return "the key must be an EC key on P-256 or P-384";
  return subjectProblem(request, envelope) ?? extensionProblem(request, envelope) ?? usageProblem(usages, envelope);
}

function subjectProblem({ subject }: CertificateRequest, { step, node }: Envelope): string | undefined {
  const isHello = step === "hello";
  const commonName = isHello ? `${HELLO_NAME_PREFIX}${node}` : `${NODE_USER_PREFIX}${node}`;
  const organizations = isHello ? [] : [NODES_GROUP];
  const isExact =
    subject.commonName === commonName &&
    subject.organizations.join("\n") === organizations.join("\n") &&
    subject.attributes.length === 1 + organizations.length;
  return isExact
    ? undefined
    : `the subject of a ${step} must be CN ${commonName} and O ${organizations.join() || "none"}`;
}

function extensionProblem(request: CertificateRequest, { step, purpose }: Envelope): string | undefined {
  const { extensions, attributes, subjectAltNames } = request;
  if (attributes.length !== 1 || attributes[0] !== OID_EXTENSION_REQUEST)
    return "the request must have one attribute, the list of its extensions";
  const problem = providerIdProblem(findExtension(extensions, OID_PROVIDER_ID));
  if (problem !== undefined) return problem;
  const hasNames = step !== "hello" && purpose === "serving";
  const allowed = hasNames ? [OID_PROVIDER_ID, OID_SUBJECT_ALT_NAME] : [OID_PROVIDER_ID];
  if (extensions.length !== allowed.length || extensions.some(({ oid }) => !allowed.includes(oid)))
    return `the extensions of a ${step} for ${purpose} must be exactly ${allowed.join(", ")}`;
  if (!hasNames || subjectAltNames === undefined) return undefined;
  const { dnsNames, ipAddresses, uris, emails, others } = subjectAltNames;
  const isServing = dnsNames.length + ipAddresses.length > 0 && uris.length + emails.length + others === 0;
  return isServing ? undefined : "alternative names must be DNS names and IP addresses, at least one";
}

function providerIdProblem(extension: Extension | undefined): string | undefined {
  if (extension === undefined || extension.critical) return "the provider ID must be there, and not critical";
  return attempt("RequestMalformed", () => parseProviderId(extension)).ok
    ? undefined
    : "the provider ID must be a UTF8String in strict DER, printable ASCII";
}

const USAGES = {
  hello: ["digital signature"],
  client: CLIENT_USAGES,
  serving: SERVING_USAGES,
} as const;

function usageProblem(usages: readonly string[], { step, purpose }: Envelope): string | undefined {
  const expected = USAGES[step === "hello" ? "hello" : purpose];
  const isSame = usages.length === expected.length && expected.every((usage) => usages.includes(usage));
  return isSame ? undefined : `usages must be ${expected.join(", ")}`;
}
