import { describe, expect, it } from "vitest";
import type { ConfigMap } from "../../../api/core/index.ts";
import { EVIDENCE_RECIPIENT } from "../../../api/countersign/index.ts";
import { openEnvelope, parseRecipient, sealEnvelope } from "../../../attestation/evidence/index.ts";
import { encodeUtf8, parseUtf8 } from "../../../kernel/bytes/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { silentLog } from "../../../platform/report/index.ts";
import type { AttestationWorld } from "../world.ts";
import { publishRecipient } from "./recipient.ts";

const RECIPIENT = { id: new Uint8Array(8).fill(5), scalar: new Uint8Array(32).fill(9) };

function aHome(get: () => Promise<ConfigMap>) {
  const written: ConfigMap[] = [];
  const write = async (_: unknown, configMap: ConfigMap) => void written.push(configMap);
  const warnings: string[] = [];
  const world = {
    home: { get, create: write, update: write },
    keys: { ring: async () => ({ recipients: [RECIPIENT] }) },
    namespace: "home",
    nameAtHome: (name: string) => `${name}-east`,
    log: { ...silentLog, warn: (said: string) => warnings.push(said) },
  } as unknown as AttestationWorld;
  return { world, written, warnings };
}

const none = () => Promise.reject(new Fault("not-found", "none"));

describe("the key for sealed evidence", () => {
  it("is published so that what is sealed to it can be opened", async () => {
    const { world, written } = aHome(none);
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
    const first = aHome(none);
    await publishRecipient(first.world);
    const present = first.written[0] as ConfigMap;
    const same = aHome(async () => present);
    await publishRecipient(same.world);
    expect(same.written).toEqual([]);
    const changed = aHome(async () => ({ ...present, data: { evidenceRecipient: "mine" } }));
    await publishRecipient(changed.world);
    expect(changed.written).toEqual([present]);
  });

  it("keeps nothing else from being done where it may not be published", async () => {
    const { world, warnings } = aHome(() => Promise.reject(new Fault("forbidden", "no")));
    await publishRecipient(world);
    expect(warnings).toEqual(["the key for sealed evidence is not published"]);
    const away = aHome(() => Promise.reject(new Fault("unavailable", "down")));
    await expect(publishRecipient(away.world)).rejects.toMatchObject({ code: "unavailable" });
  });
});
