// What the suite of the controller stands on: a cluster with kubeadm's objects, the controller in it with exactly the
// rights of its manifest, and patience.

import { readFile } from "node:fs/promises";
import { afterAll, beforeAll } from "vitest";
import { parseAllDocuments } from "yaml";
import type { RoleBinding } from "../../src/api/access/index.ts";
import { buildTokenSecret, DEFAULT_TOKEN_GROUP, encodeToken, generateToken } from "../../src/api/bootstrap/index.ts";
import type { ConfigMap } from "../../src/api/core/index.ts";
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  type KubeObject,
  NAMESPACES,
  type Resource,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
} from "../../src/api/meta/index.ts";
import { type ControllerOptions, createController } from "../../src/controller/index.ts";
import { isFault } from "../../src/kernel/outcome/index.ts";
import { encodePem, parsePem } from "../../src/kernel/pem/index.ts";
import {
  EKU_CLIENT_AUTH,
  extKeyUsageExtension,
  parseCertificate,
  signCertificate,
} from "../../src/kernel/x509/index.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { generatePrivateKey, type PrivateKey, parsePrivateKey, randomBytes } from "../../src/platform/keys/index.ts";
import type { Credentials } from "../../src/platform/kube/connection/credentials.ts";
import { createKubeClient, type KubeClient } from "../../src/platform/kube/index.ts";
import { type Log, silentLog } from "../../src/platform/report/index.ts";
import { patient } from "../patience.ts";

/** A cluster to run on. */
export interface Plane {
  readonly url: string;
  /** Trusted by the API server for clients, and by clients for the API server. */
  readonly caPem: string;
  readonly caKeyPem: string;
  /** May do everything. */
  readonly admin: KubeClient;
  stop(): Promise<void>;
}

export interface RunningController {
  readonly lines: readonly Record<string, unknown>[];
  /** Turns the controller's wall clock on or back; what sleeps, sleeps as before. */
  skip(ms: number): void;
  stop(): Promise<void>;
}

export interface StageOptions {
  /** What else the cluster has before the controller starts. */
  readonly prepare?: (plane: Plane) => Promise<void>;
  readonly controller?: Partial<ControllerOptions>;
}

export interface JoiningClient {
  /** Of the bootstrap token; its user is `system:bootstrap:<id>`. */
  readonly tokenId: string;
  readonly token: string;
  readonly client: KubeClient;
}

/** A cluster with a controller in it, from the first test of a suite to the last. */
export interface ControllerStage {
  readonly plane: Plane;
  readonly admin: KubeClient;
  readonly controller: RunningController;
  /** Closed when the suite is over. */
  connect(credentials: Credentials): KubeClient;
  connectWithToken(annotations?: Readonly<Record<string, string>>): Promise<JoiningClient>;
  /** Another replica beside the one that runs; the caller stops it. */
  startReplica(more?: Partial<ControllerOptions>): Promise<RunningController>;
  /** In the place of one that was stopped. */
  startAgain(): Promise<void>;
}

/** To be called inside `describe`. */
export function useControllerStage(startPlane: () => Promise<Plane>, options: StageOptions = {}): ControllerStage {
  let plane: Plane;
  let controller: RunningController;
  const clients: KubeClient[] = [];

  function connect(credentials: Credentials): KubeClient {
    const client = createKubeClient({ server: plane.url, caPem: plane.caPem, credentials: () => credentials });
    clients.push(client);
    return client;
  }
  const startReplica = (more: Partial<ControllerOptions> = {}) =>
    startController(plane, connect(controllerIdentity(plane)), { ...options.controller, ...more });

  beforeAll(async () => {
    plane = await startPlane();
    await options.prepare?.(plane);
    await applyRights(plane.admin);
    await ensureKubeadmObjects(plane.admin, plane.url);
    controller = await startReplica();
  });
  afterAll(async () => {
    await controller?.stop();
    await Promise.all(clients.map((client) => client.close()));
    await plane?.stop();
  });

  return {
    get plane() {
      return plane;
    },
    get admin() {
      return plane.admin;
    },
    get controller() {
      return controller;
    },
    connect,
    connectWithToken: async (annotations = {}) => {
      const token = generateToken(randomBytes);
      const secret = buildTokenSecret(token, { nowMs: Date.now(), ttlMs: 3_600_000 });
      await plane.admin.create(SECRETS, { ...secret, metadata: { ...secret.metadata, annotations } });
      const text = encodeToken(token);
      return { tokenId: token.id, token: text, client: connect({ token: text }) };
    },
    startReplica,
    startAgain: async () => {
      controller = await startReplica();
    },
  };
}

export async function startController(
  plane: Plane,
  client: KubeClient,
  more: Partial<ControllerOptions> = {},
): Promise<RunningController> {
  const lines: Record<string, unknown>[] = [];
  const log: Log = { ...silentLog, info: (said, fields) => lines.push({ said, ...fields }), child: () => log };
  let skippedMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + skippedMs };
  const controller = createController({
    client,
    ca: { certPem: plane.caPem, keyPem: plane.caKeyPem },
    clock,
    random: randomBytes,
    log,
    replica: "contract-suite",
    allowInsecure: true,
    ...more,
  });
  const abort = new AbortController();
  const running = controller.run(abort.signal);
  await controller.waitUntilReady(AbortSignal.timeout(10_000));
  return {
    lines,
    skip: (ms) => {
      skippedMs += ms;
    },
    stop: async () => {
      abort.abort();
      await running;
    },
  };
}

const KINDS: Record<string, Resource> = {
  Namespace: NAMESPACES,
  ClusterRole: CLUSTER_ROLES,
  ClusterRoleBinding: CLUSTER_ROLE_BINDINGS,
  Role: ROLES,
  RoleBinding: ROLE_BINDINGS,
};

/** The rights only; who has them is a client certificate here, under the name of the service account. */
export async function applyRights(admin: KubeClient): Promise<void> {
  const text = await readFile(new URL("../../deploy/controller-rbac.yaml", import.meta.url), "utf8");
  for (const document of parseAllDocuments(text)) {
    const object = document.toJS() as KubeObject;
    const resource = KINDS[object.kind];
    if (resource !== undefined) await createOnce(admin, resource, object);
  }
}

/** Whose requests are approved without anybody looking: kubeadm's choice. */
const AUTO_APPROVED = [
  ["kubeadm:node-autoapprove-bootstrap", "nodeclient", DEFAULT_TOKEN_GROUP],
  ["kubeadm:node-autoapprove-certificate-rotation", "selfnodeclient", "system:nodes"],
] as const;

/** What kubeadm puts into a new cluster, as far as joining needs it: the right to ask, and cluster-info. */
export async function ensureKubeadmObjects(admin: KubeClient, url: string): Promise<void> {
  const binding: RoleBinding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "kubeadm:kubelet-bootstrap" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:node-bootstrapper" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: DEFAULT_TOKEN_GROUP }],
  };
  const clusterInfo: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "kube-public", name: "cluster-info" },
    data: { kubeconfig: `apiVersion: v1\nclusters:\n- cluster:\n    server: ${url}\n  name: ""\nkind: Config\n` },
  };
  await createOnce(admin, CLUSTER_ROLE_BINDINGS, binding);
  for (const [name, role, group] of AUTO_APPROVED) {
    await createOnce(admin, CLUSTER_ROLE_BINDINGS, {
      ...binding,
      metadata: { name },
      roleRef: { ...binding.roleRef, name: `system:certificates.k8s.io:certificatesigningrequests:${role}` },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group }],
    } as RoleBinding);
  }
  await createOnce(admin, CONFIG_MAPS, clusterInfo);
}

async function createOnce(admin: KubeClient, resource: Resource, object: KubeObject): Promise<void> {
  try {
    await admin.create(resource, object);
  } catch (error) {
    if (!isFault(error, "already-exists")) throw error;
  }
}

export function controllerIdentity({ caPem, caKeyPem }: Plane): Credentials {
  const key: PrivateKey = generatePrivateKey("P-256");
  const [ca] = parsePem(caPem);
  const der = signCertificate(
    {
      serialNumber: Uint8Array.of(1, ...randomBytes(15)),
      subject: { commonName: "system:serviceaccount:countersign-system:node-attestation-controller" },
      issuer: parseCertificate(ca?.bytes ?? new Uint8Array()).subject.raw,
      notBeforeMs: Date.now() - 60_000,
      notAfterMs: Date.now() + 3_600_000,
      publicKey: key.signer.publicKey,
      extensions: [extKeyUsageExtension([EKU_CLIENT_AUTH])],
    },
    parsePrivateKey(caKeyPem).signer,
  );
  return { certPem: encodePem("CERTIFICATE", der), keyPem: key.encodePem() };
}

const PATIENCE_MS = patient(15_000);
const PAUSE_MS = 20;

export async function eventually<T>(what: string, look: () => Promise<T>, holds: (seen: T) => boolean): Promise<T> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (Date.now() > until) throw new Error(`waited in vain for ${what}; last seen: ${JSON.stringify(seen)}`);
    await systemClock.sleep(PAUSE_MS);
  }
}
