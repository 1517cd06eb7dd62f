// Tokens of service accounts on the real server, and what an attacker tries with them.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi, type Sent } from "../../../../test/fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../../../test/fakes/api-server.ts";
import { createManualClock, type ManualClock } from "../../../../test/fakes/clock.ts";
import { type JwtClaims, keyIdOf, signJwt } from "../../../kernel/jose/index.ts";
import { parsePublicKey } from "../../../kernel/x509/index.ts";
import { generatePrivateKey } from "../../../platform/keys/index.ts";

const KEY = generatePrivateKey("P-256");
const FORMER = generatePrivateKey("P-256");
const ISSUER = "https://kubernetes.default.svc.cluster.local";
const CORE = "/api/v1/namespaces/default";
const WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
/** TLS knows only the real time. */
const START_MS = Date.now();

let clock: ManualClock;
let server: TestApiServer;
beforeAll(async () => {
  clock = createManualClock(START_MS);
  const serviceAccounts = { signingKeyPem: KEY.encodePem(), formerKeysPem: [FORMER.encodePem()] };
  server = await startTestApiServer({ clock, more: { serviceAccounts } });
  await create("/api/v1/namespaces", { metadata: { name: "other" } });
  for (const name of ["default", "other"]) {
    await create(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: "robot" } });
  }
});
afterAll(() => server.close());

const call = (sent: Sent) => callApi(server, sent);
const create = (path: string, body: unknown) => call({ method: "POST", path, body });
const whoIs = (token: string) => call({ method: "POST", path: WHO, body: {}, as: { token } });

async function aToken(spec: object = {}, account = "robot"): Promise<string> {
  const { status, body } = await create(`${CORE}/serviceaccounts/${account}/token`, { spec });
  expect(status).toBe(201);
  return body.status.token;
}

function claimsOf(token: string): JwtClaims & { readonly "kubernetes.io": Readonly<Record<string, unknown>> } {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

function forge(claims: JwtClaims, key = KEY, keyId = keyIdOf(parsePublicKey(key.signer.publicKey))): string {
  return signJwt({ keyId, claims }, key.signer);
}

describe("a bound token", () => {
  it("says who it is, and which credential it was", async () => {
    const token = await aToken();
    const { body } = await whoIs(token);
    expect(body.status.userInfo).toMatchObject({
      username: "system:serviceaccount:default:robot",
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": [`JTI=${String(claimsOf(token)["jti"])}`] },
    });
  });

  it("of a former key is still good", async () => {
    expect((await whoIs(forge(claimsOf(await aToken()), FORMER))).status).toBe(201);
  });

  it("is good for a minute after its end, and not for longer", async () => {
    const claims = claimsOf(await aToken());
    const now = Math.floor(clock.now() / 1_000);
    expect((await whoIs(forge({ ...claims, exp: now - 50 }))).status).toBe(201);
    expect((await whoIs(forge({ ...claims, exp: now - 70 }))).status).toBe(401);
  });

  it("ends with the Secret it is bound to", async () => {
    await create(`${CORE}/secrets`, { metadata: { name: "anchor" } });
    const token = await aToken({ boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "anchor" } });
    expect((await whoIs(token)).status).toBe(201);
    await call({ method: "DELETE", path: `${CORE}/secrets/anchor` });
    expect((await whoIs(token)).status).toBe(401);
    // A successor of the same name is another account.
    await create(`${CORE}/secrets`, { metadata: { name: "anchor" } });
    expect((await whoIs(token)).status).toBe(401);
  });

  it("ends with the Node it is bound to", async () => {
    await create("/api/v1/nodes", { metadata: { name: "n1" } });
    const token = await aToken({ boundObjectRef: { kind: "Node", apiVersion: "v1", name: "n1" } });
    const { body } = await whoIs(token);
    expect(body.status.userInfo.extra["authentication.kubernetes.io/node-name"]).toEqual(["n1"]);
    await call({ method: "DELETE", path: "/api/v1/nodes/n1" });
    expect((await whoIs(token)).status).toBe(401);
  });

  it("ends with its account, also when one of the same name comes after it", async () => {
    await create(`${CORE}/serviceaccounts`, { metadata: { name: "short" } });
    const token = await aToken({}, "short");
    expect((await whoIs(token)).status).toBe(201);
    await call({ method: "DELETE", path: `${CORE}/serviceaccounts/short` });
    expect((await whoIs(token)).status).toBe(401);
    await create(`${CORE}/serviceaccounts`, { metadata: { name: "short" } });
    expect((await whoIs(token)).status).toBe(401);
  });

  it("for others is not for this server, and a review says whom it is for", async () => {
    const token = await aToken({ audiences: ["vault", "db"] });
    expect((await whoIs(token)).status).toBe(401);
    const review = (audiences: readonly string[]) =>
      create("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token, audiences } });
    expect((await review(["db", "x", "vault"])).body.status).toMatchObject({
      authenticated: true,
      audiences: ["db", "vault"],
    });
    expect((await review([])).body.status.authenticated).toBeUndefined();
  });

  it("of the client library lives a year and tells an hour", async () => {
    const pod = {
      spec: { serviceAccountName: "robot", containers: [{ name: "c", image: "i" }] },
      metadata: { name: "p" },
    };
    expect((await create(`${CORE}/pods`, pod)).status).toBe(201);
    const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "p" };
    const spec = { expirationSeconds: 3607, boundObjectRef };
    const { body } = await create(`${CORE}/serviceaccounts/robot/token`, { spec });
    const claims = claimsOf(body.status.token);
    expect(Number(claims["exp"]) - Number(claims["iat"])).toBe(365 * 24 * 3600);
    expect(claims["kubernetes.io"]["warnafter"]).toBe(Number(claims["iat"]) + 3607);
    expect(Date.parse(body.status.expirationTimestamp) / 1000).toBe(Number(claims["iat"]) + 3607);
  });
});

describe("an attacker's token is refused", () => {
  const stranger = generatePrivateKey("P-256");
  const text = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = () => Math.floor(clock.now() / 1_000);
  const attacks: Readonly<Record<string, (good: string) => string>> = {
    "alg none": (good) => `${text({ alg: "none", kid: "x" })}.${good.split(".")[1]}.`,
    "HS256 with the public key as secret": (good) => {
      const [, body = ""] = good.split(".");
      return `${text({ alg: "HS256" })}.${body}.AAAA`;
    },
    "another key under our key id": (good) =>
      forge(claimsOf(good), stranger, keyIdOf(parsePublicKey(KEY.signer.publicKey))),
    "another key under its own id": (good) => forge(claimsOf(good), stranger),
    "a key id that is a path": (good) => forge(claimsOf(good), stranger, "../../etc/hostname"),
    "a key id of a prototype": (good) => forge(claimsOf(good), stranger, "__proto__"),
    "another issuer": (good) => forge({ ...claimsOf(good), iss: "https://evil.example" }),
    "an issuer that is a list": (good) => forge({ ...claimsOf(good), iss: [ISSUER] }),
    "not valid yet": (good) => forge({ ...claimsOf(good), nbf: now() + 120 }),
    "issued in the future": (good) => forge({ ...claimsOf(good), iat: now() + 120 }),
    "without an end": (good) => forge({ ...claimsOf(good), exp: undefined }),
    "an end that is a text": (good) => forge({ ...claimsOf(good), exp: "never" }),
    "the subject of another account": (good) =>
      forge({ ...claimsOf(good), sub: "system:serviceaccount:kube-system:generic-garbage-collector" }),
    "another namespace's account of the same name": (good) => {
      const claims = claimsOf(good);
      const own = { ...claims["kubernetes.io"], namespace: "other" };
      return forge({ ...claims, sub: "system:serviceaccount:other:robot", "kubernetes.io": own });
    },
    "a binding that cannot be read": (good) => {
      const claims = claimsOf(good);
      return forge({ ...claims, "kubernetes.io": { ...claims["kubernetes.io"], pod: "p" } });
    },
    "without private claims": (good) => forge({ ...claimsOf(good), "kubernetes.io": undefined }),
    "no audience": (good) => forge({ ...claimsOf(good), aud: [] }),
    "the legacy issuer without a Secret": () =>
      forge({
        iss: "kubernetes/serviceaccount",
        sub: "system:serviceaccount:default:robot",
        "kubernetes.io/serviceaccount/namespace": "default",
        "kubernetes.io/serviceaccount/secret.name": "none",
        "kubernetes.io/serviceaccount/service-account.name": "robot",
        "kubernetes.io/serviceaccount/service-account.uid": "x",
      }),
  };
  it.each(Object.entries(attacks))("%s", async (_name, attack) => {
    const bad = attack(await aToken());
    expect((await whoIs(bad)).status).toBe(401);
    // Never anonymous: not even where anonymous may read.
    expect((await call({ path: "/version", as: { token: bad } })).status).toBe(401);
  });
});

describe("the issuer", () => {
  it("publishes its keys to service accounts, and nothing but public numbers", async () => {
    const as = { token: await aToken() };
    const { body, headers } = await call({ path: "/openid/v1/jwks", as });
    expect(headers["content-type"]).toBe("application/jwk-set+json");
    expect(body.keys.map((key: object) => Object.keys(key).sort())).toEqual([
      ["alg", "crv", "kid", "kty", "use", "x", "y"],
      ["alg", "crv", "kid", "kty", "use", "x", "y"],
    ]);
    const discovery = await call({ path: "/.well-known/openid-configuration", as });
    expect(discovery.body).toEqual({
      issuer: ISSUER,
      jwks_uri: `${server.url}/openid/v1/jwks`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
    });
  });
});
