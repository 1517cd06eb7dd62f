import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../test/fakes/clock.ts";
import type { ConfigMap } from "../../api/core/index.ts";
import { EVIDENCE_RECIPIENT } from "../../api/countersign/index.ts";
import {
  deriveChallengeKeys,
  openEnvelope,
  parseBeacon,
  parseRecipient,
  sealEnvelope,
} from "../../attestation/evidence/index.ts";
import { encodeUtf8, parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import type { AttestationWorld } from "../judging/exchange/world.ts";
import { keepBeacon, publishRecipient } from "./publish.ts";

const CURRENT = deriveChallengeKeys("00c0ffee", new Uint8Array(32).fill(1));

/**
 * A cluster with that ConfigMap, or with that answer to whoever asks for it; and with that one to whoever writes it.
 */
function aCluster(found: ConfigMap | Fault, refusal?: Fault) {
  const written: ConfigMap[] = [];
  const warnings: string[] = [];
  const write = async (_: unknown, configMap: ConfigMap) => {
    if (refusal !== undefined) throw refusal;
    written.push(configMap);
  };
  const get = async () => {
    if (found instanceof Fault) throw found;
    return found;
  };
  const world = {
    client: { get, create: write, update: write },
    keys: { ring: async () => ({ current: CURRENT }) },
    clock: createManualClock(),
    log: { ...silentLog, warn: (said: string) => warnings.push(said) },
  } as unknown as AttestationWorld;
  const keep = (wanted: boolean | undefined) =>
    keepBeacon({ world, wantsBeacon: () => wanted, clusterId: () => "sha256:ab" });
  return { written, warnings, keep };
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

  it.each<[string, ConfigMap | Fault, Fault]>([
    ["nobody may look", new Fault("forbidden", "no get"), none],
    ["nobody may make it", none, new Fault("forbidden", "no create")],
  ])("that is wanted where %s is told of, and keeps nothing else from being done", async (_, found, refusal) => {
    const { keep, warnings } = aCluster(found, refusal);
    await keep(true);
    expect(warnings).toEqual(["the beacon is not published: nodes renew by a full exchange"]);
  });

  it("that cannot be published for the moment is tried again", async () => {
    const away = aCluster(new Fault("unavailable", "down"));
    await expect(away.keep(true)).rejects.toMatchObject({ code: "unavailable" });
    expect(away.warnings).toEqual([]);
  });
});

const RECIPIENT = { id: new Uint8Array(8).fill(5), scalar: new Uint8Array(32).fill(9) };

function aManagementCluster(get: () => Promise<ConfigMap>) {
  const written: ConfigMap[] = [];
  const write = async (_: unknown, configMap: ConfigMap) => void written.push(configMap);
  const warnings: string[] = [];
  const world = {
    management: { get, create: write, update: write },
    keys: { ring: async () => ({ recipients: [RECIPIENT] }) },
    namespace: "home",
    nameInManagement: (name: string) => `${name}-east`,
    log: { ...silentLog, warn: (said: string) => warnings.push(said) },
  } as unknown as AttestationWorld;
  return { world, written, warnings };
}

const noConfigMap = () => Promise.reject(new Fault("not-found", "none"));

describe("the key for sealed evidence", () => {
  it("is published so that what is sealed to it can be opened", async () => {
    const { world, written } = aManagementCluster(noConfigMap);
    await publishRecipient(world);
    const [configMap] = written;
    expect(configMap?.metadata).toEqual({ namespace: "home", name: "countersign-evidence-recipient-east" });
    const recipient = parseRecipient(configMap?.data?.[EVIDENCE_RECIPIENT.key] ?? "");
    const cri = encodeUtf8("request");
    const ephemeralScalar = new Uint8Array(32).fill(3);
    const sealed = sealEnvelope(encodeUtf8("{}"), { recipient, ephemeralScalar, cri });
    expect(parseUtf8(openEnvelope(sealed, [RECIPIENT], cri))).toBe("{}");
  });

  it("is written anew where somebody changed it, and not where it stands", async () => {
    const first = aManagementCluster(noConfigMap);
    await publishRecipient(first.world);
    const present = first.written[0] as ConfigMap;
    const same = aManagementCluster(async () => present);
    await publishRecipient(same.world);
    expect(same.written).toEqual([]);
    const changed = aManagementCluster(async () => ({ ...present, data: { evidenceRecipient: "mine" } }));
    await publishRecipient(changed.world);
    expect(changed.written).toEqual([present]);
  });

  it("keeps nothing else from being done where it may not be published", async () => {
    const { world, warnings } = aManagementCluster(() => Promise.reject(new Fault("forbidden", "no")));
    await publishRecipient(world);
    expect(warnings).toEqual(["the key for sealed evidence is not published"]);
    const away = aManagementCluster(() => Promise.reject(new Fault("unavailable", "down")));
    await expect(publishRecipient(away.world)).rejects.toMatchObject({ code: "unavailable" });
  });
});
