// What kube-controller-manager's signers demand of a request, in their order and with their words: a tool that reads
// the message of a Failed condition finds the one it knows. Pure. Where we are stricter, our own rules speak
// afterwards.
// Upstream: pkg/apis/certificates/helpers.go, pkg/controller/certificates/signer/signer.go.

import {
  API_CLIENT_SIGNER,
  CLIENT_USAGES,
  CLIENT_USAGES_RSA,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  NODE_USER_PREFIX,
  NODES_GROUP,
  SERVING_USAGES,
} from "../../api/certificates/index.ts";
import type { CertificateRequest } from "../../kernel/x509/index.ts";

interface Asked {
  readonly request: CertificateRequest;
  readonly usages: readonly string[];
}

type Violation = (asked: Asked) => string | undefined;

/**
 * The first demand that is not met, in Kubernetes' words; undefined when all are, or the signer is not Kubernetes' own.
 */
export function violationOf(signerName: string, asked: Asked): string | undefined {
  for (const violation of DEMANDS[signerName] ?? []) {
    const message = violation(asked);
    if (message !== undefined) return message;
  }
  return undefined;
}

const isOfNodes: Violation = ({ request: { subject } }) =>
  subject.organizations.length === 1 && subject.organizations[0] === NODES_GROUP
    ? undefined
    : "subject organization is not system:nodes";

const isNamedAsNode: Violation = ({ request: { subject } }) =>
  subject.commonName?.startsWith(NODE_USER_PREFIX) === true
    ? undefined
    : "subject common name does not begin with system:node:";

type NameKind = "dnsNames" | "emails" | "ipAddresses" | "uris";
const KIND_WORDS: Readonly<Record<NameKind, string>> = {
  dnsNames: "DNS",
  emails: "Email",
  ipAddresses: "IP",
  uris: "URI",
};

function hasNo(kind: NameKind): Violation {
  return ({ request }) =>
    (request.subjectAltNames?.[kind].length ?? 0) === 0
      ? undefined
      : `${KIND_WORDS[kind]} subjectAltNames are not allowed`;
}

const hasDnsOrIp: Violation = ({ request: { subjectAltNames } }) =>
  (subjectAltNames?.dnsNames.length ?? 0) + (subjectAltNames?.ipAddresses.length ?? 0) > 0
    ? undefined
    : "DNS or IP subjectAltName is required";

/** With the given usages, and with or without key encipherment, which only RSA keys need. */
function hasUsages(demanded: readonly string[]): Violation {
  const all = [...demanded, "key encipherment"].sort();
  return ({ usages }) => {
    const rest = usages.filter((usage) => usage !== "key encipherment");
    const isSame = rest.length === demanded.length && demanded.every((usage) => rest.includes(usage));
    return isSame ? undefined : `usages did not match [${all.join(" ")}]`;
  };
}

const isForAClient: Violation = ({ usages }) => {
  const foreign = usages.find((usage) => !CLIENT_USAGES_RSA.includes(usage));
  if (foreign !== undefined) return `invalid usage for client certificate: ${foreign}`;
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth";
};

const DEMANDS: Readonly<Record<string, readonly Violation[]>> = {
  [KUBELET_CLIENT_SIGNER]: [
    isOfNodes,
    hasNo("dnsNames"),
    hasNo("emails"),
    hasNo("ipAddresses"),
    hasNo("uris"),
    isNamedAsNode,
    hasUsages(CLIENT_USAGES),
  ],
  [KUBELET_SERVING_SIGNER]: [
    isOfNodes,
    hasDnsOrIp,
    hasNo("emails"),
    hasNo("uris"),
    hasUsages(SERVING_USAGES),
    isNamedAsNode,
  ],
  [API_CLIENT_SIGNER]: [isForAClient],
};
