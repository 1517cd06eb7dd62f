import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../../test/fakes/clock.ts";
import type { ConfigMap } from "../../../api/core/index.ts";
import { deriveChallengeKeys, parseBeacon } from "../../../attestation/evidence/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { AttestationWorld } from "../world.ts";
import { keepBeacon } from "./beacon.ts";

const CURRENT = deriveChallengeKeys("00c0ffee", new Uint8Array(32).fill(1));

/** A cluster with that ConfigMap, or with that answer to whoever asks for it. */
function aCluster(found: ConfigMap | Fault) {
  const written: ConfigMap[] = [];
  const write = async (_: unknown, configMap: ConfigMap) => void written.push(configMap);
  const get = async () => {
    if (found instanceof Fault) throw found;
    return found;
  };
  const world = {
    client: { get, create: write, update: write },
    keys: { ring: async () => ({ current: CURRENT }) },
    clock: createManualClock(),
  } as unknown as AttestationWorld;
  const keep = (wanted: boolean | undefined) =>
    keepBeacon({ world, wantsBeacon: () => wanted, clusterId: () => "sha256:ab" });
  return { written, keep };
}

const none = new Fault("not-found", "none");

async function aBeacon(): Promise<ConfigMap> {
  const { written, keep } = aCluster(none);
  await keep(true);
  return written[0] as ConfigMap;
}

describe("the beacon", () => {
  it("is published where a policy wants it, and written anew only with its epoch", async () => {
    const beacon = await aBeacon();
    expect(beacon.metadata).toEqual({ namespace: "kube-public", name: "countersign-beacon" });
    expect(parseBeacon(beacon.data?.["beacon"] ?? "")).toMatchObject({ kid: "00c0ffee" });
    const same = aCluster(beacon);
    await same.keep(true);
    expect(same.written).toEqual([]);
  });

  it("is emptied when no policy wants it any more", async () => {
    const beacon = await aBeacon();
    const { written, keep } = aCluster(beacon);
    await keep(false);
    expect(written).toEqual([{ ...beacon, data: {} }]);
  });

  it("stays while a policy cannot be read: that one may want it", async () => {
    const { written, keep } = aCluster(await aBeacon());
    await keep(undefined);
    expect(written).toEqual([]);
  });

  it.each<[string, ConfigMap | Fault]>([
    ["there is none", none],
    ["it is empty", { apiVersion: "v1", kind: "ConfigMap", metadata: {}, data: {} }],
    ["nobody may look", new Fault("forbidden", "no")],
  ])("is left alone where none is wanted and %s", async (_, found) => {
    const { written, keep } = aCluster(found);
    await keep(false);
    expect(written).toEqual([]);
  });

  it("that is wanted and may not be published is no secret", async () => {
    await expect(aCluster(new Fault("forbidden", "no")).keep(true)).rejects.toMatchObject({ code: "forbidden" });
  });
});
