// What a node asks for: subject, usages and names of its client and of its serving certificate, as a kubelet's. Pure.

import { CLIENT_USAGES, NODE_USER_PREFIX, NODES_GROUP } from "../../api/certificates/index.ts";
import { encodeBase64Url, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { sha512t256 } from "../../kernel/crypto/index.ts";
import {
  type Certificate,
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  type Extension,
  subjectAltNameExtension,
} from "../../kernel/x509/index.ts";

/** The names under which a node serves, canonical and sorted; with none of them there is nothing to certify. */
export interface ServingNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

export interface WantedCertificate {
  readonly nodeName: string;
  /** Present: a serving certificate for these names. Absent: the node's client certificate. */
  readonly serving?: ServingNames | undefined;
}

/** With an elliptic-curve key, which is the only kind that this product makes. */
const SERVING_USAGES: readonly string[] = ["digital signature", "server auth"];

interface NodeSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

export function subjectOf(nodeName: string): NodeSubject {
  return { commonName: commonNameOf(nodeName), organizations: [NODES_GROUP] };
}

export function commonNameOf(nodeName: string): string {
  return `${NODE_USER_PREFIX}${nodeName}`;
}

export function usagesOf({ serving }: WantedCertificate): readonly string[] {
  return serving === undefined ? CLIENT_USAGES : SERVING_USAGES;
}

/** The extended key usage that the certificate must have to be of any use. */
export function purposeOidOf({ serving }: WantedCertificate): string {
  return serving === undefined ? EKU_CLIENT_AUTH : EKU_SERVER_AUTH;
}

export function extensionsOf({ serving }: WantedCertificate): readonly Extension[] {
  return serving === undefined ? [] : [subjectAltNameExtension(serving)];
}

/** All names in one list, to hash or to compare. */
export function namesOf(serving: ServingNames | undefined): readonly string[] {
  return serving === undefined ? [] : [...serving.dnsNames, ...serving.ipAddresses];
}

/** Wanted names that the certificate lacks. More names than wanted are fine, as they are for a kubelet. */
export function missingNames({ subjectAltNames }: Certificate, serving: ServingNames | undefined): readonly string[] {
  const held = new Set([...(subjectAltNames?.dnsNames ?? []), ...(subjectAltNames?.ipAddresses ?? [])]);
  return namesOf(serving).filter((name) => !held.has(name));
}

interface RequestIdentity {
  /** DER SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly usages: readonly string[];
  /** Of a serving certificate; other names are another request. kubelet's digest has no such part. */
  readonly names?: readonly string[];
}

/**
 * The name of a node's certificate request: kubelet's digest over key, subject and usages
 * (pkg/kubelet/certificate/bootstrap). The same key requests under the same name, so that a restart finds its earlier
 * request instead of creating another.
 */
export function requestName({ publicKey, commonName, organizations, usages, names = [] }: RequestIdentity): string {
  const items = [publicKey, ...[commonName, ...organizations, ...usages, ...names].map(encodeUtf8)];
  const digest = sha512t256(encodeUtf8(items.map((item) => `${encodeBase64Url(item)}|`).join("")));
  return `node-csr-${encodeBase64Url(digest)}`;
}
