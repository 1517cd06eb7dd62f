// What platform/kube promises on every server it may meet: run on the embedded API server in each test run, and on a
// real kube-apiserver in the upstream tier. Where the two answered differently, this suite would say so.

import { afterAll, beforeAll, describe } from "vitest";
import { NAMESPACES } from "../../src/api/meta/index.ts";
import { type Connection, createKubeClient, type KubeClient } from "../../src/platform/kube/index.ts";
import { startTcpProxy, type TcpProxy } from "../fakes/tcp-proxy.ts";
import { informerCases } from "./kube-client/informer.ts";
import { refusalCases } from "./kube-client/refusals.ts";
import { verbCases } from "./kube-client/verbs.ts";
import { watchCases } from "./kube-client/watches.ts";

export interface KubeServer {
  /** As somebody who may do everything. */
  readonly admin: Connection;
  /** A resourceVersion from which the server can no longer tell the changes of Nodes. */
  tooOldResourceVersion(): Promise<string>;
  close(): Promise<void>;
}

/** What the cases use; filled before the first one runs. */
export interface Stage {
  readonly admin: KubeClient;
  readonly anonymous: KubeClient;
  /** With a token that nobody issued. */
  readonly impostor: KubeClient;
  /** As the administrator, over a wire that can be cut. */
  readonly remote: KubeClient;
  readonly wire: TcpProxy;
  /** A namespace of this run's own. */
  readonly namespace: string;
  readonly server: KubeServer;
}

export function kubeClientContract(name: string, start: () => Promise<KubeServer>): void {
  describe(`kube client on ${name}`, () => {
    let stage: Stage | undefined;
    beforeAll(async () => {
      stage = await setStage(await start());
    });
    afterAll(async () => {
      if (stage === undefined) return;
      const { admin, anonymous, impostor, remote, wire, server } = stage;
      await Promise.all([admin, anonymous, impostor, remote].map((client) => client.close()));
      await wire.close();
      await server.close();
    });
    const onStage = (): Stage => {
      if (stage === undefined) throw new Error("the server has not started");
      return stage;
    };
    verbCases(onStage);
    refusalCases(onStage);
    watchCases(onStage);
    informerCases(onStage);
  });
}

async function setStage(server: KubeServer): Promise<Stage> {
  const wire = await startTcpProxy(server.admin.server);
  const admin = createKubeClient(server.admin);
  const namespace = `contract-${process.pid}-${Date.now()}`;
  await admin.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  return {
    admin,
    anonymous: createKubeClient({ ...server.admin, credentials: () => ({}) }),
    impostor: createKubeClient({ ...server.admin, credentials: () => ({ token: "000000.0000000000000000" }) }),
    remote: createKubeClient({ ...server.admin, server: wire.url }),
    wire,
    namespace,
    server,
  };
}
