// The whole product in one process: storage, API server and controller, each talking to the next over HTTPS exactly as
// they would between machines.

import { join, resolve } from "node:path";
import { encodeKubeconfig } from "../../api/kubeconfig/index.ts";
import { openLmdbStorage, type RequestLine, startApiServer } from "../../apiserver/index.ts";
import { createController } from "../../controller/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { atomicWriteFile, ensureDirectory } from "../../platform/files/index.ts";
import { randomBytes } from "../../platform/keys/index.ts";
import { createKubeClient, type KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";
import { createCleanup } from "./cleanup.ts";
import { CONTROLLER_USER, loadControllerRights } from "./controller-rights.ts";
import { clusterObjects, ensureObjects } from "./objects.ts";
import { loadOrCreatePki, type Pair, type Pki } from "./pki.ts";

export interface PlaneOptions {
  readonly directory: string;
  readonly host: string;
  readonly port: number;
  readonly kubeconfigOut: string;
  /** The insecure attestor proves nothing; it is served only where somebody asked for it. */
  readonly allowInsecure: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Plane {
  readonly url: string;
  readonly caPem: string;
  readonly kubeconfigPath: string;
  /** The signers whose requests the controller judges. */
  readonly signers: readonly string[];
  /** As the administrator. */
  readonly client: KubeClient;
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

async function bringUp(options: PlaneOptions, cleanup: ReturnType<typeof createCleanup>): Promise<Plane> {
  const { clock, log } = options;
  const directory = resolve(options.directory);
  await ensureDirectory(directory, 0o700);
  const storage = await openLmdbStorage({ directory: join(directory, "data") });
  cleanup.add(() => storage.close());
  const pki = await loadOrCreatePki({ directory: join(directory, "pki"), nowMs: clock.now(), hosts: [options.host] });
  const server = await startApiServer({
    storage,
    clock,
    host: options.host,
    port: options.port,
    servingCertificate: pki.serving,
    clientCaPem: pki.ca.certPem,
    log: (line) => logRequest(log, line),
  });
  cleanup.add(() => server.close());
  const cluster = { server: server.url, caPem: pki.ca.certPem };
  const admin = pki.issueClient({ name: "countersign-admin", groups: ["system:masters"] });
  const client = connect(cluster, admin);
  cleanup.add(() => client.close());
  await ensureObjects(client, [...clusterObjects(cluster), ...(await loadControllerRights())]);
  const signers = await startController(options, { cluster, pki, cleanup });
  const kubeconfigPath = resolve(options.kubeconfigOut);
  await atomicWriteFile(kubeconfigPath, adminKubeconfig(cluster, admin), { mode: 0o600 });
  return { url: server.url, caPem: cluster.caPem, kubeconfigPath, signers, client, close: cleanup.run };
}

interface Cluster {
  readonly server: string;
  readonly caPem: string;
}

interface Parts {
  readonly cluster: Cluster;
  readonly pki: Pki;
  readonly cleanup: ReturnType<typeof createCleanup>;
}

async function startController(options: PlaneOptions, { cluster, pki, cleanup }: Parts): Promise<readonly string[]> {
  const client = connect(cluster, pki.issueClient({ name: CONTROLLER_USER, groups: [] }));
  cleanup.add(() => client.close());
  const controller = createController({
    client,
    ca: pki.ca,
    clock: options.clock,
    random: randomBytes,
    log: options.log,
    identity: "embedded",
    allowInsecure: options.allowInsecure,
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  cleanup.add(async () => {
    stop.abort();
    await running;
  });
  await Promise.race([controller.waitUntilReady(), running]);
  return controller.signers;
}

function logRequest(log: Log, { problem, ...line }: RequestLine): void {
  if (problem === undefined) log.debug("request", { ...line });
  else log.error("request failed", { ...line, problem });
}

function connect({ server, caPem }: Cluster, pair: Pair): KubeClient {
  return createKubeClient({ server, caPem, credentials: () => pair });
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
