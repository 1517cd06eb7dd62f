// A captured JWT in an attacker's hands, and an honest one: over real TLS, through the whole chain.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aCsr, forNode } from "../../../test/builders/csr.ts";
import { isSignedFor } from "../../../test/builders/discovery.ts";
import { callApi, type Received, type Sent } from "../../../test/fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";
import {
  JWS_HEADER,
  MAX_SIGNED_BODY_BYTES,
  parseToken,
  type ReplyKey,
  signDiscoveryJwt,
} from "../../api/bootstrap/index.ts";
import { signHs256Jwt, verifyDetachedHs256 } from "../../kernel/jose/index.ts";

const PUBLIC = "/api/v1/namespaces/kube-public/configmaps";
const CLUSTER_INFO = `${PUBLIC}/cluster-info`;
const CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const STATIC = { id: "static", secret: "0123456789abcdef" };
const MASTERS = `${STATIC.id}.${STATIC.secret},boss,,system:masters\nplain-old-token,clerk,,"a,b"\n`;

let server: TestApiServer;
let token: { readonly id: string; readonly secret: string };
let jwt: string;

const call = (sent: Sent) => callApi(server, sent);
const shown = (sent: Sent) => call({ as: { token: jwt }, ...sent });
const isSigned = (answer: Received, asked: ReplyKey = { token, jwt }) => isSignedFor(answer, asked);

beforeAll(async () => {
  server = await startTestApiServer({ more: { tokenFile: MASTERS } });
  const groups = ["system:bootstrappers:kubeadm:default-node-token"];
  token = parseToken(await server.createBootstrapToken({ id: "abcdef", groups }));
  jwt = signDiscoveryJwt(token, { nowMs: Date.now() });
  await createClusterInfo();
  await bindToGroup("system:node-bootstrapper", "system:bootstrappers");
  // A policy that gives every authenticated user far too much.
  await bindToGroup("cluster-admin", "system:authenticated");
});
afterAll(() => server.close());

async function createClusterInfo(): Promise<void> {
  const body = { metadata: { name: "cluster-info" }, data: { kubeconfig: "x".repeat(200_000) } };
  expect((await call({ method: "POST", path: PUBLIC, body })).status).toBe(201);
}

async function patchClusterInfo(patch: object): Promise<void> {
  const headers = { "content-type": "application/merge-patch+json" };
  const { status } = await call({ method: "PATCH", path: CLUSTER_INFO, body: JSON.stringify(patch), headers });
  expect(status).toBe(200);
}

async function bindToGroup(role: string, group: string): Promise<void> {
  const body = {
    metadata: { name: `${role}-${group}` },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group }],
  };
  await call({ method: "POST", path: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", body });
}

describe("a discovery JWT", () => {
  it("reads cluster-info, and the answer is signed over its exact bytes, never packed", async () => {
    const answer = await shown({ path: CLUSTER_INFO, headers: { "accept-encoding": "gzip" } });
    expect(answer.status).toBe(200);
    expect(answer.headers["content-encoding"]).toBeUndefined();
    expect(answer.body.data.kubeconfig).toHaveLength(200_000);
    expect(isSigned(answer)).toBe(true);
    expect(String(answer.headers[JWS_HEADER])).toMatch(/^[\w-]+\.\.[\w-]{43}$/);
  });

  it.each(["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"])(
    "gets text beyond ASCII signed as the bytes that are sent, in %s",
    async (accept) => {
      await patchClusterInfo({ data: { greeting: "Grüße, 世界 🚀", broken: "half a pair: \ud800" } });
      const answer = await shown({ path: CLUSTER_INFO, headers: { accept } });
      expect(answer.status).toBe(200);
      expect(answer.headers["content-length"]).toBe(String(answer.bytes.length));
      expect(isSigned(answer)).toBe(true);
      await patchClusterInfo({ data: { greeting: null, broken: null } });
    },
  );

  it("gets refusals of cluster-info signed as well", async () => {
    await call({ method: "DELETE", path: CLUSTER_INFO });
    const answer = await shown({ path: CLUSTER_INFO });
    await createClusterInfo();
    expect(answer.status).toBe(404);
    expect(isSigned(answer)).toBe(true);
  });

  it("has its answer bound to itself: another JWT of the same token is not answered by it", async () => {
    const answer = await shown({ path: CLUSTER_INFO });
    const other = signDiscoveryJwt(token, { nowMs: Date.now(), id: "another" });
    expect(isSigned(answer)).toBe(true);
    expect(isSigned(answer, { token, jwt: other })).toBe(false);
    const { id: keyId, secret } = token;
    const jws = String(answer.headers[JWS_HEADER]);
    expect(verifyDetachedHs256({ jws, keyId, secret, content: answer.bytes }), "as kubeadm's signature").toBe(false);
  });

  it("works with a static token of the form id.secret, whose other rights it does not have", async () => {
    const own = signDiscoveryJwt(STATIC, { nowMs: Date.now() });
    const answer = await shown({ path: CLUSTER_INFO, as: { token: own } });
    expect(answer.status).toBe(200);
    expect(isSigned(answer, { token: STATIC, jwt: own })).toBe(true);
    expect((await shown({ path: "/api/v1/namespaces/kube-system/secrets", as: { token: own } })).status).toBe(403);
  });

  it("names the cluster it is for", async () => {
    const { body } = await call({ path: "/api/v1/namespaces/kube-system" });
    const meant = (audience: string) => ({ token: signDiscoveryJwt(token, { nowMs: Date.now(), audience }) });
    expect((await call({ path: CLUSTER_INFO, as: meant(body.metadata.uid) })).status).toBe(200);
    expect((await call({ path: CLUSTER_INFO, as: meant("another") })).status).toBe(401);
  });

  it("of a body over the limit is refused instead of left unsigned", async () => {
    const big = Buffer.alloc(MAX_SIGNED_BODY_BYTES * 0.74).toString("base64");
    await patchClusterInfo({ binaryData: { big } });
    const answer = await shown({ path: CLUSTER_INFO });
    expect(answer).toMatchObject({ status: 403, body: { reason: "Forbidden" } });
    expect(answer.body.message).toContain("not signed");
    expect(isSigned(answer)).toBe(true);
    await patchClusterInfo({ binaryData: null });
  });

  it("is not what others are answered with: no other credential has its answer signed", async () => {
    for (const as of ["anonymous", { token: "plain-old-token" }, { token: `${token.id}.${token.secret}` }] as const) {
      expect((await call({ path: CLUSTER_INFO, as })).headers[JWS_HEADER]).toBeUndefined();
    }
  });
});

describe("a captured discovery JWT", () => {
  it("creates no certificate request, although the token itself may", async () => {
    const asked = (name: string) => ({ metadata: { name }, spec: aCsr(forNode("n1")).spec });
    const create = (name: string, as: { token: string }) => call({ method: "POST", path: CSRS, body: asked(name), as });
    expect(await create("by-jwt", { token: jwt })).toMatchObject({ status: 403, body: { code: 403 } });
    expect((await call({ path: `${CSRS}/by-jwt` })).status).toBe(404);
    expect((await create("by-token", { token: `${token.id}.${token.secret}` })).status).toBe(201);
  });

  it.each<[string, Sent]>([
    ["watches nothing", { path: `${CLUSTER_INFO}?watch=true` }],
    ["lists nothing", { path: PUBLIC }],
    ["reads no other object of kube-public", { path: `${PUBLIC}/kube-root-ca.crt` }],
    ["reads no tenant's object", { path: "/apis/tenant.example/v1/namespaces/kube-public/configs/cluster-info" }],
    ["upgrades nothing", { path: CLUSTER_INFO, headers: { connection: "upgrade", upgrade: "websocket" } }],
    ["writes nothing", { method: "DELETE", path: CLUSTER_INFO }],
    ["reads no secrets", { path: "/api/v1/namespaces/kube-system/secrets" }],
    ["reads no other namespace", { path: "/api/v1/namespaces/default/configmaps" }],
    ["learns nothing of the server", { path: "/metrics" }],
    ["acts as nobody else", { path: CLUSTER_INFO, headers: { "impersonate-user": "admin" } }],
  ])("%s", async (_what, sent) => {
    const answer = await shown(sent);
    expect(answer.status).toBe(403);
    expect(answer.body.message).toContain("discovery JWT");
    expect(answer.headers[JWS_HEADER]).toBeUndefined();
  });

  it("authenticates no user in a TokenReview", async () => {
    const review = {
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/tokenreviews",
      body: { spec: { token: jwt } },
    };
    expect((await call(review)).body.status.authenticated ?? false).toBe(false);
  });

  it.each<[string, () => string]>([
    ["has expired", () => signDiscoveryJwt(token, { nowMs: Date.now() - 75_000 })],
    ["is of another secret", () => signDiscoveryJwt({ ...token, secret: "0000000000000000" }, { nowMs: Date.now() })],
    ["is of a token that nobody knows", () => signDiscoveryJwt({ ...token, id: "nobody" }, { nowMs: Date.now() })],
    ["names another token's key", () => forged({ kid: STATIC.id, sub: token.id })],
    ["names another token's subject", () => forged({ kid: token.id, sub: STATIC.id })],
    ["is unsigned", () => `${signDiscoveryJwt(token, { nowMs: Date.now() }).split(".").slice(0, 2).join(".")}.`],
    ["says alg none", () => `${part({ alg: "none", typ: "JWT", kid: token.id })}.${part(claims(token.id))}.`],
    [
      "says another algorithm",
      () => `${part({ alg: "HS512", typ: "JWT", kid: token.id })}.${part(claims(token.id))}.AAAA`,
    ],
  ])("is refused when it %s", async (_what, make) => {
    expect(await call({ path: CLUSTER_INFO, as: { token: make() } })).toMatchObject({ status: 401 });
  });

  it("cannot use it once the token is gone, or may not sign", async () => {
    const other = parseToken(await server.createBootstrapToken({ id: "gonner" }));
    const own = { token: signDiscoveryJwt(other, { nowMs: Date.now() }) };
    const secret = "/api/v1/namespaces/kube-system/secrets/bootstrap-token-gonner";
    expect((await call({ path: CLUSTER_INFO, as: own })).status).toBe(200);
    const patch = { data: { "usage-bootstrap-signing": btoa("false") } };
    const headers = { "content-type": "application/merge-patch+json" };
    await call({ method: "PATCH", path: secret, body: JSON.stringify(patch), headers });
    expect((await call({ path: CLUSTER_INFO, as: own })).status).toBe(401);
    await call({ method: "DELETE", path: secret });
    expect((await call({ path: CLUSTER_INFO, as: own })).status).toBe(401);
  });
});

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const claims = (sub: string) => ({ sub, exp: Math.floor(Date.now() / 1_000) + 60 });
const forged = ({ kid, sub }: { kid: string; sub: string }) =>
  signHs256Jwt({ keyId: kid, secret: token.secret, claims: claims(sub) });
