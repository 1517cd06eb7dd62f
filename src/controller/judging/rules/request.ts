// Rules about the request alone: what it says of itself, whoever the requester is. They hold for the signer, too. Pure.

import {
  CLIENT_USAGES,
  CLIENT_USAGES_RSA,
  NODE_USER_PREFIX,
  NODES_GROUP,
  nodeNameOf,
  purposeOf,
  SERVING_USAGES,
  SERVING_USAGES_RSA,
} from "../../../api/certificates/index.ts";
import { OID_PROVIDER_ID } from "../../../attestation/evidence/index.ts";
import { equalBytes } from "../../../kernel/bytes/index.ts";
import {
  basicConstraintsExtension,
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  type Extension,
  extKeyUsageExtension,
  keyUsageExtension,
  OID_SUBJECT_ALT_NAME,
  type PublicKey,
  type SubjectAltNames,
} from "../../../kernel/x509/index.ts";
import { isBuiltInSigner } from "../../signers.ts";
import type { ApprovalFacts, RequestFacts } from "../facts.ts";
import { pass, type Rule, refuse, UNREADABLE_REASONS, withRequest } from "./rule.ts";

// The request must be readable, and by its signature the requester holds the key in it. Reading happens in
// ../reading.ts, before gather; this rule judges what came of it.
export const requestParsesAndIsSigned: Rule<RequestFacts> = {
  id: "request-parses-and-is-signed",
  sentence: "spec.request begins with a PKCS#10 request that is signed by the key in it",
  reasons: [...UNREADABLE_REASONS, "RequestSignatureIsWrong"],
  judge: ({ request }) => {
    if (request.kind === "Unreadable") return refuse(request.reason, request.message);
    if (!request.signatureHolds) {
      return refuse("RequestSignatureIsWrong", "the signature of the request does not verify with the key in it");
    }
    return pass();
  },
};

// The request must mean one thing to every reader. The API server looks at the first PEM block only and keeps the rest
// unread, so a second request behind the first would be a request that another tool sees and we do not.
// differs from upstream: kube-controller-manager takes the first block, whatever stands around it.
/** A request with its evidence is some 6 KB, a TPM's certificates included. */
const REQUEST_MAX_BYTES = 65_536;

export const requestStandsAlone: Rule<RequestFacts> = {
  id: "request-stands-alone",
  sentence: "spec.request holds one certificate request, without PEM headers, in at most 64 KiB",
  reasons: [...UNREADABLE_REASONS, "RequestIsNotAlone", "RequestHasHeaders"],
  isStricter: true,
  judge: ({ request }) => {
    if (request.kind === "Unreadable") return refuse(request.reason, request.message);
    const { beginnings, hasHeaders, bytes } = request.surroundings;
    if (bytes > REQUEST_MAX_BYTES) {
      return refuse("RequestIsTooLarge", `spec.request has ${bytes} bytes, expected at most ${REQUEST_MAX_BYTES}`);
    }
    if (beginnings !== 1) {
      return refuse("RequestIsNotAlone", `spec.request holds ${beginnings} certificate requests, expected exactly one`);
    }
    if (hasHeaders) return refuse("RequestHasHeaders", "the certificate request has PEM headers, expected none");
    return pass();
  },
};

// The subject becomes the identity: CN the user, every O a group. This is what kube-controller-manager asks of it;
// node-name-is-valid and subject-has-nothing-else ask for more.
export const subjectIsANode: Rule<RequestFacts> = {
  id: "subject-is-a-node",
  sentence: "the subject's organization is system:nodes alone, and its common name begins with system:node:",
  reasons: [...UNREADABLE_REASONS, "OrganizationIsNotSystemNodes", "CommonNameIsNotANode"],
  judge: withRequest(({ subject }) => {
    const [organization, ...others] = subject.organizations;
    if (organization !== NODES_GROUP || others.length > 0) {
      return refuse(
        "OrganizationIsNotSystemNodes",
        `subject organizations are ${JSON.stringify(subject.organizations)}, expected exactly ["${NODES_GROUP}"]`,
      );
    }
    if (subject.commonName?.startsWith(NODE_USER_PREFIX) !== true) {
      return refuse(
        "CommonNameIsNotANode",
        `subject common name ${JSON.stringify(subject.commonName ?? "")} is not ${NODE_USER_PREFIX}<node name>`,
      );
    }
    return pass(subject.commonName);
  }),
};

// What follows system:node: becomes the name of a Node, part of paths and of labels, and is read by people: letters
// that only look like others, control characters and empty names have no business in it.
// differs from upstream: kube-controller-manager signs any name, an empty one included.
export const nodeNameIsValid: Rule<RequestFacts> = {
  id: "node-name-is-valid",
  sentence: "the node name is one that a Node can have",
  reasons: [...UNREADABLE_REASONS, "NodeNameIsInvalid"],
  isStricter: true,
  judge: withRequest(({ subject }) => {
    const name = nodeNameOf(subject.commonName);
    if (name !== undefined) return pass(name);
    return refuse(
      "NodeNameIsInvalid",
      `subject common name ${JSON.stringify(subject.commonName ?? "")} is not ${NODE_USER_PREFIX} and a DNS subdomain in lower case`,
    );
  }),
};

// Readers of names differ in what they make of a second common name, and some read attributes that others drop.
// differs from upstream: kube-controller-manager takes the last common name and copies what Go knows of the rest.
export const subjectHasNothingElse: Rule<RequestFacts> = {
  id: "subject-has-nothing-else",
  sentence: "the subject has one organization and one common name, and no other attribute",
  reasons: [...UNREADABLE_REASONS, "SubjectHasForeignAttributes"],
  isStricter: true,
  judge: withRequest(({ subject: { attributes, organizations, commonName } }) => {
    const isPlain = attributes.length === 2 && organizations.length === 1 && commonName !== undefined;
    if (isPlain) return pass();
    return refuse(
      "SubjectHasForeignAttributes",
      `subject has ${attributes.length} attributes, expected one organization and one common name`,
    );
  }),
};

// A kubelet asks for `digital signature` and `client auth`, with an RSA key also for `key encipherment`. As a set: the
// API server keeps the order in which they were sent.
export const usagesAreClientOnly: Rule<RequestFacts> = {
  id: "usages-are-client-only",
  sentence: "the usages are those of a client certificate, with or without key encipherment, and no others",
  reasons: ["UsagesAreNotClientOnly"],
  judge: ({ usages }) =>
    isSameSet(usages, CLIENT_USAGES) || isSameSet(usages, CLIENT_USAGES_RSA)
      ? pass()
      : refuse(
          "UsagesAreNotClientOnly",
          `usages are ${JSON.stringify(usages)}, expected ${JSON.stringify(CLIENT_USAGES)} with or without "key encipherment"`,
        ),
};

function isSameSet(usages: readonly string[], expected: readonly string[]): boolean {
  return usages.length === expected.length && expected.every((usage) => usages.includes(usage));
}

// A kubelet asks for `digital signature` and `server auth`, with an RSA key also for `key encipherment`. An exact set:
// a list of three that merely contains the two would let `client auth` into a server's certificate.
export const usagesAreServingOnly: Rule<RequestFacts> = {
  id: "usages-are-serving-only",
  sentence: "the usages are those of a serving certificate, with or without key encipherment, and no others",
  reasons: ["UsagesAreNotServingOnly"],
  judge: ({ usages }) =>
    isSameSet(usages, SERVING_USAGES) || isSameSet(usages, SERVING_USAGES_RSA)
      ? pass()
      : refuse(
          "UsagesAreNotServingOnly",
          `usages are ${JSON.stringify(usages)}, expected ${JSON.stringify(SERVING_USAGES)} with or without "key encipherment"`,
        ),
};

// The signer of people's and programs' client certificates: `client auth`, and beside it at most the two key usages.
export const usagesFitAClient: Rule<RequestFacts> = {
  id: "usages-fit-a-client",
  sentence: "the usages hold client auth, and beside it at most digital signature and key encipherment",
  reasons: ["UsagesDoNotFitAClient"],
  judge: ({ usages }) => {
    const foreign = usages.find((usage) => !CLIENT_USAGES_RSA.includes(usage));
    if (foreign !== undefined)
      return refuse("UsagesDoNotFitAClient", `usage ${JSON.stringify(foreign)} is not a client's`);
    return usages.includes("client auth") ? pass() : refuse("UsagesDoNotFitAClient", `usage "client auth" is missing`);
  },
};

// What kube-controller-manager asks of a serving certificate's names: at least one, DNS or IP, and no other kind.
export const namesAreDnsOrIp: Rule<RequestFacts> = {
  id: "names-are-dns-or-ip",
  sentence: "the request asks for at least one DNS name or IP address, and for no mail address or URI",
  reasons: [...UNREADABLE_REASONS, "NamesAreMissing", "NamesAreOfAnotherKind"],
  judge: withRequest(({ subjectAltNames }) => {
    const { dnsNames = [], ipAddresses = [], emails = [], uris = [] } = subjectAltNames ?? {};
    if (dnsNames.length + ipAddresses.length === 0) {
      return refuse("NamesAreMissing", "the request asks for no DNS name and no IP address, expected at least one");
    }
    if (emails.length + uris.length > 0) {
      return refuse(
        "NamesAreOfAnotherKind",
        "the request asks for mail addresses or URIs, expected DNS names and IP addresses",
      );
    }
    return pass(`${dnsNames.length} DNS names, ${ipAddresses.length} addresses`);
  }),
};

// A client certificate speaks for its subject alone.
export const noNamesBesideTheSubject: Rule<RequestFacts> = {
  id: "no-names-beside-the-subject",
  sentence: "the request asks for no alternative names",
  reasons: [...UNREADABLE_REASONS, "AlternativeNamesRequested"],
  judge: withRequest(({ subjectAltNames }) => {
    if (subjectAltNames === undefined) return pass();
    const { dnsNames, emails, ipAddresses, uris } = subjectAltNames;
    const count = dnsNames.length + emails.length + ipAddresses.length + uris.length;
    if (count === 0) return pass("an alternative name of a kind that no certificate gets");
    return refuse("AlternativeNamesRequested", `the request asks for ${count} alternative names, expected none`);
  }),
};

// Whatever the request asks for beside its subject and its names must change nothing: no CA, nothing we cannot read.
// The harmless extensions are compared byte for byte with the one DER form they have, so there is nothing to parse.
// differs from upstream: kube-controller-manager drops extensions that it does not know; we refuse them, because who
// asks for a CA certificate under a node's name is not a kubelet.
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
  // Other rules judge the names; here only the kinds that are not parsed are of interest.
  if (extension.oid === OID_SUBJECT_ALT_NAME) return names?.others === 0;
  if (extension.oid === OID_PROVIDER_ID) return !isBuiltInSigner(signerName);
  const purpose = purposeOf(signerName);
  const allowed = purpose === undefined ? HARMLESS : [...HARMLESS, EXT_KEY_USAGES[purpose]];
  return allowed.some(({ oid, value }) => oid === extension.oid && equalBytes(value, extension.value));
}

// Keys that are known to hold for the life of a certificate, and that every client of the cluster can verify.
// differs from upstream: kube-controller-manager signs whatever key Go can parse, RSA-1024 included.
/** NIST SP 800-131A: less than 2048 bits of RSA is no longer allowed for signatures. */
const RSA_MIN_BITS = 2048;

export const keyIsStrongEnough: Rule<RequestFacts> = {
  id: "key-is-strong-enough",
  sentence: "the key is P-256, P-384, P-521, Ed25519, or RSA of at least 2048 bits",
  reasons: [...UNREADABLE_REASONS, "KeyIsTooWeak"],
  isStricter: true,
  judge: withRequest(({ publicKey }) => {
    const text = describe(publicKey);
    return isStrong(publicKey)
      ? pass(text)
      : refuse("KeyIsTooWeak", `the key is ${text}, expected P-256 or larger, Ed25519, or RSA of ${RSA_MIN_BITS} bits`);
  }),
};

function isStrong(key: PublicKey): boolean {
  switch (key.algorithm) {
    case "RSA":
      return (key.bits ?? 0) >= RSA_MIN_BITS;
    case "EC":
      return key.curve !== undefined;
    case "Ed25519":
      return true;
  }
}

function describe(key: PublicKey): string {
  switch (key.algorithm) {
    case "RSA":
      return `RSA of ${key.bits ?? 0} bits`;
    case "EC":
      return key.curve ?? "an unknown curve";
    case "Ed25519":
      return "Ed25519";
  }
}

// A policy may bound what a request asks for. Without `expirationSeconds` the signer keeps the same bound by itself.
export const lifetimeIsAllowed: Rule<ApprovalFacts> = {
  id: "lifetime-is-allowed",
  sentence: "the request asks for no longer life than the policy allows",
  reasons: ["LifetimeIsTooLong"],
  judge: ({ policy, signerName, expirationSeconds }) => {
    const bounds = purposeOf(signerName) === "NodeServing" ? policy?.serving : policy?.client;
    const max = bounds?.maxExpirationSeconds;
    if (max === undefined || expirationSeconds === undefined || expirationSeconds <= max) return pass();
    return refuse("LifetimeIsTooLong", `the request asks for ${expirationSeconds} s, expected at most ${max}`);
  },
};
