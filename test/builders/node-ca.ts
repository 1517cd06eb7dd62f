// A cluster's CA for tests of the node: it signs what it is told to, right or wrong, for any key, name and time.

import { NODE_USER_PREFIX, NODES_GROUP } from "../../src/api/certificates/index.ts";
import { encodePem } from "../../src/kernel/pem/index.ts";
import {
  basicConstraintsExtension,
  type Certificate,
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  encodeName,
  extKeyUsageExtension,
  keyUsageExtension,
  parseCertificate,
  signCertificate,
  subjectAltNameExtension,
} from "../../src/kernel/x509/index.ts";
import { generatePrivateKey, randomBytes } from "../../src/platform/keys/index.ts";

const HOUR_MS = 3_600_000;

/** A node's client certificate, right in all respects unless one is spoiled. */
export interface NodeCertificateTemplate {
  readonly publicKey: Uint8Array;
  readonly nodeName?: string;
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  readonly notBeforeMs?: number;
  readonly notAfterMs?: number;
  readonly usage?: string;
}

export interface NodeCa {
  readonly certPem: string;
  readonly certificate: Certificate;
  signNode(template: NodeCertificateTemplate): string;
  issueNode(template?: Omit<NodeCertificateTemplate, "publicKey">): { certificatePem: string; keyPem: string };
  issueServing(): { certPem: string; keyPem: string };
}

export function aNodeCa(commonName = "cluster-ca", nowMs = Date.now()): NodeCa {
  const key = generatePrivateKey("P-256");
  const issuer = encodeName({ commonName, organizations: [] });
  const serialNumber = () => Uint8Array.of(1, ...randomBytes(15));
  const times = { notBeforeMs: nowMs - HOUR_MS, notAfterMs: nowMs + HOUR_MS };
  const der = signCertificate(
    {
      serialNumber: serialNumber(),
      subject: issuer,
      issuer,
      ...times,
      notAfterMs: nowMs + 10_000 * HOUR_MS,
      publicKey: key.signer.publicKey,
      extensions: [basicConstraintsExtension({ ca: true }), keyUsageExtension(["keyCertSign"])],
    },
    key.signer,
  );

  function signNode(template: NodeCertificateTemplate): string {
    const { nodeName = "worker-1", publicKey, usage = EKU_CLIENT_AUTH, organizations = [NODES_GROUP] } = template;
    const name = template.commonName ?? `${NODE_USER_PREFIX}${nodeName}`;
    const subject = { commonName: name, organizations };
    const { notBeforeMs = times.notBeforeMs, notAfterMs = times.notAfterMs } = template;
    const extensions = [keyUsageExtension(["digitalSignature"]), extKeyUsageExtension([usage])];
    const leaf = { serialNumber: serialNumber(), subject, issuer, notBeforeMs, notAfterMs, publicKey, extensions };
    return encodePem("CERTIFICATE", signCertificate(leaf, key.signer));
  }

  return {
    certPem: encodePem("CERTIFICATE", der),
    certificate: parseCertificate(der),
    signNode,
    issueNode: (template = {}) => {
      const own = generatePrivateKey("P-256");
      return {
        certificatePem: signNode({ ...template, publicKey: own.signer.publicKey }),
        keyPem: own.encodePem(),
      };
    },
    issueServing: () => {
      const own = generatePrivateKey("P-256");
      const leaf = {
        serialNumber: serialNumber(),
        subject: { commonName: "kube-apiserver", organizations: [] },
        issuer,
        ...times,
        publicKey: own.signer.publicKey,
        extensions: [
          extKeyUsageExtension([EKU_SERVER_AUTH]),
          subjectAltNameExtension({ dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"] }),
        ],
      };
      return { certPem: encodePem("CERTIFICATE", signCertificate(leaf, key.signer)), keyPem: own.encodePem() };
    },
  };
}
