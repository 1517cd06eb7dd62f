// A CertificateSigningRequest as a kubelet with a bootstrap token sends it and the API server keeps it: valid by
// default, spoiled by one modifier. `aCsr(from(aToken("7f3a9c")), forNode("worker-3"), withSan({ dnsNames: ["evil"]
// }))`

import type { UserInfo } from "../../src/api/access/index.ts";
import {
  type CertificateSigningRequest,
  CLIENT_USAGES,
  type CsrCondition,
  KUBELET_CLIENT_SIGNER,
} from "../../src/api/certificates/index.ts";
import { encodeBase64, encodeUtf8 } from "../../src/kernel/bytes/index.ts";
import { encodePem } from "../../src/kernel/pem/index.ts";
import {
  type Extension,
  encodeName,
  type SubjectAltNameTemplate,
  signCertificateRequest,
  subjectAltNameExtension,
} from "../../src/kernel/x509/index.ts";
import type { NameTemplate } from "../../src/kernel/x509/name.ts";
import { generatePrivateKey, type PrivateKey } from "../../src/platform/keys/index.ts";

interface Draft {
  name: string;
  uid: string;
  signerName: string;
  usages: readonly string[];
  expirationSeconds: number | undefined;
  requester: UserInfo;
  key: PrivateKey;
  /** Raw DER where a template cannot say it. */
  subject: Uint8Array;
  extensions: readonly Extension[];
  /** Changes the DER of the finished request. */
  spoil: (der: Uint8Array) => Uint8Array;
  /** Changes the PEM text of the finished request. */
  wrap: (pem: string) => string;
  annotations: Record<string, string>;
  conditions: readonly CsrCondition[];
  certificatePem: string | undefined;
}

export type CsrModifier = (draft: Draft) => Partial<Draft>;

let counter = 0;

export function aCsr(...modifiers: readonly CsrModifier[]): CertificateSigningRequest {
  counter++;
  let draft: Draft = {
    name: `csr-${String(counter).padStart(5, "0")}`,
    uid: `00000000-0000-4000-8000-${String(counter).padStart(12, "0")}`,
    signerName: KUBELET_CLIENT_SIGNER,
    usages: CLIENT_USAGES,
    expirationSeconds: undefined,
    requester: aToken("7f3a9c"),
    key: generatePrivateKey("P-256"),
    subject: aNodeSubject("worker-3"),
    extensions: [],
    spoil: (der) => der,
    wrap: (pem) => pem,
    annotations: {},
    conditions: [],
    certificatePem: undefined,
  };
  for (const modify of modifiers) draft = { ...draft, ...modify(draft) };
  return assemble(draft);
}

function assemble(draft: Draft): CertificateSigningRequest {
  const der = signCertificateRequest({ subject: draft.subject, extensions: draft.extensions }, draft.key.signer);
  const text = draft.wrap(encodePem("CERTIFICATE REQUEST", draft.spoil(der)));
  const { expirationSeconds, annotations, conditions, certificatePem, requester } = draft;
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: {
      name: draft.name,
      uid: draft.uid,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      request: toBase64(text),
      signerName: draft.signerName,
      usages: draft.usages,
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
      ...requester,
    },
    status: {
      ...(conditions.length === 0 ? {} : { conditions }),
      ...(certificatePem === undefined ? {} : { certificate: toBase64(certificatePem) }),
    },
  };
}

function toBase64(text: string): string {
  return encodeBase64(encodeUtf8(text));
}

export function aToken(id: string): UserInfo {
  return {
    username: `system:bootstrap:${id}`,
    groups: ["system:bootstrappers", "system:bootstrappers:kubeadm:default-node-token", "system:authenticated"],
  };
}

export function aNode(name: string): UserInfo {
  return { username: `system:node:${name}`, groups: ["system:nodes", "system:authenticated"] };
}

function aNodeSubject(nodeName: string): Uint8Array {
  return encodeName({ commonName: `system:node:${nodeName}`, organizations: ["system:nodes"] });
}

export function from(requester: UserInfo): CsrModifier {
  return () => ({ requester });
}

export function forNode(nodeName: string): CsrModifier {
  return () => ({ subject: aNodeSubject(nodeName) });
}

export function named(name: string): CsrModifier {
  return () => ({ name });
}

export function withSubject(subject: NameTemplate | Uint8Array): CsrModifier {
  return () => ({ subject: subject instanceof Uint8Array ? subject : encodeName(subject) });
}

export function withSigner(signerName: string): CsrModifier {
  return () => ({ signerName });
}

export function withUsages(...usages: readonly string[]): CsrModifier {
  return () => ({ usages });
}

export function withKey(key: PrivateKey): CsrModifier {
  return () => ({ key });
}

export function withExpiration(expirationSeconds: number): CsrModifier {
  return () => ({ expirationSeconds });
}

export function withExtension(extension: Extension): CsrModifier {
  return ({ extensions }) => ({ extensions: [...extensions, extension] });
}

/**
 * The provider ID's extension of *Cluster API Kubelet Authentication*: a UTF8String that is short enough for one octet
 * of length.
 */
export function withProviderId(providerId: string): CsrModifier {
  const text = encodeUtf8(providerId);
  const value = Uint8Array.of(0x0c, text.length, ...text);
  return withExtension({ oid: "1.3.6.1.4.1.11129.2.1.21", critical: false, value });
}

export function withSan(names: SubjectAltNameTemplate): CsrModifier {
  return withExtension(subjectAltNameExtension(names));
}

/** Whatever stands around the request in `spec.request`. */
export function wrapped(wrap: (pem: string) => string): CsrModifier {
  return () => ({ wrap });
}

/** The last byte belongs to the signature. */
export function withWrongSignature(): CsrModifier {
  return () => ({ spoil: (der) => Uint8Array.from(der, (byte, at) => (at === der.length - 1 ? byte ^ 1 : byte)) });
}

export function annotated(annotations: Record<string, string>): CsrModifier {
  return () => ({ annotations });
}

export function withCondition(type: string, reason = "ByTest", lastUpdateTime?: string): CsrModifier {
  const at = lastUpdateTime === undefined ? {} : { lastUpdateTime };
  return ({ conditions }) => ({
    conditions: [...conditions, { type, status: "True", reason, message: "set by a test", ...at }],
  });
}

export function approved(): CsrModifier {
  return withCondition("Approved");
}

export function withCertificate(certificatePem: string): CsrModifier {
  return () => ({ certificatePem });
}
