// Impersonation on the real server, over real headers.

import { request } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi, type Sent } from "../../../test/fakes/api-client.ts";
import { type ClientCertificate, startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";

const WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";

let server: TestApiServer;
let jane: ClientCertificate;
beforeAll(async () => {
  server = await startTestApiServer();
  jane = server.issueClientCertificate({ user: "jane" });
  const rules = [
    { verbs: ["impersonate"], apiGroups: [""], resources: ["users"], resourceNames: ["bob"] },
    { verbs: ["impersonate"], apiGroups: [""], resources: ["groups"], resourceNames: ["dev", "ops, all"] },
    { verbs: ["impersonate"], apiGroups: ["authentication.k8s.io"], resources: ["uids"], resourceNames: ["7"] },
    { verbs: ["impersonate"], apiGroups: ["authentication.k8s.io"], resources: ["userextras/acme.com/scope"] },
  ];
  await call({ method: "POST", path: `${RBAC}/clusterroles`, body: { metadata: { name: "stand-in" }, rules } });
  const binding = {
    metadata: { name: "stand-in" },
    roleRef: { kind: "ClusterRole", name: "stand-in", apiGroup: "rbac.authorization.k8s.io" },
    subjects: [{ kind: "User", name: "jane", apiGroup: "rbac.authorization.k8s.io" }],
  };
  await call({ method: "POST", path: `${RBAC}/clusterrolebindings`, body: binding });
});
afterAll(() => server.close());

const call = (sent: Sent) => callApi(server, sent);
const acting = (headers: Record<string, string>) => call({ method: "POST", path: WHO, body: {}, as: jane, headers });

describe("a caller who may", () => {
  it("acts as the whole identity", async () => {
    const { body } = await acting({
      "Impersonate-User": "bob",
      "Impersonate-Group": "dev",
      "Impersonate-Uid": "7",
      "Impersonate-Extra-Acme.com%2fscope": "read",
    });
    expect(body.status.userInfo).toEqual({
      username: "bob",
      uid: "7",
      groups: ["dev", "system:authenticated"],
      extra: { "acme.com/scope": ["read"] },
    });
  });

  it("has none of its own rights meanwhile", async () => {
    const headers = { "Impersonate-User": "bob" };
    const nested = await call({ path: "/api/v1/nodes", as: jane, headers });
    expect(nested.body.message).toMatch(/^nodes is forbidden: User "bob" cannot list resource "nodes"/);
  });

  it("names several groups, each with its own commas", async () => {
    const groups = await new Promise<string[]>((resolve, reject) => {
      const outgoing = request(
        {
          port: server.port,
          method: "POST",
          path: WHO,
          ca: server.caPem,
          cert: jane.certPem,
          key: jane.keyPem,
          host: "127.0.0.1",
          headers: { "impersonate-user": "bob", "impersonate-group": ["dev", "ops, all"] },
        },
        (response) => {
          let text = "";
          response.on("data", (chunk) => {
            text += String(chunk);
          });
          response.on("end", () => resolve(JSON.parse(text).status.userInfo.groups));
        },
      );
      outgoing.on("error", reject);
      outgoing.end("{}");
    });
    expect(groups).toEqual(["dev", "ops, all", "system:authenticated"]);
  });
});

describe("escalation by impersonation is refused", () => {
  const attempts: Readonly<Record<string, [Record<string, string>, number]>> = {
    "another user": [{ "Impersonate-User": "root" }, 403],
    "the masters": [{ "Impersonate-User": "bob", "Impersonate-Group": "system:masters" }, 403],
    "the masters behind a group that is allowed": [
      { "Impersonate-User": "bob", "Impersonate-Group": "dev, system:masters" },
      403,
    ],
    "a service account by its user name": [
      { "Impersonate-User": "system:serviceaccount:kube-system:generic-garbage-collector" },
      403,
    ],
    "a node": [{ "Impersonate-User": "system:node:n1", "Impersonate-Group": "system:nodes" }, 403],
    "another uid": [{ "Impersonate-User": "bob", "Impersonate-Uid": "8" }, 403],
    "another extra key": [{ "Impersonate-User": "bob", "Impersonate-Extra-other": "x" }, 403],
    "a group without a user": [{ "Impersonate-Group": "dev" }, 400],
    "an empty user": [{ "Impersonate-User": "", "Impersonate-Group": "dev" }, 400],
    "a header nobody knows": [{ "Impersonate-User": "bob", "Impersonate-Role": "admin" }, 400],
  };
  it.each(Object.entries(attempts))("%s", async (_name, [headers, status]) => {
    expect((await acting(headers)).status).toBe(status);
  });

  it("says what is missing in the words of kube-apiserver", async () => {
    expect((await acting({ "Impersonate-User": "root" })).body.message).toBe(
      'users "root" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
  });

  it("a caller without a credential impersonates no user", async () => {
    const headers = { "Impersonate-User": "bob" };
    expect((await call({ method: "POST", path: WHO, body: {}, as: "anonymous", headers })).status).toBe(403);
  });
});
