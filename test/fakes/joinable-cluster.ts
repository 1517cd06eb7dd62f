// A cluster that a node can join, without a controller: the embedded API server, cluster-info signed for one token, and a
// clerk who decides on requests as a test tells him to, right or wrong.

import type { CertificateSigningRequest } from "../../src/api/certificates/index.ts";
import type { ConfigMap } from "../../src/api/core/index.ts";
import { CONFIG_MAPS, CSRS } from "../../src/api/meta/index.ts";
import { clusterObjects, ensureObjects } from "../../src/cli/cluster/objects.ts";
import { encodeBase64, encodeUtf8, parseBase64, parseUtf8 } from "../../src/kernel/bytes/index.ts";
import { signDetachedHs256 } from "../../src/kernel/jose/index.ts";
import { isFault } from "../../src/kernel/outcome/index.ts";
import { encodePem, parsePem } from "../../src/kernel/pem/index.ts";
import {
  EKU_CLIENT_AUTH,
  type Extension,
  encodeName,
  extKeyUsageExtension,
  keyUsageExtension,
  type NameTemplate,
  parseCertificate,
  parseCertificateRequest,
  signCertificate,
} from "../../src/kernel/x509/index.ts";
import { parsePrivateKey, randomBytes } from "../../src/platform/keys/index.ts";
import { createKubeClient, type KubeClient } from "../../src/platform/kube/index.ts";
import { startTestApiServer, type TestApiServer } from "./api-server.ts";

const HOUR_MS = 3_600_000;

/** What the clerk does with a request: approve and sign it as changed here, deny it, or leave it alone. */
export type Decision =
  | {
      readonly kind: "sign";
      readonly subject?: NameTemplate;
      readonly publicKey?: Uint8Array;
      readonly lifetimeMs?: number;
    }
  | { readonly kind: "deny"; readonly reason: string; readonly message: string }
  | { readonly kind: "leave" };

export interface JoinableCluster {
  readonly api: TestApiServer;
  readonly admin: KubeClient;
  readonly token: string;
  /** Asked once for every new request; signs everything unless told otherwise. */
  decide(decision: (csr: CertificateSigningRequest) => Decision): void;
  listRequests(): Promise<readonly CertificateSigningRequest[]>;
  close(): Promise<void>;
}

export async function startJoinableCluster(): Promise<JoinableCluster> {
  const api = await startTestApiServer();
  const credentials = () => ({ certPem: api.adminCertPem, keyPem: api.adminKeyPem });
  const admin = createKubeClient({ server: api.url, caPem: api.caPem, credentials });
  const token = await api.createBootstrapToken();
  await ensureObjects(admin, clusterObjects({ server: api.url, caPem: api.caPem }));
  await signClusterInfo(admin, token);
  const stop = new AbortController();
  let decide: (csr: CertificateSigningRequest) => Decision = () => ({ kind: "sign" });
  const work = runClerk({ api, admin, signal: stop.signal, decide: (csr) => decide(csr) });
  return {
    api,
    admin,
    token,
    decide: (next) => {
      decide = next;
    },
    listRequests: async () => (await admin.list<CertificateSigningRequest>(CSRS)).items,
    close: async () => {
      stop.abort();
      await work;
      await admin.close();
      await api.close();
    },
  };
}

async function signClusterInfo(admin: KubeClient, token: string): Promise<void> {
  const target = { namespace: "kube-public", name: "cluster-info" };
  const content = (await admin.get<ConfigMap>(CONFIG_MAPS, target)).data?.["kubeconfig"] ?? "";
  const [keyId = "", secret = ""] = token.split(".");
  const jws = signDetachedHs256({ keyId, secret, content });
  await admin.patch(CONFIG_MAPS, target, { data: { [`jws-kubeconfig-${keyId}`]: jws } });
}

interface Clerk {
  readonly api: TestApiServer;
  readonly admin: KubeClient;
  readonly signal: AbortSignal;
  readonly decide: (csr: CertificateSigningRequest) => Decision;
}

async function runClerk(clerk: Clerk): Promise<void> {
  const { admin, signal, decide } = clerk;
  try {
    for await (const { type, object } of admin.watch<CertificateSigningRequest>(CSRS, { signal })) {
      if (type === "ADDED") await carryOut(clerk, object, decide(object));
    }
  } catch (error) {
    if (!isFault(error, "aborted")) throw error;
  }
}

async function carryOut(clerk: Clerk, csr: CertificateSigningRequest, decision: Decision): Promise<void> {
  if (decision.kind === "leave") return;
  const target = { name: csr.metadata.name ?? "" };
  const condition = (type: string, reason: string, message: string) =>
    clerk.admin.patch(
      CSRS,
      { ...target, subresource: "approval" },
      { status: { conditions: [{ type, status: "True", reason, message }] } },
    );
  if (decision.kind === "deny") {
    await condition("Denied", decision.reason, decision.message);
    return;
  }
  await condition("Approved", "ByClerk", "the clerk approves");
  const certificate = encodeBase64(encodeUtf8(sign(clerk.api, csr, decision)));
  await clerk.admin.patch(CSRS, { ...target, subresource: "status" }, { status: { certificate } });
}

function sign(api: TestApiServer, csr: CertificateSigningRequest, decision: Decision & { kind: "sign" }): string {
  const [block] = parsePem(parseUtf8(parseBase64(csr.spec.request)));
  const request = parseCertificateRequest(block?.bytes ?? new Uint8Array());
  const [caBlock] = parsePem(api.caPem);
  const issuer = parseCertificate(caBlock?.bytes ?? new Uint8Array()).subject.raw;
  const extensions: Extension[] = [keyUsageExtension(["digitalSignature"]), extKeyUsageExtension([EKU_CLIENT_AUTH])];
  const template = {
    serialNumber: Uint8Array.of(1, ...randomBytes(15)),
    subject: decision.subject === undefined ? request.subject.raw : encodeName(decision.subject),
    issuer,
    notBeforeMs: Date.now() - HOUR_MS,
    notAfterMs: Date.now() + (decision.lifetimeMs ?? HOUR_MS),
    publicKey: decision.publicKey ?? request.publicKey.spki,
    extensions,
  };
  return encodePem("CERTIFICATE", signCertificate(template, parsePrivateKey(api.caKeyPem).signer));
}
