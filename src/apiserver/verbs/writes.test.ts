// The ways of a write over HTTP: what is told about fields, who owns them afterwards, and how an apply goes.
// test/upstream/patch-parity.test.ts holds the same to a real server; these need none.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi, type Received } from "../../../test/fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";
import { createManualClock } from "../../../test/fakes/clock.ts";

let server: TestApiServer;
beforeAll(async () => {
  // Owners are listed by the second of their write, then by name: all writes of this file are of one second.
  server = await startTestApiServer({ clock: createManualClock(Date.now()) });
});
afterAll(() => server.close());

const MAPS = "/api/v1/namespaces/default/configmaps";
const APPLY = "application/apply-patch+yaml";
const MERGE = "application/merge-patch+json";

function send(request: string, body?: unknown, type = "application/json"): Promise<Received> {
  const [method = "", path = ""] = request.split(" ");
  const headers = { "user-agent": "tester/1.0", "content-type": type };
  return callApi(server, { method, path, body, headers });
}

const map = (name: string, data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
const warnings = ({ headers }: Received) => [headers["warning"] ?? []].flat().join(", ");
const owners = ({ body }: Received) => body.metadata.managedFields;

describe("fields that a kind does not have", () => {
  const body = { ...map("f", { x: "y" }), color: "red" };

  it("are dropped, and the client is warned", async () => {
    const made = await send(`POST ${MAPS}`, body);
    expect([made.status, made.body.color, warnings(made)]).toEqual([
      201,
      undefined,
      '299 - "unknown field \\"color\\""',
    ]);
  });

  it("are refused when the client wants to be strict", async () => {
    const refused = await send(`PUT ${MAPS}/f?fieldValidation=Strict`, body);
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "color"',
    ]);
    expect((await send(`PATCH ${MAPS}/f?fieldValidation=Strict`, { color: "red" }, MERGE)).status).toBe(422);
  });

  it("are passed over when it does not care", async () => {
    expect(warnings(await send(`PUT ${MAPS}/f?fieldValidation=Ignore`, body))).toBe("");
  });

  it("and fields that stand twice are told alike", async () => {
    const made = await send(`POST ${MAPS}?dryRun=All`, '{"metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}');
    expect(warnings(made)).toBe('299 - "duplicate field \\"data.a\\""');
    expect(made.body.data).toEqual({ a: "2" });
  });
});

describe("owners", () => {
  it("are the managers that set a field last, named by fieldManager or by the user agent", async () => {
    const made = await send(`POST ${MAPS}`, map("o", { x: "1", y: "1" }));
    expect(owners(made)).toMatchObject([{ manager: "tester", operation: "Update", fieldsType: "FieldsV1" }]);
    const changed = await send(`PATCH ${MAPS}/o?fieldManager=other`, { data: { x: "2" } }, MERGE);
    expect(owners(changed).map((one: { manager: string; fieldsV1: unknown }) => [one.manager, one.fieldsV1])).toEqual([
      ["other", { "f:data": { "f:x": {} } }],
      ["tester", { "f:data": { ".": {}, "f:y": {} } }],
    ]);
  });

  it("do not change by a write that changes nothing, and neither does the object", async () => {
    const before = await send(`GET ${MAPS}/o`);
    const after = await send(`PATCH ${MAPS}/o?fieldManager=third`, { data: { x: "2" } }, MERGE);
    expect(after.body).toEqual(before.body);
  });

  it("can be cleared, and then no field has an owner", async () => {
    const cleared = await send(`PATCH ${MAPS}/o`, { metadata: { managedFields: [{}] } }, MERGE);
    expect(owners(cleared)).toBeUndefined();
    expect(owners(await send(`PATCH ${MAPS}/o`, { data: { z: "1" } }, MERGE))).toBeUndefined();
  });
});

describe("server-side apply", () => {
  it("creates what is missing, and repeated does nothing", async () => {
    const made = await send(`PATCH ${MAPS}/a?fieldManager=me`, map("a", { x: "1" }), APPLY);
    expect([made.status, owners(made)]).toMatchObject([201, [{ manager: "me", operation: "Apply" }]]);
    const again = await send(`PATCH ${MAPS}/a?fieldManager=me`, map("a", { x: "1" }), APPLY);
    expect([again.status, again.body]).toEqual([200, made.body]);
  });

  it("takes YAML", async () => {
    const body = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: '1', w: v}\n";
    expect((await send(`PATCH ${MAPS}/a?fieldManager=me`, body, APPLY)).body.data).toEqual({ x: "1", w: "v" });
  });

  it("names who is in its way, and goes on by force", async () => {
    const refused = await send(`PATCH ${MAPS}/a?fieldManager=you`, map("a", { x: "2" }), APPLY);
    expect([refused.status, refused.body.details.causes]).toEqual([
      409,
      [{ reason: "FieldManagerConflict", message: 'conflict with "me"', field: ".data.x" }],
    ]);
    const forced = await send(`PATCH ${MAPS}/a?fieldManager=you&force=true`, map("a", { x: "2" }), APPLY);
    expect(forced.body.data).toEqual({ x: "2", w: "v" });
  });

  it("takes away what its manager wants no more", async () => {
    expect((await send(`PATCH ${MAPS}/a?fieldManager=me`, map("a", {}), APPLY)).body.data).toEqual({ x: "2" });
  });

  it("tries without storing", async () => {
    const tried = await send(`PATCH ${MAPS}/dry?fieldManager=me&dryRun=All`, map("dry", { x: "1" }), APPLY);
    expect([tried.status, (await send(`GET ${MAPS}/dry`)).status]).toEqual([201, 404]);
  });

  const bad: Record<string, readonly [string, unknown, number]> = {
    "no manager": [`${MAPS}/a`, map("a", {}), 422],
    "another kind": [`${MAPS}/a?fieldManager=me`, { ...map("a", {}), kind: "Secret" }, 400],
    "owners of its own": [
      `${MAPS}/a?fieldManager=me`,
      { ...map("a", {}), metadata: { managedFields: [{ operation: "Apply" }] } },
      400,
    ],
    "a field that does not exist": [`${MAPS}/a?fieldManager=me`, { ...map("a", {}), color: "red" }, 400],
    "a field of a wrong type": [`${MAPS}/a?fieldManager=me`, map("a", { x: 1 }), 400],
    "no YAML": [`${MAPS}/a?fieldManager=me`, ": : :", 400],
    "an old resourceVersion": [
      `${MAPS}/a?fieldManager=me`,
      { ...map("a", {}), metadata: { name: "a", resourceVersion: "1" } },
      409,
    ],
    "a subresource of nothing": [
      "/api/v1/nodes/none/status?fieldManager=me",
      { apiVersion: "v1", kind: "Node", metadata: { name: "none" } },
      404,
    ],
  };
  it.each(Object.entries(bad))("is refused: %s", async (_name, [path, body, status]) => {
    expect((await send(`PATCH ${path}`, body, APPLY)).status).toBe(status);
  });

  it("that creates needs the right to create", async () => {
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    const rules = [{ verbs: ["patch"], apiGroups: [""], resources: ["configmaps"] }];
    await send(`POST ${rbac}/roles`, { metadata: { name: "patcher" }, rules });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "patcher" };
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }];
    await send(`POST ${rbac}/rolebindings`, { metadata: { name: "patcher" }, roleRef, subjects });
    const as = server.issueClientCertificate({ user: "jane" });
    const headers = { "content-type": APPLY };
    const apply = (name: string) => {
      const path = `${MAPS}/${name}?fieldManager=jane`;
      return callApi(server, { method: "PATCH", path, body: map(name, { j: "1" }), headers, as });
    };
    expect([(await apply("a")).status, (await apply("b")).status]).toEqual([200, 403]);
  });
});

describe("OpenAPI", () => {
  it("has an index whose addresses hold, and tags that save a second reading", async () => {
    const index = await send("GET /openapi/v3");
    const address = index.body.paths["api/v1"].serverRelativeURL;
    const document = await callApi(server, { path: address });
    expect(document.body.components.schemas["io.k8s.api.core.v1.Node"]).toBeDefined();
    expect(document.headers["cache-control"]).toBe("public, immutable");
    const again = await callApi(server, {
      path: address,
      headers: { "if-none-match": String(document.headers["etag"]) },
    });
    expect(again.status).toBe(304);
    expect((await callApi(server, { path: "/openapi/v3/api/v1?hash=old" })).headers["location"]).toBe(address);
    expect((await callApi(server, { path: "/openapi/v3/api/v9" })).status).toBe(404);
  });

  it("in its older version is JSON, or the protobuf that kubectl asks for", async () => {
    expect((await callApi(server, { path: "/openapi/v2" })).body.swagger).toBe("2.0");
    const ask = (accept: string) => callApi(server, { path: "/openapi/v2", headers: { accept } });
    const type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    for (const accept of [type, type.replace("v2.v1.0", "v2@v1.0")]) {
      const { status, headers, text } = await ask(accept);
      expect([status, headers["content-type"]]).toEqual([200, type]);
      // Field 1 of the document is the version of the format.
      expect(text.slice(0, 5)).toBe("\n\u00032.0");
    }
    expect((await ask("text/html")).status).toBe(406);
  });
});
