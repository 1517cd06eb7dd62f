// Objects for the suite. Names are never used twice, so that no case sees another's leavings.

import type { CertificateSigningRequest } from "../../../src/api/certificates/index.ts";
import type { ConfigMap, Node } from "../../../src/api/core/index.ts";
import { encodeBase64, encodeUtf8 } from "../../../src/kernel/bytes/index.ts";
import { encodePem } from "../../../src/kernel/pem/index.ts";
import { signCertificateRequest } from "../../../src/kernel/x509/index.ts";
import { generatePrivateKey } from "../../../src/platform/keys/index.ts";

let count = 0;

export function aName(prefix: string): string {
  count++;
  return `${prefix}-${process.pid}-${count}`;
}

export function aConfigMap(
  namespace: string,
  fields: { name?: string; labels?: Record<string, string> } = {},
): ConfigMap {
  const { name = aName("config"), labels } = fields;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, ...(labels === undefined ? {} : { labels }) },
    data: { colour: "green", shape: "round" },
  };
}

export function aNode(name = aName("node")): Node {
  return { apiVersion: "v1", kind: "Node", metadata: { name } };
}

export function aKubeletRequest(name = aName("csr")): CertificateSigningRequest {
  const { signer } = generatePrivateKey("P-256");
  const subject = { commonName: `system:node:${name}`, organizations: ["system:nodes"] };
  const pem = encodePem("CERTIFICATE REQUEST", signCertificateRequest({ subject }, signer));
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name },
    spec: {
      request: encodeBase64(encodeUtf8(pem)),
      signerName: "kubernetes.io/kube-apiserver-client-kubelet",
      usages: ["digital signature", "client auth"],
    },
  };
}
