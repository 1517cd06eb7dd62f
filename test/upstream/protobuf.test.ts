// Protobuf as Kubernetes itself writes it: the Go encoder for objects of every kind, and a real kube-apiserver for
// objects it has stored. Ours must give the same bytes for the same JSON, and the same JSON for the same bytes.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeProtobuf, findMessage, type KindName, parseProtobuf } from "../../src/apiserver/encoding/index.ts";
import type { Json } from "../../src/kernel/json/index.ts";
import { aCsr, forNode } from "../builders/csr.ts";
import { anyValue, fullValue } from "../builders/message-value.ts";
import { PROTOBUF_KINDS } from "../builders/protobuf-kinds.ts";
import { type ApiEndpoint, asRoot, callApi, type Received, type Sent } from "../fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../fakes/api-server.ts";
import { locateBinary } from "./assets/binaries.mjs";
import { type ControlPlane, startControlPlane } from "./harness/index.ts";

const GOLDEN = new URL("../golden/protobuf.json", import.meta.url);
const OBJECTS_OF_A_KIND = 50;

/** Go tells an unset list or time as null; here it is absent. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withoutNulls(item));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutNulls(inner)]));
}

function samplesOf(kind: KindName): readonly (KindName & object)[] {
  const message = findMessage(kind);
  if (message === undefined) return [];
  const values = [fullValue(message), ...fc.sample(anyValue(message), OBJECTS_OF_A_KIND)];
  return values.map((value) => ({ ...kind, ...(value as object) }));
}

/** What Go makes of each object: its bytes, and the JSON of these bytes. */
function askGo(objects: readonly object[]): readonly { bytes: Buffer; json: Json }[] {
  const input = objects.map((object) => `${JSON.stringify(object)}\n`).join("");
  const output = execFileSync(locateBinary("protobuf-oracle").path, { input, maxBuffer: 2 ** 29 }).toString();
  return output.split("\n", objects.length).map((line) => {
    const [bytes = "", ...json] = line.split(" ");
    if (bytes === "ERR") throw new Error(line);
    return { bytes: Buffer.from(bytes, "base64"), json: withoutNulls(JSON.parse(json.join(" "))) };
  });
}

describe("the Go encoder", () => {
  it.each(PROTOBUF_KINDS)("writes and reads $kind of $apiVersion as we do", (kind) => {
    const objects = samplesOf(kind);
    expect(objects.length).toBeGreaterThan(OBJECTS_OF_A_KIND);
    for (const [i, { bytes, json }] of askGo(objects).entries()) {
      expect(withoutNulls(parseProtobuf(bytes, kind))).toEqual(json);
      expect(Buffer.from(encodeProtobuf(objects[i] ?? kind)).equals(bytes)).toBe(true);
    }
  });
});

describe("the golden hashes", () => {
  it("are those of the Go encoder", () => {
    const wholes = PROTOBUF_KINDS.flatMap((kind) => samplesOf(kind).slice(0, 1));
    const hashes = askGo(wholes).map(({ bytes }) => createHash("sha256").update(bytes).digest("hex"));
    const golden = Object.fromEntries(PROTOBUF_KINDS.map((kind, i) => [`${kind.apiVersion} ${kind.kind}`, hashes[i]]));
    const text = `${JSON.stringify(golden, null, 2)}\n`;
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(GOLDEN, text);
    expect(JSON.parse(readFileSync(GOLDEN, "utf8"))).toEqual(golden);
  });
});

describe("a real API server", () => {
  let plane: ControlPlane;
  let real: ApiEndpoint;
  let embedded: TestApiServer;
  beforeAll(async () => {
    [plane, embedded] = await Promise.all([startControlPlane({ keyAlgorithm: "ECDSA-P256" }), startTestApiServer()]);
    real = asRoot(plane);
  });
  afterAll(() => Promise.all([plane.stop(), embedded.close()]));

  const csr = aCsr(forNode("n1"));
  const { request, signerName, usages } = csr.spec;
  const metadata = { name: "sample", labels: { b: "2", a: "1" }, annotations: { "example.com/x": "" } };
  const time = "2026-01-02T03:04:05Z";
  const involvedObject = { kind: "Node", name: "sample", namespace: "default" };
  const objects: Record<string, [path: string, body: object]> = {
    "a CertificateSigningRequest": [
      "/apis/certificates.k8s.io/v1/certificatesigningrequests",
      { metadata, spec: { request, signerName, usages, expirationSeconds: 3600 } },
    ],
    "a Node": [
      "/api/v1/nodes",
      {
        metadata,
        spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"], taints: [{ key: "k", effect: "NoSchedule" }] },
        status: {
          capacity: { cpu: "1500m", memory: "1Gi" },
          addresses: [{ type: "InternalIP", address: "192.0.2.1" }],
          conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: time, reason: "KubeletReady" }],
          daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
          images: [{ names: ["example.com/a:1"], sizeBytes: 123_456_789_012 }],
        },
      },
    ],
    "a Secret": [
      "/api/v1/namespaces/default/secrets",
      { metadata, data: { a: "AAECAw==", empty: "" }, stringData: { b: "text" }, immutable: false },
    ],
    "a Lease": [
      "/apis/coordination.k8s.io/v1/namespaces/default/leases",
      { metadata, spec: { holderIdentity: "n1", leaseDurationSeconds: 40, renewTime: "2026-01-02T03:04:05.678901Z" } },
    ],
    "an Event": [
      "/api/v1/namespaces/default/events",
      { metadata, involvedObject, reason: "Sampled", message: "ok", type: "Normal", firstTimestamp: time, count: 3 },
    ],
  };
  const protobuf = { accept: "application/vnd.kubernetes.protobuf" };

  it.each(Object.entries(objects))("sends %s as we do", async (_name, [path, body]) => {
    const created = await callApi(real, { method: "POST", path, body });
    expect(created.status).toBe(201);
    const json = (await callApi(real, { path: `${path}/sample` })).body;
    const { bytes, headers } = await callApi(real, { path: `${path}/sample`, headers: protobuf });
    expect(headers["content-type"]).toBe("application/vnd.kubernetes.protobuf");
    expect(withoutNulls(parseProtobuf(bytes, json))).toEqual(withoutNulls(json));
    expect(Buffer.from(encodeProtobuf(withoutNulls(json) as KindName & object)).equals(bytes)).toBe(true);

    const list = (await callApi(real, { path })).body;
    const listed = await callApi(real, { path, headers: protobuf });
    // The list may have moved on in between; its objects have not.
    const { items } = parseProtobuf(listed.bytes, list) as { items: Json };
    expect(withoutNulls(items)).toEqual(withoutNulls(list.items));
  });

  it("takes an object that we wrote", async () => {
    const body = encodeProtobuf({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "ours" },
      data: { a: "b" },
    } as KindName);
    const headers = { "content-type": protobuf.accept };
    const path = "/api/v1/namespaces/default/configmaps";
    expect(await callApi(real, { method: "POST", path, body, headers })).toMatchObject({
      status: 201,
      body: { kind: "ConfigMap", data: { a: "b" } },
    });
  });

  const MAPS = "/api/v1/namespaces/default/configmaps";
  const plain = "application/json";
  const bare = "as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  const yaml = "application/yaml";
  const map = encodeProtobuf({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "sent" } });
  const asked: Record<string, Sent> = {
    "protobuf first": { path: MAPS, headers: { accept: `${protobuf.accept},${plain}` } },
    "protobuf or anything": { path: MAPS, headers: { accept: `${protobuf.accept}, */*` } },
    "YAML only": { path: MAPS, headers: { accept: yaml } },
    "YAML of one object": { path: "/api/v1/namespaces/default", headers: { accept: yaml } },
    "anything at all": { path: MAPS, headers: { accept: "*/*" } },
    "CBOR only": { path: MAPS, headers: { accept: "application/cbor" } },
    "bare metadata in protobuf": {
      path: "/api/v1/namespaces/default",
      headers: { accept: `${protobuf.accept};${bare}` },
    },
    "a missing object in protobuf": { path: `${MAPS}/none`, headers: protobuf },
    "a missing object in YAML": { path: `${MAPS}/none`, headers: { accept: yaml } },
    "a missing object as a table": {
      path: `${MAPS}/none`,
      headers: { accept: `${plain};as=Table;g=meta.k8s.io;v=v1` },
    },
    "nothing without a credential, in protobuf": { path: MAPS, headers: protobuf, as: "anonymous" },
    "a watch in YAML": { path: `${MAPS}?watch=true&timeoutSeconds=1`, headers: { accept: yaml } },
    "a watch in protobuf": { path: `${MAPS}?watch=true&timeoutSeconds=1`, headers: protobuf },
    "a protobuf body": { method: "POST", path: MAPS, body: map, headers: { "content-type": protobuf.accept } },
    "a protobuf body of another kind": {
      method: "POST",
      path: "/api/v1/namespaces/default/secrets",
      body: map,
      headers: { "content-type": protobuf.accept },
    },
    "a spoiled protobuf body": {
      method: "POST",
      path: MAPS,
      body: map.subarray(0, 30),
      headers: { "content-type": protobuf.accept },
    },
    "JSON that says it is protobuf": {
      method: "POST",
      path: MAPS,
      body: "{}",
      headers: { "content-type": protobuf.accept },
    },
    "a YAML body": {
      method: "POST",
      path: MAPS,
      body: "metadata: {name: from-yaml}",
      headers: { "content-type": yaml },
    },
    "a body of no known type": {
      method: "POST",
      path: MAPS,
      body: "a",
      headers: { "content-type": "application/xml" },
    },
  };
  it.each(Object.entries(asked))("answers %s as the embedded one does", async (_name, sent) => {
    const [ours, theirs] = [await callApi(embedded, sent), await callApi(real, sent)];
    const seen = ({ status, headers }: Received) => ({ status, type: headers["content-type"] });
    expect(seen(ours)).toEqual(seen(theirs));
  });
});
