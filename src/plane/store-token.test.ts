import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectAdmin, startTestApiServer, type TestApiServer } from "../../test/fakes/api-server.ts";
import { parseToken, readTokenSecret, tokenSecretName } from "../api/bootstrap/index.ts";
import type { Secret } from "../api/core/index.ts";
import { SECRETS } from "../api/meta/index.ts";
import type { KubeClient } from "../platform/kube/index.ts";
import { storeToken } from "./store-token.ts";

const TOKEN = parseToken("abcdef.0123456789abcdef");
const OTHER = parseToken("abcdef.fedcba9876543210");
const NOW_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

let server: TestApiServer;
let admin: KubeClient;
beforeAll(async () => {
  server = await startTestApiServer();
  admin = connectAdmin(server);
});
afterAll(async () => {
  await admin.close();
  await server.close();
});

const stored = async () =>
  readTokenSecret(await admin.get<Secret>(SECRETS, { namespace: "kube-system", name: tokenSecretName(TOKEN.id) }));

describe("the token that `up` is given", () => {
  it("is stored, keeps its end of life at a restart, and is not mistaken for another of its id", async () => {
    await storeToken(admin, TOKEN, { nowMs: NOW_MS, ttlMs: HOUR_MS });
    await storeToken(admin, TOKEN, { nowMs: NOW_MS + HOUR_MS, ttlMs: HOUR_MS });
    expect(await stored()).toMatchObject({ secret: TOKEN.secret, expiresMs: NOW_MS + HOUR_MS });

    const replacing = storeToken(admin, OTHER, { nowMs: NOW_MS, ttlMs: HOUR_MS });
    await expect(replacing).rejects.toMatchObject({
      code: "conflict",
      message: "the cluster has a token abcdef with another secret",
      detail: { todo: expect.stringContaining("countersign token revoke abcdef") },
    });
    await expect(replacing).rejects.not.toThrow(OTHER.secret);
    expect(await stored()).toMatchObject({ secret: TOKEN.secret });
  });
});
