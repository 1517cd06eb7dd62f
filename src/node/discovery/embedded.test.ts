// Our discovery client against our API server, without a fake between them that could hide a difference.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type JoinableCluster, startJoinableCluster } from "../../../test/fakes/joinable-cluster.ts";
import type { ConfigMap } from "../../api/core/index.ts";
import { CONFIG_MAPS } from "../../api/meta/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { discover } from "./discover.ts";
import { parseDiscoveryMethod } from "./method.ts";

describe("our client on our API server", () => {
  let cluster: JoinableCluster;
  beforeAll(async () => {
    cluster = await startJoinableCluster();
  });
  afterAll(() => cluster.close());

  const find = (token: string, limitMs = 10_000) =>
    discover(parseDiscoveryMethod({ token, address: cluster.api.url }), { clock: systemClock, env: {}, limitMs });

  it("discovers as kubeadm does", async () => {
    expect(await find(cluster.token)).toMatchObject({ server: cluster.api.url });
  });

  it("discovers by the JWT and the signed answer, where no signature is in the ConfigMap", async () => {
    const target = { namespace: "kube-public", name: "cluster-info" };
    const { data } = await cluster.admin.get<ConfigMap>(CONFIG_MAPS, target);
    const signatures = Object.keys(data ?? {}).filter((key) => key.startsWith("jws-"));
    const removed = Object.fromEntries(signatures.map((key) => [key, null]));
    await cluster.admin.patch(CONFIG_MAPS, target, { data: removed });
    expect(await find(cluster.token)).toMatchObject({ server: cluster.api.url });
    const unknown = `ffffff.${"0".repeat(16)}`;
    await expect(find(unknown, 0)).rejects.toThrow("no signature of token ffffff yet");
  });
});
