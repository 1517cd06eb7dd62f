import { describe, expect, it } from "vitest";
import type { NodeIdentity } from "../../api/countersign/index.ts";
import { createMetrics, silentLog } from "../../platform/report/index.ts";
import type { AttestationWorld } from "../judging/exchange/world.ts";
import { createUpkeep } from "./upkeep.ts";

/** A management cluster in which nothing is to be done, with what is told and done of keys and identities. */
function aManagementCluster(
  namespaces: readonly string[],
  elsewhere: readonly string[] = [],
  clusterName: string | undefined = "east",
) {
  const said: unknown[] = [];
  const done: string[] = [];
  const world = {
    clusterName,
    identities: {
      hasSynced: () => true,
      find: () => ({ kind: "Absent" }),
      list: () => [],
      elsewhere: () => elsewhere.map((namespace) => ({ spec: {}, status: { machine: { namespace } } }) as NodeIdentity),
    },
    machines: { hasSynced: () => true, namespaces: () => namespaces },
    keys: { upkeep: async () => done.push("keys"), ring: async () => ({ recipients: [] }) },
    limits: { overflow: { sweep: async () => undefined } },
    log: { ...silentLog, warn: (_: string, fields?: object) => said.push(fields) },
  } as unknown as AttestationWorld;
  const synced = { hasSynced: () => true, waitForSync: async () => undefined };
  const upkeep = createUpkeep({
    attesting: world,
    metrics: createMetrics(),
    ...{ csrs: synced, nodes: synced },
    policies: { ...synced, onChange: () => undefined, list: () => [], broken: () => ["one"] },
    clusterId: () => undefined,
    register: async () => void done.push("registered"),
  });
  return { said, done, look: () => upkeep.handle("attestation", new AbortController().signal) };
}

describe("upkeep", () => {
  it("goes on where the cluster's Machines are in one namespace", async () => {
    const { look, done } = aManagementCluster(["fleet"]);
    await look();
    expect(done).toEqual(["keys", "registered"]);
  });

  it("does nothing for a name that clusters of two namespaces have, and names them", async () => {
    const { look, done } = aManagementCluster(["west", "fleet"]);
    await expect(look()).rejects.toMatchObject({
      code: "bad-config",
      message: expect.stringContaining("fleet/east, west/east"),
    });
    expect(done).toEqual([]);
  });

  it("tells of identities of another cluster of its name, once", async () => {
    const { look, said } = aManagementCluster(["fleet"], ["west", "west"]);
    await look();
    await look();
    expect(said).toEqual([{ cluster: "east", namespaces: ["west"], identities: 2 }]);
  });
});
