// The plugin's slow way: a first certificate with the bootstrap kubeconfig, or the next one with the present
// certificate. Loaded only when needed, because a client, a YAML parser and X.509 cost more than everything else the
// plugin does.

import type { ExecInfo } from "../../api/clientauth/index.ts";
import { parseRecipient } from "../../attestation/evidence/index.ts";
import { parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { loadText } from "../../platform/files/index.ts";
import { loadSystemRoots } from "../../platform/http/index.ts";
import { createKubeClient, type LoadedConnection, loadKubeconfigConnection } from "../../platform/kube/index.ts";
import { type CertificatePair, openPair, type StoredPair } from "../../platform/pair/index.ts";
import {
  type CertificatePlan,
  createCertificateStore,
  evidenceClusterOf,
  nodeRootsOf,
  obtainCertificate,
} from "../certificates/index.ts";
import { addressOf } from "../join/kubeconfigs.ts";
import { parseNodeName } from "../join/options.ts";
import { type Authenticator, SEAL_KEY_FLAG } from "./authenticators.ts";
import type { ExecEdge } from "./edge.ts";
import type { ExecFlags } from "./flags.ts";
import { RENEWAL_WAIT_MS } from "./plan.ts";

export interface ExecNeed {
  readonly authenticator: Authenticator;
  readonly flags: ExecFlags;
  readonly info: ExecInfo;
  readonly edge: ExecEdge;
  readonly present: StoredPair | undefined;
  readonly plan: CertificatePlan;
  /** Is what the directory holds now this node's, and not due? Another process may have been faster. */
  readonly isGood: () => boolean;
}

export async function obtainForExec(need: ExecNeed): Promise<CertificatePair> {
  const { flags, present, plan } = need;
  if (plan.kind !== "renew" || present === undefined) return await bootstrap(need);
  try {
    return await renew(need, present);
  } catch (error) {
    // The server does not know this certificate any more, and its end is not worth waiting for.
    if (!isFault(error, "unauthorized") || flags.bootstrapKubeconfig === undefined) throw error;
    say(need, `the API server refuses the present certificate; starting over with ${flags.bootstrapKubeconfig}`);
    return await bootstrap(need);
  }
}

async function renew(need: ExecNeed, present: StoredPair): Promise<CertificatePair> {
  const cluster = await findCluster(need);
  // A sealed key is opened before the exchange begins: some TPMs serve one client at a time.
  const { keySeal } = await need.authenticator.loadProvider(need.flags.own);
  const { certificatePem: certPem, keyPem } = await openPair(present, keySeal);
  const limitMs = Math.min(need.flags.timeoutMs, need.authenticator.renewalWaitMs ?? RENEWAL_WAIT_MS);
  const connection = { ...cluster, credentials: () => ({ certPem, keyPem }) };
  return await ask(need, { connection, intent: "renew", limitMs });
}

async function bootstrap(need: ExecNeed): Promise<CertificatePair> {
  const { flags } = need;
  const path = flags.bootstrapKubeconfig;
  if (path === undefined) throw nothingToAskWith(need);
  try {
    const connection = await loadKubeconfigConnection(path, { env: need.edge.env });
    return await ask(need, { connection, intent: "join", limitMs: flags.timeoutMs });
  } catch (cause) {
    if (!isFault(cause, "unauthorized")) throw cause;
    throw new Fault(
      "unauthorized",
      `the API server refuses the credential of ${path}: its token has expired or was deleted; make a live one with ` +
        "`countersign token create` on a control-plane machine and put it there",
      { cause },
    );
  }
}

interface Asking {
  readonly connection: LoadedConnection;
  readonly intent: "join" | "renew";
  readonly limitMs: number;
}

async function ask(need: ExecNeed, { connection, intent, limitMs }: Asking): Promise<CertificatePair> {
  const { authenticator, flags, edge } = need;
  const clock = { ...systemClock, now: edge.now };
  const nodeName = parseNodeName(flags.nodeName);
  const provider = await authenticator.loadProvider(flags.own);
  const client = createKubeClient(connection);
  try {
    return await obtainCertificate({
      store: createCertificateStore({
        directory: flags.certDirectory,
        clock,
        keySeal: provider.keySeal,
        sealKeys: flags.own.has(SEAL_KEY_FLAG) ? true : undefined,
        onNotice: (message) => say(need, message),
      }),
      client,
      nodeName,
      signerName: flags.signerName,
      provider,
      providerId: flags.providerId,
      evidenceCluster: flags.evidenceCluster ?? (connection.usesSystemRoots ? "" : evidenceClusterOf(connection.caPem)),
      recipient: flags.evidenceRecipient === undefined ? undefined : parseRecipient(flags.evidenceRecipient),
      intent,
      roots: nodeRootsOf(addressOf(connection), await clientCaOf(flags)),
      isGood: need.isGood,
      onRefusal: "keep-key",
      clock,
      signal: edge.signal,
      limitMs,
      onRequested: (name, reused) => say(need, `${reused ? "found" : "created"} request ${name}`),
      onState: (state) => {
        if (state.kind === "pending") say(need, `waiting: ${state.why}`, 4);
      },
    });
  } finally {
    await client.close();
  }
}

async function clientCaOf({ clientCaFile }: ExecFlags): Promise<string | undefined> {
  return clientCaFile === undefined ? undefined : await loadText(clientCaFile);
}

function say({ authenticator, flags, edge }: ExecNeed, message: string, fromVerbosity = 2): void {
  if (flags.verbosity >= fromVerbosity) edge.stderr(`${authenticator.program}: ${message}\n`);
}

function nothingToAskWith({ flags, plan }: ExecNeed): Fault {
  const why = plan.kind === "bootstrap" && plan.why === "expired" ? "has expired" : "is missing";
  return new Fault(
    "bad-config",
    `the certificate of node ${flags.nodeName} in ${flags.certDirectory} ${why} and there is no --bootstrap-kubeconfig; ` +
      "join again with a live token: countersign node join",
  );
}

async function findCluster({
  flags: { bootstrapKubeconfig },
  info: { cluster },
  edge: { env },
}: ExecNeed): Promise<Omit<LoadedConnection, "credentials">> {
  if (cluster !== undefined) {
    const { server, "tls-server-name": tlsServerName, "proxy-url": proxyUrl } = cluster;
    const caData = cluster["certificate-authority-data"] ?? "";
    const usesSystemRoots = caData === "";
    const caPem = usesSystemRoots ? await loadSystemRoots(env) : parseUtf8(parseBase64(caData));
    return { server, caPem, usesSystemRoots, tlsServerName, proxyUrl, env };
  }
  if (bootstrapKubeconfig !== undefined) return loadKubeconfigConnection(bootstrapKubeconfig, { env });
  throw new Fault("bad-config", "a renewal needs the cluster's address: set provideClusterInfo: true in the exec user");
}
