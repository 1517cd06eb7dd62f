// The whole product in one process: storage, API server and controller, each talking to the next over HTTPS exactly as
// they would between machines.

import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { encodeKubeconfig } from "../api/kubeconfig/index.ts";
import { NAMESPACES } from "../api/meta/index.ts";
import {
  type ApiServer,
  type ApiServerOptions,
  type AuditLogFile,
  openLmdbStorage,
  type RequestLine,
  type Storage,
  startApiServer,
} from "../apiserver/index.ts";
import type { SdkVerifier } from "../attestation/index.ts";
import { encodeBase64, encodeUtf8 } from "../kernel/bytes/index.ts";
import { Fault } from "../kernel/outcome/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import { atomicWriteFile, ensureDirectory, requirePrivate } from "../platform/files/index.ts";
import { randomBytes } from "../platform/keys/index.ts";
import { createKubeClient, type KubeClient } from "../platform/kube/index.ts";
import type { Log } from "../platform/report/index.ts";
import { untilAborted } from "../platform/signals/index.ts";
import { followClientCa } from "./client-ca.ts";
import { clusterObjects } from "./kubeadm-objects.ts";
import { loadOwnDefinitions } from "./manifests.ts";
import { loadOrCreatePki, type Pair, type Pki } from "./pki.ts";
import { CONTROLLER_USER, loadControllerRights, providerRights } from "./rights.ts";
import { serviceObjects } from "./service-objects.ts";
import { ensureObjects } from "./wanted-objects.ts";

export interface PlaneOptions {
  readonly directory: string;
  readonly host: string;
  readonly port: number;
  readonly kubeconfigOut: string;
  /** Serve the signers of the insecure provider, which proves nothing. */
  readonly allowInsecure: boolean;
  /** Verifiers of installed attestation providers; their signers are served. */
  readonly verifiers?: readonly SdkVerifier[] | undefined;
  /** Start the API server and its storage only: another process judges and signs. */
  readonly withoutController?: boolean | undefined;
  /** Ends the wait for a controller that is still starting. */
  readonly stop?: AbortSignal | undefined;
  /** How the API server behaves; its defaults when left out. */
  readonly server?: ServerChoices;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ServerChoices {
  /** CA bundles beside the cluster's own: path -> content. The files are followed. */
  readonly clientCaBundles: ReadonlyMap<string, string>;
  readonly options: Pick<
    ApiServerOptions,
    | "tokenFile"
    | "anonymousPaths"
    | "audit"
    | "limits"
    | "shutdownDelayMs"
    | "advertiseAddress"
    | "connectionsPerAddress"
  >;
  readonly issuer: string;
  readonly auditLog: AuditLogFile | undefined;
  readonly kubelet: Readonly<Record<string, unknown>> | undefined;
}

export interface Plane {
  readonly url: string;
  readonly caPem: string;
  readonly kubeconfigPath: string;
  /** The signers whose requests the controller judges. */
  readonly signers: readonly string[];
  /** Of the administrator. */
  readonly client: KubeClient;
  /** Rejects when the controller ends before `close`: a server without its controller must not look alive. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

export async function startPlane(options: PlaneOptions): Promise<Plane> {
  const cleanup = createCleanup();
  try {
    return await bringUp(options, cleanup);
  } catch (failure) {
    await cleanup.run();
    throw failure;
  }
}

async function bringUp(options: PlaneOptions, cleanup: Cleanup): Promise<Plane> {
  const { clock } = options;
  const directory = resolve(options.directory);
  await ensureDirectory(directory, 0o700);
  await requirePrivate(directory);
  const storage = await openLmdbStorage({ directory: join(directory, "data") });
  cleanup.add(() => storage.close());
  const pki = await loadOrCreatePki({ directory: join(directory, "pki"), nowMs: clock.now(), hosts: [options.host] });
  const isFirstStart = !(await readdir(directory)).includes(BEGAN);
  requireMemory(directory, storage, isFirstStart);
  const server = await startServer(options, { storage, pki, cleanup });
  const cluster = { server: server.url, caPem: pki.ca.certPem };
  const admin = pki.issueClient({ name: "countersign-admin", groups: ["system:masters"] });
  const client = connect(cluster, admin);
  cleanup.add(() => client.close());
  const wanted = [
    ...clusterObjects({ ...cluster, clusterId: await clusterIdOf(client), kubelet: options.server?.kubelet }),
    ...serviceObjects(cluster),
    ...(await loadControllerRights()),
    ...providerRights(options.verifiers ?? []),
    ...(await loadOwnDefinitions()),
  ];
  await ensureObjects(client, wanted, { isFirstStart });
  await atomicWriteFile(join(directory, BEGAN), "this cluster has objects; see data/\n", { mode: 0o600 });
  const { signers, failed } =
    options.withoutController === true ? NO_CONTROLLER : await startController(options, { cluster, pki, cleanup });
  const kubeconfigPath = resolve(options.kubeconfigOut);
  await atomicWriteFile(kubeconfigPath, adminKubeconfig(cluster, admin), { mode: 0o600 });
  return { url: server.url, caPem: cluster.caPem, kubeconfigPath, signers, client, failed, close: cleanup.run };
}

/** The uid of kube-system, which other tools take for the cluster's identity too. */
async function clusterIdOf(client: KubeClient): Promise<string | undefined> {
  return (await client.get(NAMESPACES, { name: "kube-system" })).metadata.uid;
}

/** Written once the first objects are stored. */
const BEGAN = "began";

/** Certificates outlive lost objects: without the objects, a held node name would be given to a second machine. */
function requireMemory(directory: string, storage: Storage, isFirstStart: boolean): void {
  if (isFirstStart || storage.list({ prefix: "/", limit: 1 }).items.length > 0) return;
  throw new Fault(
    "bad-config",
    `${directory} holds the keys of a cluster but none of its objects; restore data/, or remove the directory to begin anew`,
  );
}

interface Ground {
  readonly storage: Storage;
  readonly pki: Pki;
  readonly cleanup: Cleanup;
}

async function startServer(options: PlaneOptions, { storage, pki, cleanup }: Ground): Promise<ApiServer> {
  const { clock, log, server: choices } = options;
  // Closed after the server: its last lines are about the shutdown.
  if (choices?.auditLog !== undefined) cleanup.add(choices.auditLog.close);
  const bundles = choices?.clientCaBundles ?? new Map<string, string>();
  const server = await startApiServer({
    storage,
    clock,
    host: options.host,
    port: options.port,
    servingCertificate: pki.serving,
    clientCaPem: [pki.ca.certPem, ...bundles.values()],
    serviceAccounts: {
      signingKeyPem: pki.serviceAccountKeyPem,
      ...(choices === undefined ? {} : { issuer: choices.issuer }),
    },
    controllers: { rootCaPem: pki.ca.certPem },
    guardRequests: true,
    ...choices?.options,
    log: (line) => logRequest(log, line),
    onLoopTrouble: (trouble) => log.warn("a loop will try again", { ...trouble }),
    onRefusedConnection: onceAMinute(clock, (peer) =>
      log.warn("connections are refused: one address has too many (--max-connections-per-address)", { peer }),
    ),
  });
  cleanup.add(() => server.close());
  const use = (now: ReadonlyMap<string, string>) => server.useClientCa([pki.ca.certPem, ...now.values()]);
  cleanup.add(followClientCa(bundles, { clock, log, use }));
  return server;
}

const MINUTE_MS = 60_000;

/** A refused client tries again at once, so that each refusal would be a line. */
function onceAMinute(clock: Clock, tell: (peer: string) => void): (peer: string) => void {
  let nextMs = 0;
  return (peer) => {
    if (clock.now() < nextMs) return;
    nextMs = clock.now() + MINUTE_MS;
    tell(peer);
  };
}

const NO_CONTROLLER: Pick<Plane, "signers" | "failed"> = { signers: [], failed: new Promise<never>(() => undefined) };

interface Cluster {
  readonly server: string;
  readonly caPem: string;
}

interface Parts {
  readonly cluster: Cluster;
  readonly pki: Pki;
  readonly cleanup: Cleanup;
}

async function startController(
  options: PlaneOptions,
  { cluster, pki, cleanup }: Parts,
): Promise<Pick<Plane, "signers" | "failed">> {
  // Loaded late: a plane without a controller starts sooner and is smaller.
  const { createController } = await import("../controller/index.ts");
  const client = connect(cluster, pki.issueClient({ name: CONTROLLER_USER, groups: [] }));
  cleanup.add(() => client.close());
  const controller = createController({
    client,
    ca: pki.ca,
    clock: options.clock,
    random: randomBytes,
    log: options.log,
    replica: "embedded",
    allowInsecure: options.allowInsecure,
    attestation: { hasBuiltInGuard: true, verifiers: options.verifiers },
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  cleanup.add(async () => {
    stop.abort();
    await running;
  });
  const failed = running.then(() => new Promise<never>(() => undefined));
  failed.catch(() => undefined); // reported by `failed` and by `close`
  await Promise.race([controller.waitUntilReady(), failed, ...(options.stop ? [untilAborted(options.stop)] : [])]);
  return { signers: controller.signers, failed };
}

function logRequest(log: Log, { problem, ...line }: RequestLine): void {
  if (problem === undefined) log.debug("request", { ...line });
  else log.error("request failed", { ...line, problem });
}

/** The server is in this process, so no proxy of the environment is used. */
function connect({ server, caPem }: Cluster, pair: Pair): KubeClient {
  return createKubeClient({ server, caPem, credentials: () => pair, env: {} });
}

function adminKubeconfig({ server, caPem }: Cluster, pair: Pair): string {
  const base64 = (text: string) => encodeBase64(encodeUtf8(text));
  return encodeKubeconfig({
    clusters: [{ name: "countersign", cluster: { "certificate-authority-data": base64(caPem), server } }],
    users: [
      {
        name: "admin",
        user: { "client-certificate-data": base64(pair.certPem), "client-key-data": base64(pair.keyPem) },
      },
    ],
    contexts: [{ name: "admin@countersign", context: { cluster: "countersign", user: "admin" } }],
    currentContext: "admin@countersign",
  });
}

interface Cleanup {
  add(end: () => Promise<void>): void;
  run(): Promise<void>;
}

/** Ends what was started in the opposite order, once; after a failure the others are still ended. */
function createCleanup(): Cleanup {
  const ends: (() => Promise<void>)[] = [];
  return {
    add: (end) => void ends.push(end),
    run: async () => {
      const failures: unknown[] = [];
      for (const end of ends.splice(0).reverse()) {
        try {
          await end();
        } catch (failure) {
          failures.push(failure);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
