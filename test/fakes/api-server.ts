// The API server everybody tests against: the real one, on memory storage, with a PKI of its own made in milliseconds.

import type { Secret } from "../../src/api/core/index.ts";
import { SECRETS } from "../../src/api/meta/index.ts";
import { type ApiServer, type ApiServerOptions, type Storage, startApiServer } from "../../src/apiserver/index.ts";
import { createMemoryStorage } from "../../src/apiserver/storage/engine.ts";
import { keyOf } from "../../src/apiserver/storage/key.ts";
import { encodeBase64, encodeUtf8 } from "../../src/kernel/bytes/index.ts";
import { encodePem } from "../../src/kernel/pem/index.ts";
import {
  basicConstraintsExtension,
  EKU_SERVER_AUTH,
  type Extension,
  encodeName,
  extKeyUsageExtension,
  keyUsageExtension,
  type Signer,
  signCertificate,
  subjectAltNameExtension,
} from "../../src/kernel/x509/index.ts";
import type { NameTemplate } from "../../src/kernel/x509/name.ts";
import { type Clock, systemClock } from "../../src/platform/clock/index.ts";
import { generatePrivateKey, type PrivateKey, randomBytes } from "../../src/platform/keys/index.ts";
import { createKubeClient, type KubeClient } from "../../src/platform/kube/index.ts";
import { aClientCertificate, type ClientCertificate } from "../builders/client-certificate.ts";
import type { TestCa } from "../builders/tls-pair.ts";

export type { ClientCertificate } from "../builders/client-certificate.ts";

const HOUR_MS = 3_600_000;

export interface TestApiServerOptions {
  readonly clock?: Clock;
  readonly storage?: Storage;
  /** The loops of a cluster run too: service accounts, root CA, node lifecycle. */
  readonly controllers?: boolean;
  /** Who vouches for the server, where it is not the cluster's own CA. */
  readonly servingCa?: TestCa;
  /** Everything else a server can be started with. */
  readonly more?: Partial<ApiServerOptions>;
}

export interface TestApiServer {
  readonly url: string;
  readonly port: number;
  readonly caPem: string;
  readonly caKeyPem: string;
  /** What vouches for the server: the cluster's CA, or the one that was given. */
  readonly servingCaPem: string;
  /** Of group system:masters. */
  readonly adminCertPem: string;
  readonly adminKeyPem: string;
  readonly storage: Storage;
  readonly server: ApiServer;
  issueClientCertificate(subject: { user: string; groups?: readonly string[]; lifetimeMs?: number }): ClientCertificate;
  /** Stores the Secret of a token that may authenticate and sign, and returns `<id>.<secret>`. */
  createBootstrapToken(options?: { id?: string; groups?: readonly string[]; expiration?: string }): Promise<string>;
  close(): Promise<void>;
}

interface Issuer {
  readonly name: Uint8Array;
  readonly signer: Signer;
}

interface Issue {
  readonly subject: NameTemplate;
  readonly key: PrivateKey;
  readonly extensions: readonly Extension[];
  readonly nowMs: number;
}

function issue(issuer: Issuer, { subject, key, extensions, nowMs }: Issue): string {
  const serialNumber = Uint8Array.from([1, ...randomBytes(15)]);
  const template = {
    serialNumber,
    subject,
    issuer: issuer.name,
    notBeforeMs: nowMs - HOUR_MS,
    notAfterMs: nowMs + 24 * HOUR_MS,
    publicKey: key.signer.publicKey,
    extensions,
  };
  return encodePem("CERTIFICATE", signCertificate(template, issuer.signer));
}

const CA_SUBJECT: NameTemplate = { commonName: "countersign-test-ca", organizations: [] };

export async function startTestApiServer(options: TestApiServerOptions = {}): Promise<TestApiServer> {
  const { clock = systemClock, storage = createMemoryStorage(), controllers = false, servingCa, more = {} } = options;
  const caKey = generatePrivateKey("P-256");
  const ca: Issuer = { name: encodeName(CA_SUBJECT), signer: caKey.signer };
  const nowMs = clock.now();
  const caPem = issue(ca, {
    subject: CA_SUBJECT,
    key: caKey,
    nowMs,
    extensions: [basicConstraintsExtension({ ca: true }), keyUsageExtension(["keyCertSign", "digitalSignature"])],
  });
  const servingKey = generatePrivateKey("P-256");
  const servingPem = issue(ca, {
    subject: { commonName: "kube-apiserver", organizations: [] },
    key: servingKey,
    nowMs,
    extensions: [
      keyUsageExtension(["digitalSignature"]),
      extKeyUsageExtension([EKU_SERVER_AUTH]),
      subjectAltNameExtension({ dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"] }),
    ],
  });
  const caKeyPem = caKey.encodePem();
  const issueClientCertificate: TestApiServer["issueClientCertificate"] = (subject) =>
    aClientCertificate({ caPem, caKeyPem }, { ...subject, nowMs: clock.now() });
  const server: ApiServer = await startApiServer({
    storage,
    clock,
    host: "127.0.0.1",
    port: 0,
    servingCertificate: servingCa?.issueServing() ?? { certPem: servingPem, keyPem: servingKey.encodePem() },
    clientCaPem: caPem,
    ...(controllers ? { controllers: { rootCaPem: caPem } } : {}),
    ...more,
  });
  const admin = issueClientCertificate({ user: "kubernetes-admin", groups: ["system:masters"] });
  return {
    url: server.url,
    port: server.port,
    caPem,
    caKeyPem,
    servingCaPem: servingCa?.certPem ?? caPem,
    adminCertPem: admin.certPem,
    adminKeyPem: admin.keyPem,
    storage,
    server,
    issueClientCertificate,
    createBootstrapToken: (token) => createBootstrapToken(storage, token),
    close: async () => {
      await server.close();
      await storage.close();
    },
  };
}

/** As its administrator, who may do everything. */
export function adminConnection(server: Pick<TestApiServer, "url" | "servingCaPem" | "adminCertPem" | "adminKeyPem">) {
  const { url, servingCaPem: caPem, adminCertPem: certPem, adminKeyPem: keyPem } = server;
  return { server: url, caPem, credentials: () => ({ certPem, keyPem }) };
}

export function connectAdmin(server: Parameters<typeof adminConnection>[0]): KubeClient {
  return createKubeClient(adminConnection(server));
}

async function createBootstrapToken(
  storage: Storage,
  options: { id?: string; groups?: readonly string[]; expiration?: string } = {},
): Promise<string> {
  const { id = "abcdef", groups = ["system:bootstrappers:kubeadm:default-node-token"], expiration } = options;
  const secret = "0123456789abcdef";
  const values: Readonly<Record<string, string>> = {
    "token-id": id,
    "token-secret": secret,
    "usage-bootstrap-authentication": "true",
    "usage-bootstrap-signing": "true",
    "auth-extra-groups": groups.join(","),
    ...(expiration === undefined ? {} : { expiration }),
  };
  const name = `bootstrap-token-${id}`;
  const stored: Secret = {
    kind: "Secret",
    apiVersion: "v1",
    metadata: { name, namespace: "kube-system", uid: `token-${id}`, creationTimestamp: "2026-01-01T00:00:00Z" },
    type: "bootstrap.kubernetes.io/token",
    data: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, encodeBase64(encodeUtf8(value))])),
  };
  await storage.create(keyOf(SECRETS, { namespace: "kube-system", name }), stored);
  return `${id}.${secret}`;
}
