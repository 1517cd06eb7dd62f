// JSON, YAML and protobuf over real TLS: what is sent in one can be read in the others.

import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aCsr, forNode } from "../../test/builders/csr.ts";
import { callApi, type Received, type Sent, streamApi } from "../../test/fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../test/fakes/api-server.ts";
import { encodeProtobuf, type KindName, parseProtobuf } from "./encoding/index.ts";

let server: TestApiServer;
beforeAll(async () => {
  server = await startTestApiServer();
});
afterAll(() => server.close());

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const MAPS = "/api/v1/namespaces/default/configmaps";
const CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const STATUS: KindName = { apiVersion: "v1", kind: "Status" };
const call = (sent: Sent) => callApi(server, sent);
const aMap = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  ...more,
});
/** What a typed client of client-go sends. */
const typed = <T extends KindName>(method: string, path: string, object: T): Promise<Received> =>
  call({
    method,
    path,
    body: encodeProtobuf(object),
    headers: { "content-type": PROTOBUF, accept: `${PROTOBUF},application/json` },
  });
const read = ({ bytes }: Received, kind: KindName = STATUS) => parseProtobuf(bytes, kind);

describe("protobuf", () => {
  it("creates, approves and deletes a certificate request", async () => {
    const created = await typed("POST", CSRS, { ...aCsr(forNode("n1")), metadata: { name: "typed" } });
    expect(created).toMatchObject({ status: 201, headers: { "content-type": PROTOBUF } });
    const csr = read(created);
    expect(csr).toMatchObject({ kind: "CertificateSigningRequest", metadata: { name: "typed" } });

    const condition = { type: "Approved", status: "True", reason: "KubectlApprove", message: "yes" };
    const approved = { ...(csr as object), ...kindOf(csr), status: { conditions: [condition] } };
    const answer = read(await typed("PUT", `${CSRS}/typed/approval`, approved));
    expect(answer).toMatchObject({ status: { conditions: [{ type: "Approved", reason: "KubectlApprove" }] } });
    expect((await call({ path: `${CSRS}/typed` })).body).toMatchObject(answer);

    const options = { apiVersion: "certificates.k8s.io/v1", kind: "DeleteOptions", preconditions: { uid: "other" } };
    expect(read(await typed("DELETE", `${CSRS}/typed`, options))).toMatchObject({ kind: "Status", reason: "Conflict" });
    const gone = await typed("DELETE", `${CSRS}/typed`, { ...options, preconditions: {} });
    expect(read(gone)).toMatchObject({ kind: "Status", status: "Success" });
  });

  it("asks a question and gets its answer", async () => {
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const answer = read(await typed("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review));
    expect(answer).toMatchObject({ ...review, status: { userInfo: { username: expect.any(String) } } });
  });

  it("tells refusals, before and after negotiation", async () => {
    const headers = { accept: `${PROTOBUF},application/json` };
    expect(read(await call({ path: `${MAPS}/missing`, headers }))).toMatchObject({ code: 404, reason: "NotFound" });
    expect(read(await call({ path: MAPS, headers, as: "anonymous" }))).toMatchObject({ code: 403 });
    const bad = await call({ path: MAPS, headers, as: { token: "abcdef.0000000000000000" } });
    expect(bad).toMatchObject({ status: 401, headers: { "content-type": PROTOBUF } });
    expect(read(bad)).toMatchObject({ reason: "Unauthorized" });
  });

  it("lists, whole and as bare metadata", async () => {
    await typed("POST", MAPS, aMap("listed", { data: { a: "b" } }));
    const whole = read(await call({ path: MAPS, headers: { accept: PROTOBUF } }));
    expect(whole).toMatchObject({
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: expect.any(String) },
    });
    expect(whole["items"]).toContainEqual(expect.objectContaining({ data: { a: "b" } }));

    const accept = `${PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
    const bare = read(await call({ path: MAPS, headers: { accept } }));
    expect(bare).toMatchObject({ kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1" });
    expect(bare["items"]).toContainEqual({ metadata: expect.objectContaining({ name: "listed" }) });
  });

  it("watches", async () => {
    await typed("POST", MAPS, aMap("seen", { data: { a: "b" } }));
    const path = `${MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dseen&timeoutSeconds=1`;
    const { headers, chunks } = await streamApi(server, { path, headers: { accept: `${PROTOBUF},application/json` } });
    expect(headers["content-type"]).toBe(`${PROTOBUF};stream=watch`);
    const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = framesOf(Buffer.concat(await chunks));
    expect(first.subarray(0, 7).toString()).toContain("ADDED");
    expect(parseProtobuf(first.subarray(first.indexOf("k8s\0")), STATUS)).toMatchObject(
      aMap("seen", { data: { a: "b" } }),
    );
    expect(parseProtobuf(second.subarray(second.indexOf("k8s\0")), STATUS)).toMatchObject({
      kind: "ConfigMap",
      metadata: { annotations: { "k8s.io/initial-events-end": "true" } },
    });
  });

  const refused: Record<string, [string | Uint8Array, number]> = {
    "bytes that are none": ["k8s\0\u0001", 400],
    JSON: ["{}", 400],
    "an object of another kind": [encodeProtobuf({ apiVersion: "v1", kind: "Secret" }), 400],
  };
  it.each(Object.entries(refused))("does not mean %s", async (_name, [body, status]) => {
    const headers = { "content-type": PROTOBUF };
    expect(await call({ method: "POST", path: MAPS, body, headers })).toMatchObject({
      status,
      body: { kind: "Status" },
    });
  });
});

describe("a custom resource", () => {
  const path = "/apis/example.com/v1/widgets";

  it("has no protobuf form, but its metadata has", async () => {
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Cluster",
        names: { plural: "widgets", kind: "Widget" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    };
    const defined = await typed("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    expect(defined.status).toBe(201);
    await expect.poll(async () => (await call({ path })).status).toBe(200);

    const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, spec: { size: 1 } };
    const headers = { accept: `${PROTOBUF},application/json` };
    const created = await call({ method: "POST", path, body: widget, headers });
    expect(created).toMatchObject({ status: 201, headers: { "content-type": "application/json" }, body: widget });
    const asProtobuf = { ...headers, "content-type": PROTOBUF };
    expect((await call({ method: "POST", path, body: "k8s\0", headers: asProtobuf })).status).toBe(415);
    expect((await call({ path, headers: { accept: PROTOBUF } })).status).toBe(406);

    const accept = `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
    expect(read(await call({ path: `${path}/w`, headers: { accept } }))).toMatchObject({
      kind: "PartialObjectMetadata",
      metadata: { name: "w" },
    });
    const options = { apiVersion: "example.com/v1", kind: "DeleteOptions", gracePeriodSeconds: 0 };
    expect((await typed("DELETE", `${path}/w`, options)).status).toBe(200);
  });
});

describe("YAML", () => {
  it("is read and written", async () => {
    const headers = { "content-type": "application/yaml; charset=utf-8", accept: "application/yaml" };
    const body = "metadata:\n  name: yaml\ndata:\n  a: |\n    b\n";
    const created = await call({ method: "POST", path: MAPS, body, headers });
    expect(created).toMatchObject({ status: 201, headers: { "content-type": "application/yaml" } });
    expect(created.text).toContain('apiVersion: v1\ndata:\n  a: "b\\n"\nkind: ConfigMap\nmetadata:\n');
    expect((await call({ path: `${MAPS}/none`, headers })).text).toContain("reason: NotFound\n");
    expect((await call({ path: `${MAPS}?watch=true`, headers })).status).toBe(406);
  });
});

const WARNING = '299 - "line 7: key \\"a\\" already set in map"';

describe("a YAML body with a repeated key", () => {
  const body = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: twice\ndata:\n  a: b\n  a: c\n";
  const complaint = 'yaml: unmarshal errors:\n  line 7: key "a" already set in map';
  it("is refused, warned of or taken as fieldValidation says", async () => {
    const headers = { "content-type": "application/yaml" };
    const create = (how: string) => call({ method: "POST", path: `${MAPS}?fieldValidation=${how}`, body, headers });
    const strict = await create("Strict");
    expect(strict.status).toBe(400);
    expect(strict.body.message).toContain(`strict decoding error: ${complaint}`);
    const warned = await create("Warn");
    expect(warned).toMatchObject({ status: 201, body: { data: { a: "c" } }, headers: { warning: WARNING } });
    await call({ method: "DELETE", path: `${MAPS}/twice` });
    expect((await create("Ignore")).headers["warning"]).toBeUndefined();
  });

  it("is so too when it is applied, and one in braces is YAML as well", async () => {
    const headers = { "content-type": "application/apply-patch+yaml" };
    const apply = (how: string, text = body) =>
      call({
        method: "PATCH",
        path: `${MAPS}/twice?fieldManager=m&force=true&fieldValidation=${how}`,
        body: text,
        headers,
      });
    const strict = await apply("Strict");
    expect(strict.status).toBe(400);
    expect(strict.body.message).toBe(`error strict decoding YAML: error converting YAML to JSON: ${complaint}`);
    expect((await apply("Warn")).headers["warning"]).toContain("already set in map");
    expect((await apply("Ignore")).headers["warning"]).toBeUndefined();
    const flow = "{apiVersion: v1, kind: ConfigMap, metadata: {name: twice}, data: {a: d}}";
    expect(await apply("Strict", flow)).toMatchObject({ status: 200, body: { data: { a: "d" } } });
  });
});

describe("a JSON patch with a repeated key", () => {
  it("is told of it in the words of patches, once", async () => {
    await typed("POST", MAPS, aMap("patched", { data: { a: "b" } }));
    const body = '[{"op":"test","op":"add","op":"add","path":"/data/c","value":"d"}]';
    const headers = { "content-type": "application/json-patch+json" };
    const patch = (how: string) =>
      call({ method: "PATCH", path: `${MAPS}/patched?fieldValidation=${how}`, body, headers });
    const strict = await patch("Strict");
    expect(strict.status).toBe(422);
    expect(strict.body.message).toContain('strict decoding error: json patch duplicate field "[0].op"');
    expect((await patch("Warn")).headers["warning"]).toBe('299 - "json patch duplicate field \\"[0].op\\""');
  });
});

describe("other media types", () => {
  it("are refused with the list of those that are taken", async () => {
    const answer = await call({ method: "POST", path: MAPS, body: "a", headers: { "content-type": "text/plain" } });
    expect(answer).toMatchObject({ status: 415, body: { reason: "UnsupportedMediaType" } });
    expect(answer.body.message).toMatch(
      /application\/json, application\/yaml, application\/vnd\.kubernetes\.protobuf$/,
    );
  });
});

describe("a large answer", () => {
  it("is packed for clients that take it", async () => {
    await typed("POST", MAPS, aMap("large", { data: { a: "x".repeat(200_000) } }));
    const plain = await call({ path: `${MAPS}/large` });
    const packed = await call({ path: `${MAPS}/large`, headers: { "accept-encoding": "gzip" } });
    expect(packed.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
    expect(packed.bytes.length).toBeLessThan(10_000);
    expect(gunzipSync(packed.bytes)).toEqual(plain.bytes);
  });
});

function kindOf(object: object): KindName {
  return object as unknown as KindName;
}

function framesOf(bytes: Buffer): readonly Buffer[] {
  if (bytes.length === 0) return [];
  const length = bytes.readUInt32BE();
  return [bytes.subarray(4, 4 + length), ...framesOf(bytes.subarray(4 + length))];
}
