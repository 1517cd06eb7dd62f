import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";
import { buildTokenSecret } from "../../api/bootstrap/index.ts";
import type { Secret } from "../../api/core/index.ts";
import { SECRETS } from "../../api/meta/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { createKubeClient, type KubeClient } from "../../platform/kube/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import { createTokenCleaner } from "./token-cleaner.ts";

const HOUR_MS = 3_600_000;
const signal = new AbortController().signal;
const nowMs = Date.now();

let server: TestApiServer;
let client: KubeClient;
beforeAll(async () => {
  server = await startTestApiServer();
  const { url, caPem, adminCertPem: certPem, adminKeyPem: keyPem } = server;
  client = createKubeClient({ server: url, caPem, credentials: () => ({ certPem, keyPem }) });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

const aToken = (id: string, ttlMs?: number) => buildTokenSecret({ id, secret: "0123456789abcdef" }, { nowMs, ttlMs });
const endingAt = (id: string, expiration: string): Secret => {
  const secret = aToken(id);
  return { ...secret, data: { ...secret.data, expiration: encodeBase64(encodeUtf8(expiration)) } };
};

async function look(secret: Secret, seen: (stored: Secret) => Secret | undefined = (stored) => stored) {
  const stored = await client.create<Secret>(SECRETS, secret);
  const name = stored.metadata.name ?? "";
  const synced = { hasSynced: () => true, waitForSync: async () => undefined, onChange: () => () => undefined };
  const tokens = { ...synced, get: () => seen(stored) };
  const cleaner = createTokenCleaner({ client, clock: systemClock, log: silentLog, tokens });
  const next = await cleaner.handle(name, signal);
  return { next, isThere: await exists(name) };
}

async function exists(name: string): Promise<boolean> {
  try {
    await client.get(SECRETS, { namespace: "kube-system", name });
    return true;
  } catch (error) {
    if (isFault(error, "not-found")) return false;
    throw error;
  }
}

describe("the token cleaner", () => {
  it("removes a token whose time is over, and one whose end cannot be read", async () => {
    expect((await look(aToken("over00", -1_000))).isThere).toBe(false);
    expect((await look(endingAt("badend", "tomorrow"))).isThere).toBe(false);
    expect((await look(endingAt("noyear", "2026-99-99T00:00:00Z"))).isThere).toBe(false);
  });

  it("removes it whatever else is wrong with it", async () => {
    const strange = { ...aToken("strang", -1_000), metadata: { namespace: "kube-system", name: "not-a-token-name" } };
    expect((await look(strange)).isThere).toBe(false);
  });

  it("comes back when a living token ends, and never for one without an end", async () => {
    const living = await look(aToken("living", HOUR_MS));
    expect(living.isThere).toBe(true);
    expect(living.next.afterMs).toBeGreaterThan(HOUR_MS - 60_000);
    expect((await look(aToken("immort"))).next).toEqual({});
    expect((await look(endingAt("empty0", ""))).next).toEqual({});
  });

  it("looks twice a day at one that lives for years", async () => {
    expect((await look(aToken("longer", 1_000 * 24 * HOUR_MS))).next).toEqual({ afterMs: 12 * HOUR_MS });
  });

  it("leaves a successor of the same name alone, and does not mind one that is gone", async () => {
    const former = (stored: Secret): Secret => ({
      ...stored,
      metadata: { ...stored.metadata, uid: "00000000-0000-0000-0000-000000000000" },
    });
    expect((await look(aToken("succes", -1_000), former)).isThere).toBe(true);
    expect((await look(aToken("gone00", HOUR_MS), () => undefined)).next).toEqual({});
    const absent = () => aToken("absent", -1_000);
    expect((await look(aToken("other0", HOUR_MS), absent)).next).toEqual({});
  });
});
