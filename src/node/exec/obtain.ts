// The plugin's slow way: a first certificate with the bootstrap kubeconfig, or the next one with the present certificate.
// Loaded only when needed, because a client, a YAML parser and X.509 cost more than everything else the plugin does.

import { NODE_USER_PREFIX } from "../../api/certificates/index.ts";
import type { ExecInfo } from "../../api/clientauth/index.ts";
import { parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { type Connection, createKubeClient, loadKubeconfigConnection } from "../../platform/kube/index.ts";
import type { CertificatePair } from "../../platform/pair/index.ts";
import {
  type CertificatePlan,
  createCertificateStore,
  obtainCertificate,
  parseCertificates,
} from "../certificates/index.ts";
import { parseNodeName } from "../join/node-name.ts";
import type { Authenticator } from "./authenticators.ts";
import type { ExecEdge } from "./edge.ts";
import type { ExecFlags } from "./flags.ts";

export interface ExecNeed {
  readonly authenticator: Authenticator;
  readonly flags: ExecFlags;
  readonly info: ExecInfo;
  readonly edge: ExecEdge;
  readonly present: CertificatePair | undefined;
  readonly plan: CertificatePlan;
  readonly isGood: (pair: CertificatePair) => boolean;
}

export async function obtainForExec(need: ExecNeed): Promise<CertificatePair> {
  const { authenticator, flags, edge } = need;
  const clock = { ...systemClock, now: edge.now };
  const nodeName = parseNodeName(flags.nodeName);
  const connection = await chooseConnection(need);
  if (connection.caPem === undefined) throw new Fault("bad-config", "the kubeconfig names no CA for the cluster");
  const client = createKubeClient(connection);
  const say = (message: string) => edge.stderr(`${authenticator.program}: ${message}\n`);
  try {
    return await obtainCertificate({
      store: createCertificateStore({ directory: flags.certDirectory, clock, onNotice: say }),
      client,
      nodeName,
      signerName: flags.signerName,
      provider: await authenticator.loadProvider(),
      roots: parseCertificates(connection.caPem),
      isGood: (pair) => pair.commonName === `${NODE_USER_PREFIX}${nodeName}` && need.isGood(pair),
      onRefusal: "keep-key",
      clock,
      signal: edge.signal,
      limitMs: flags.timeoutMs,
      onRequested: (name, reused) => say(`${reused ? "found" : "created"} request ${name}`),
    });
  } finally {
    await client.close();
  }
}

async function chooseConnection(need: ExecNeed): Promise<Connection> {
  const { flags, present, plan, info } = need;
  if (plan.kind === "renew" && present !== undefined) {
    const { certificatePem: certPem, keyPem } = present;
    return { ...(await findCluster(flags, info)), credentials: () => ({ certPem, keyPem }) };
  }
  if (flags.bootstrapKubeconfig !== undefined) return loadKubeconfigConnection(flags.bootstrapKubeconfig);
  const why = plan.kind === "bootstrap" && plan.why === "expired" ? "has expired" : "is missing";
  throw new Fault(
    "bad-config",
    `the certificate of node ${flags.nodeName} in ${flags.certDirectory} ${why} and there is no --bootstrap-kubeconfig; ` +
      "join again with a live token: countersign node join",
  );
}

async function findCluster(
  { bootstrapKubeconfig }: ExecFlags,
  { cluster }: ExecInfo,
): Promise<Omit<Connection, "credentials">> {
  const caData = cluster?.["certificate-authority-data"];
  if (cluster !== undefined && caData !== undefined) {
    return { server: cluster.server, caPem: parseUtf8(parseBase64(caData)), tlsServerName: cluster["tls-server-name"] };
  }
  if (bootstrapKubeconfig !== undefined) return loadKubeconfigConnection(bootstrapKubeconfig);
  throw new Fault("bad-config", "a renewal needs the cluster's address: set provideClusterInfo: true in the exec user");
}
