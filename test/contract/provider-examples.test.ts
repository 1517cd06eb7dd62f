// The three example providers the whole way: their machine's end on one side, their verifier in the controller on the
// other, and between them nothing but CertificateSigningRequests on an API server. Each joins; each attacker is refused
// in the provider's words.

import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NodeProvider, Verifier } from "@countersign/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProvider as createInstanceProvider } from "../../examples/instance-identity/src/node.ts";
import {
  aPlatform,
  type MetadataServer,
  startMetadataServer,
} from "../../examples/instance-identity/src/testing/metadata-server.ts";
import { createVerifier as createInstanceVerifier } from "../../examples/instance-identity/src/verifier.ts";
import { createProvider as createKeyProvider } from "../../examples/machine-key/src/node.ts";
import { createVerifier as createKeyVerifier } from "../../examples/machine-key/src/verifier.ts";
import { createProvider as createSpiffeProvider } from "../../examples/spiffe/src/node.ts";
import { createVerifier as createSpiffeVerifier } from "../../examples/spiffe/src/verifier.ts";
import { buildTokenSecret, encodeToken, generateToken } from "../../src/api/bootstrap/index.ts";
import { type CertificateSigningRequest, findCondition, isIssued } from "../../src/api/certificates/index.ts";
import { CAPI_MACHINES_V1BETA2 } from "../../src/api/foreign/machine.ts";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, CSRS, SECRETS } from "../../src/api/meta/index.ts";
import { CHALLENGE_ANNOTATION, type FinishedRequest } from "../../src/attestation/evidence/index.ts";
import { createSdkProvider } from "../../src/attestation/sdk/node.ts";
import { createSdkVerifier } from "../../src/attestation/sdk/verifier.ts";
import { encodeBase64, encodeHex } from "../../src/kernel/bytes/index.ts";
import { sha256 } from "../../src/kernel/crypto/index.ts";
import { encodePem, parsePem } from "../../src/kernel/pem/index.ts";
import { parseCertificate, subjectAltNameExtension } from "../../src/kernel/x509/index.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { generatePrivateKey, randomBytes } from "../../src/platform/keys/index.ts";
import { createKubeClient, type KubeClient } from "../../src/platform/kube/index.ts";
import { aLeaf, aRoot } from "../builders/x509.ts";
import {
  applyRights,
  controllerIdentity,
  ensureKubeadmObjects,
  eventually,
  type Plane,
  type RunningController,
  startController,
} from "./controller-stage.ts";
import { defineKinds } from "./definitions.ts";
import { startEmbeddedPlane } from "./embedded-plane.ts";

type Csr = CertificateSigningRequest;
const NAMES = ["machine-key", "spiffe", "instance-identity"] as const;
const signerOf = (name: string) => `cluster.x-k8s.io/kube-apiserver-client-kubelet-${name}`;
const nodeOf = (name: string) => `${name}-1`;
const HOUR_MS = 3_600_000;

interface Example {
  readonly verifier: Verifier;
  readonly provider: NodeProvider;
  /** Without what makes the machine the machine. */
  readonly stranger: NodeProvider;
  readonly refusal: string;
}

const folder = mkdtempSync(join(tmpdir(), "countersign-examples-"));
const put = (name: string, content: string) => {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
};

function machineKey(): Example {
  const [own, foreign] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")];
  const key = own.publicKey.export({ type: "spki", format: "pem" });
  const enrolledFile = put("enrolled.json", JSON.stringify({ rack: { key, names: [] } }));
  const provider = (name: string, { privateKey }: typeof own) =>
    createKeyProvider({
      machine: "rack",
      keyFile: put(name, privateKey.export({ type: "pkcs8", format: "pem" }).toString()),
    });
  const ends = { provider: provider("own-machine.pem", own), stranger: provider("foreign-machine.pem", foreign) };
  return { verifier: createKeyVerifier({ enrolledFile }), ...ends, refusal: "SignatureInvalid" };
}

function spiffe(): Example {
  const span = { notBeforeMs: Date.now() - HOUR_MS, notAfterMs: Date.now() + HOUR_MS };
  const provider = (name: string, authority: ReturnType<typeof aRoot>) => {
    const uris = [`spiffe://example.org/node/${nodeOf("spiffe")}`];
    const { certificate, key } = aLeaf(authority, { ...span, extensions: [subjectAltNameExtension({ uris })] });
    const svidFile = put(`${name}.pem`, encodePem("CERTIFICATE", certificate.raw));
    return createSpiffeProvider({ svidFile, keyFile: put(`${name}.key`, key.encodePem()) });
  };
  const [own, foreign] = [aRoot(span), aRoot(span)];
  const bundleFile = put("bundle.pem", encodePem("CERTIFICATE", own.certificate.raw));
  const ends = { provider: provider("own", own), stranger: provider("foreign", foreign) };
  return {
    verifier: createSpiffeVerifier({ trustDomain: "example.org", bundleFile }),
    ...ends,
    refusal: "SvidUntrusted",
  };
}

const servers: MetadataServer[] = [];
async function instanceIdentity(): Promise<Example> {
  const platform = aPlatform();
  const provider = async (from: ReturnType<typeof aPlatform>) => {
    const server = await startMetadataServer({ platform: from, instanceId: "i-1" });
    servers.push(server);
    return createInstanceProvider({ metadataUrl: server.url });
  };
  const settings = { keysFile: put("keys.json", platform.keysFile), accounts: ["1234"], regions: ["north-1"] };
  const ends = { provider: await provider(platform), stranger: await provider(aPlatform()) };
  return { verifier: createInstanceVerifier(settings), ...ends, refusal: "DocumentInvalid" };
}

/** Who installs providers also lets the controller decide about their signers. */
async function allowSigners({ admin }: Plane): Promise<void> {
  const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "countersign:installed-providers" } };
  const resourceNames = NAMES.map(signerOf);
  const rules = [
    { apiGroups: ["certificates.k8s.io"], resources: ["signers"], resourceNames, verbs: ["approve", "sign"] },
  ];
  await admin.create(CLUSTER_ROLES, { ...rbac, kind: "ClusterRole", rules } as never);
  const name = "system:serviceaccount:countersign-system:node-attestation-controller";
  await admin.create(CLUSTER_ROLE_BINDINGS, {
    ...rbac,
    kind: "ClusterRoleBinding",
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: rbac.metadata.name },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name }],
  } as never);
}

describe("the example providers on the embedded API server", () => {
  let plane: Plane;
  let controller: RunningController;
  let joining: KubeClient;
  let cluster: string;
  const examples = new Map<string, Example>();
  const clients: KubeClient[] = [];

  beforeAll(async () => {
    plane = await startEmbeddedPlane();
    await defineKinds(plane);
    await applyRights(plane.admin);
    await allowSigners(plane);
    await ensureKubeadmObjects(plane.admin, plane.url);
    for (const [name, example] of Object.entries({
      "machine-key": machineKey(),
      spiffe: spiffe(),
      "instance-identity": await instanceIdentity(),
    })) {
      examples.set(name, example);
      await createMachine(name, example.provider);
    }
    const connect = (credentials: Parameters<typeof createKubeClient>[0]["credentials"]) => {
      const client = createKubeClient({ server: plane.url, caPem: plane.caPem, credentials });
      clients.push(client);
      return client;
    };
    const verifiers = [...examples.values()].map(({ verifier }) => createSdkVerifier(verifier));
    const identity = controllerIdentity(plane);
    const options = { signers: NAMES.map(signerOf), attestation: { verifiers } };
    controller = await startController(
      plane,
      connect(() => identity),
      options,
    );
    const token = generateToken(randomBytes);
    await plane.admin.create(SECRETS, buildTokenSecret(token, { nowMs: Date.now(), ttlMs: HOUR_MS }));
    joining = connect(() => ({ token: encodeToken(token) }));
    const [ca] = parsePem(plane.caPem);
    cluster = `sha256:${encodeHex(sha256(parseCertificate(ca?.bytes ?? new Uint8Array()).publicKey.spki))}`;
  });
  afterAll(async () => {
    await controller?.stop();
    await Promise.all([...clients.map((client) => client.close()), ...servers.map((server) => server.close())]);
    await plane?.stop();
    rmSync(folder, { recursive: true });
  });

  async function createMachine(name: string, provider: NodeProvider): Promise<void> {
    const node = nodeOf(name);
    const providerID = await provider.providerId({ nodeName: node, signal: new AbortController().signal });
    const metadata = { name: node, namespace: "default" };
    const spec = { clusterName: "one", providerID, bootstrap: { dataSecretName: "s" } };
    const machine = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", metadata, spec };
    await plane.admin.create(CAPI_MACHINES_V1BETA2, machine as never);
  }

  const send = ({ name, request, signerName, usages }: FinishedRequest) =>
    joining.create<Csr>(CSRS, {
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name },
      spec: { request: encodeBase64(request), signerName, usages: [...usages] },
    } as Csr);

  const until = (csr: Csr, what: string, holds: (seen: Csr) => boolean) =>
    eventually(
      `${csr.metadata.name} to be ${what}`,
      () => plane.admin.get<Csr>(CSRS, { name: csr.metadata.name ?? "" }),
      holds,
    );

  /** The machine's part of an exchange, as the plugin plays it. */
  async function ask(name: string, provider: NodeProvider): Promise<Csr> {
    const options = { clock: systemClock, signal: new AbortController().signal };
    const node = nodeOf(name);
    const providerId = await provider.providerId({ nodeName: node, signal: options.signal });
    const offered = [`${name}/1`];
    const claimed = {
      intent: "join",
      purpose: "client",
      signer: signerOf(name),
      node,
      providerId,
      cluster,
      offered,
    } as const;
    const input = {
      statement: claimed,
      protocol: { provider: name, version: 1 },
      key: generatePrivateKey("P-256").signer,
    };
    const adapted = createSdkProvider(provider);
    if (adapted.kind === "single") return await send(await (await adapted.open(options)).single(input));
    const prover = await adapted.open(options);
    const hello = await prover.hello(input);
    const sent = await send(hello);
    const challenged = await until(
      sent,
      "challenged",
      ({ metadata }) => CHALLENGE_ANNOTATION in (metadata.annotations ?? {}),
    );
    const annotation = challenged.metadata.annotations?.[CHALLENGE_ANNOTATION] ?? "";
    const seen = { name: hello.name, uid: sent.metadata.uid ?? "", request: hello.request, annotation };
    return await send(await prover.proof(input, seen));
  }

  const exampleOf = (name: string) => examples.get(name) ?? expect.fail(`no example ${name}`);

  it.each(NAMES)("%s refuses a machine that cannot prove it", async (name) => {
    const { stranger, refusal } = exampleOf(name);
    const csr = await until(await ask(name, stranger), "denied", (seen) => findCondition(seen, "Denied") !== undefined);
    expect(findCondition(csr, "Denied")).toMatchObject({ reason: refusal });
  });

  it.each(NAMES)("%s joins", async (name) => {
    const csr = await until(await ask(name, exampleOf(name).provider), "issued", isIssued);
    expect(findCondition(csr, "Approved")).toMatchObject({ reason: "Attested" });
    const [block] = parsePem(Buffer.from(csr.status?.certificate ?? "", "base64").toString("utf8"));
    const certificate = parseCertificate(block?.bytes ?? new Uint8Array());
    expect(certificate.subject.commonName).toBe(`system:node:${nodeOf(name)}`);
  });
});
