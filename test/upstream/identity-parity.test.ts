// Who one is, on the embedded server and on a real kube-apiserver: tokens, reviews, impersonation, discovery of the
// issuer. The same requests get the same answers; what differs at every run (ids, times, keys) is taken out first.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aClientCertificate } from "../builders/client-certificate.ts";
import { type ApiEndpoint, asRoot, callApi, type Received, type Sent } from "../fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../fakes/api-server.ts";
import { type ControlPlane, startControlPlane } from "./harness/index.ts";

interface Side extends ApiEndpoint {
  readonly as: Record<string, NonNullable<Sent["as"]>>;
}

let embedded: TestApiServer;
let real: ControlPlane;
let sides: readonly [Side, Side];

const CORE = "/api/v1/namespaces/default";
const TOKEN = `${CORE}/serviceaccounts/robot/token`;
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const ACCESS = "/apis/authorization.k8s.io/v1";
const WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const TOKEN_REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";

beforeAll(async () => {
  [embedded, real] = await Promise.all([startTestApiServer(), startControlPlane({ keyAlgorithm: "ECDSA-P256" })]);
  sides = [side(embedded), side(real)];
  for (const one of sides) await furnish(one);
});
afterAll(() => Promise.all([embedded.close(), real.stop()]));

function side(server: { port: number; caPem: string; caKeyPem: string }): Side {
  const root = asRoot(server);
  const admin = { certPem: root.adminCertPem, keyPem: root.adminKeyPem };
  const jane = aClientCertificate(server, { user: "jane", groups: ["staff"] });
  return { ...root, as: { admin, jane, nobody: "anonymous" } };
}

async function furnish(one: Side): Promise<void> {
  const create = async (path: string, body: unknown) => {
    const { status, text } = await callApi(one, { method: "POST", path, body });
    expect([201, 409], text).toContain(status);
  };
  await create(`${CORE}/serviceaccounts`, { metadata: { name: "robot" } });
  await create(`${CORE}/secrets`, { metadata: { name: "bound" } });
  await create("/api/v1/nodes", { metadata: { name: "n1" } });
  const rules = [
    { verbs: ["impersonate"], apiGroups: [""], resources: ["users"], resourceNames: ["bob", "system:anonymous"] },
    { verbs: ["impersonate"], apiGroups: [""], resources: ["groups"], resourceNames: ["dev"] },
    { verbs: ["impersonate"], apiGroups: ["authentication.k8s.io"], resources: ["userextras/scopes"] },
    { verbs: ["impersonate"], apiGroups: ["authentication.k8s.io"], resources: ["uids"], resourceNames: ["u1"] },
    { verbs: ["get"], nonResourceURLs: ["/metrics"] },
  ];
  await create(`${RBAC}/clusterroles`, { metadata: { name: "stand-in" }, rules });
  await create(`${RBAC}/clusterrolebindings`, {
    metadata: { name: "stand-in" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "stand-in" },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" }],
  });
  const { body } = await callApi(one, { method: "POST", path: TOKEN, body: {} });
  one.as["robot"] = { token: body.status.token };
}

const IGNORED: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "managedFields",
  "expirationTimestamp",
]);

function comparable(value: unknown): unknown {
  if (typeof value === "string") {
    return value
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, "<uuid>")
      .replace(/X509SHA256=[0-9a-f]{64}/, "X509SHA256=<hash>")
      .replace(/eyJ[\w.-]+/g, "<token>")
      .replace(/https:\/\/[\d.]+:\d+/g, "<server>");
  }
  // The order of rules is that of an index over bindings: it means nothing.
  if (Array.isArray(value))
    return value.map(comparable).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !IGNORED.has(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, comparable(inner)]));
}

type Ask = (one: Side) => Sent & { readonly as: NonNullable<Sent["as"]> };

async function ask(row: Ask): Promise<readonly [Received, Received]> {
  return Promise.all([callApi(sides[0], row(sides[0])), callApi(sides[1], row(sides[1]))]);
}

const who = (name: string) => (one: Side) => one.as[name] ?? "anonymous";
const post =
  (name: string, path: string, body: unknown, headers: Record<string, string> = {}): Ask =>
  (one) => ({ method: "POST", path, body, headers, as: who(name)(one) });
const get =
  (name: string, path: string, headers: Record<string, string> = {}): Ask =>
  (one) => ({ method: "GET", path, headers, as: who(name)(one) });
const acting = (headers: Record<string, string>, name = "jane") => post(name, WHO, {}, headers);
const review = (token: (one: Side) => string, audiences?: readonly string[]): Ask => {
  return (one) => ({
    method: "POST",
    path: TOKEN_REVIEWS,
    body: { spec: { token: token(one), ...(audiences === undefined ? {} : { audiences }) } },
    as: who("admin")(one),
  });
};
const robot = (one: Side) => (one.as["robot"] as { token: string }).token;
const access = (spec: object) => ({ spec: { user: "jane", groups: ["staff"], ...spec } });

const SAME: Readonly<Record<string, Ask>> = {
  "a service account is who its token says": post("robot", WHO, {}),
  "a certificate is who its subject says": post("jane", WHO, {}),
  "nobody asks who he is": post("nobody", WHO, {}),
  "a token is asked for": post("admin", TOKEN, {}),
  "a token for others": post("admin", TOKEN, { spec: { audiences: ["vault"], expirationSeconds: 700 } }),
  "a token bound to a secret": post("admin", TOKEN, {
    spec: { boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "bound" } },
  }),
  "a token bound to a node": post("admin", TOKEN, {
    spec: { boundObjectRef: { kind: "Node", apiVersion: "v1", name: "n1" } },
  }),
  "a token bound to nothing there is": post("admin", TOKEN, {
    spec: { boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "no" } },
  }),
  "a token bound to another uid": post("admin", TOKEN, {
    spec: { boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "bound", uid: "x" } },
  }),
  "a token bound to another kind": post("admin", TOKEN, {
    spec: { boundObjectRef: { kind: "ConfigMap", apiVersion: "v1", name: "x" } },
  }),
  "a token that is too short": post("admin", TOKEN, { spec: { expirationSeconds: 599 } }),
  "a token that is too long": post("admin", TOKEN, { spec: { expirationSeconds: 2 ** 32 + 1 } }),
  "a token of another name": post("admin", TOKEN, { metadata: { name: "x" } }),
  "a token of another account": post("admin", TOKEN, { metadata: { uid: "x" } }),
  "a token of nobody": post("admin", `${CORE}/serviceaccounts/no/token`, {}),
  "a token without the right": post("jane", TOKEN, {}),
  "the token path takes no GET": get("admin", TOKEN),
  "a good token is reviewed": review(robot),
  "a good token for others": review(robot, ["vault"]),
  "a good token for several": review(robot, ["vault", "https://kubernetes.default.svc.cluster.local"]),
  "a bad token is reviewed": review(() => "nonsense"),
  "no token is reviewed": review(() => ""),
  "jane may not review": post("jane", TOKEN_REVIEWS, { spec: { token: "x" } }),
  "bob is acted as": acting({ "impersonate-user": "bob" }),
  "bob of a group is acted as": acting({ "impersonate-user": "bob", "impersonate-group": "dev" }),
  "bob with everything": acting({
    "impersonate-user": "bob",
    "impersonate-group": "dev",
    "impersonate-uid": "u1",
    "impersonate-extra-scopes": "view",
  }),
  "nobody is acted as": acting({ "impersonate-user": "system:anonymous" }),
  "root acts as a service account": acting({ "impersonate-user": "system:serviceaccount:default:robot" }, "admin"),
  "what bob may not": get("jane", "/api/v1/nodes", { "impersonate-user": "bob" }),
  "a local question": post(
    "admin",
    `${ACCESS}/namespaces/default/localsubjectaccessreviews`,
    access({ resourceAttributes: { verb: "get", resource: "pods", namespace: "default" } }),
  ),
  "jane's rules": post("jane", `${ACCESS}/selfsubjectrulesreviews`, { spec: { namespace: "default" } }),
  "rules of nowhere": post("jane", `${ACCESS}/selfsubjectrulesreviews`, { spec: {} }),
  "a bad token": (one) => ({ path: "/version", as: { token: `${robot(one)}x` } }),
  "keys are not for everybody": get("nobody", "/openid/v1/jwks"),
  "metrics are not for everybody": get("nobody", "/metrics"),
};

/** Equal in status and reason: the words are about the modes of one server. */
const SAME_STATUS: Readonly<Record<string, Ask>> = {
  "a local question about elsewhere": post(
    "admin",
    `${ACCESS}/namespaces/default/localsubjectaccessreviews`,
    access({ resourceAttributes: { verb: "get", resource: "pods", namespace: "other" } }),
  ),
  "a token with another signature": review((one) => `${robot(one).slice(0, -8)}AAAAAAAA`),
  "eve is not acted as": acting({ "impersonate-user": "eve" }),
  "masters are not joined": acting({ "impersonate-user": "bob", "impersonate-group": "system:masters" }),
  "another uid": acting({ "impersonate-user": "bob", "impersonate-uid": "u2" }),
  "another extra": acting({ "impersonate-user": "bob", "impersonate-extra-color": "red" }),
  "a service account is not a user": acting({ "impersonate-user": "system:serviceaccount:default:robot" }),
  "a group without a user": acting({ "impersonate-group": "dev" }),
  "the issuer": get("robot", "/.well-known/openid-configuration"),
  "the keys": get("robot", "/openid/v1/jwks"),
  "jane reads metrics": get("jane", "/metrics"),
};

describe("identity on both servers", () => {
  it.each(Object.entries(SAME))("%s", async (_title, row) => {
    const [mine, other] = await ask(row);
    expect(comparable(mine.body ?? mine.text)).toEqual(comparable(other.body ?? other.text));
    expect(mine.status).toBe(other.status);
  });

  it.each(Object.entries(SAME_STATUS))("in status and reason: %s", async (_title, row) => {
    const [mine, other] = await ask(row);
    expect([mine.status, mine.body?.reason]).toEqual([other.status, other.body?.reason]);
  });
});

describe("a token", () => {
  const decoded = (token: string) =>
    token
      .split(".")
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));

  it("has the same claims in the same order", () => {
    const [mine, other] = sides.map((one) => decoded(robot(one)));
    const shape = (value: unknown) =>
      JSON.stringify(value, (_key, inner) => (typeof inner === "object" ? inner : typeof inner));
    expect(shape(mine)).toBe(shape(other));
  });
});
