// A cluster that a node can join, without a controller: the embedded API server, cluster-info signed for one token, and
// a clerk who decides on requests as a test tells him to, right or wrong.

import type { CertificateSigningRequest } from "../../src/api/certificates/index.ts";
import type { ConfigMap } from "../../src/api/core/index.ts";
import { CONFIG_MAPS, CSRS } from "../../src/api/meta/index.ts";
import { signDetachedHs256 } from "../../src/kernel/jose/index.ts";
import { clusterObjects } from "../../src/plane/kubeadm-objects.ts";
import { ensureObjects } from "../../src/plane/wanted-objects.ts";
import type { KubeClient } from "../../src/platform/kube/index.ts";
import { connectAdmin, startTestApiServer, type TestApiServer, type TestApiServerOptions } from "./api-server.ts";
import { carryOut, type Decision, runClerk } from "./clerk.ts";

export type { Decision } from "./clerk.ts";

export interface JoinableCluster {
  readonly api: TestApiServer;
  readonly admin: KubeClient;
  readonly token: string;
  /** Asked once for every new request; signs everything unless told otherwise. */
  decide(decision: (csr: CertificateSigningRequest) => Decision): void;
  listRequests(): Promise<readonly CertificateSigningRequest[]>;
  /** Approves and signs a request that was left alone. */
  sign(name: string): Promise<void>;
  close(): Promise<void>;
}

export async function startJoinableCluster(
  options: Pick<TestApiServerOptions, "servingCa"> = {},
): Promise<JoinableCluster> {
  const api = await startTestApiServer(options);
  const admin = connectAdmin(api);
  const token = await api.createBootstrapToken();
  await ensureObjects(admin, clusterObjects({ server: api.url, caPem: api.caPem }), { isFirstStart: true });
  await signClusterInfo(admin, token);
  const stop = new AbortController();
  let decide: (csr: CertificateSigningRequest) => Decision = () => ({ kind: "sign" });
  const work = runClerk({ ca: api, admin, signal: stop.signal, decide: (csr) => decide(csr) });
  return {
    api,
    admin,
    token,
    decide: (next) => {
      decide = next;
    },
    listRequests: async () => (await admin.list<CertificateSigningRequest>(CSRS)).items,
    sign: async (name) => {
      const csr = await admin.get<CertificateSigningRequest>(CSRS, { name });
      await carryOut({ ca: api, admin }, csr, { kind: "sign" });
    },
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
