// Requests that no honest client sends, over the whole way from the socket to storage: broken JSON, protobuf, PEM and
// DER, bodies too deep or of the wrong kind, wrong content types, paths and patches that mean nothing.

import fc from "fast-check";
import { encodeBase64, encodeUtf8 } from "../../src/kernel/bytes/index.ts";
import { encodePem } from "../../src/kernel/pem/index.ts";
import { aCsr } from "../builders/csr.ts";
import type { Sent } from "../fakes/api-client.ts";
import { spoiled } from "./fuzz.ts";

const CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const COLLECTIONS = [
  CSRS,
  "/api/v1/namespaces/default/configmaps",
  "/api/v1/namespaces/default/secrets",
  "/api/v1/namespaces/default/pods",
  "/api/v1/namespaces/default/serviceaccounts/default/token",
  "/api/v1/nodes",
  "/apis/coordination.k8s.io/v1/namespaces/default/leases",
  "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  "/apis/authentication.k8s.io/v1/tokenreviews",
  "/apis/authorization.k8s.io/v1/subjectaccessreviews",
];
/** There before the storm, so that patches have something to miss. */
export const VICTIM = "/api/v1/namespaces/default/configmaps/victim";

const WRITE_TYPES = [
  "application/json",
  "application/vnd.kubernetes.protobuf",
  "application/yaml",
  "text/plain",
  "application/json; charset=utf-16",
  "",
];
const PATCH_TYPES = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
  "application/json",
];

const MAGIC = Uint8Array.of(0x6b, 0x38, 0x73, 0);
const depth = fc.integer({ min: 2, max: 20_000 });
const anyBytes = fc.uint8Array({ maxLength: 300 });
const bodies = fc.oneof(
  anyBytes,
  anyBytes.map((bytes) => Uint8Array.from([...MAGIC, ...bytes])),
  depth.map((levels) => "[".repeat(levels) + "]".repeat(levels)),
  depth.map((levels) => '{"a":'.repeat(levels)),
  depth.map((levels) => `a: ${"[".repeat(levels)}`),
  fc.constant("a: &a [*a, *a]\nb: [*a, *a]"),
  fc.json({ maxDepth: 4 }),
  fc
    .array(fc.record({ op: fc.string(), path: fc.string(), from: fc.string(), value: fc.jsonValue() }))
    .map((operations) => JSON.stringify(operations)),
);

const good = aCsr();
const der = Uint8Array.from(
  Buffer.from(
    Buffer.from(good.spec.request, "base64")
      .toString()
      .replace(/-----.*-----/g, ""),
    "base64",
  ),
);
const badRequests = spoiled([der]).map((bytes) => {
  const request = encodeBase64(encodeUtf8(encodePem("CERTIFICATE REQUEST", bytes)));
  const { usages, signerName } = good.spec;
  return {
    apiVersion: good.apiVersion,
    kind: good.kind,
    metadata: { name: "bad" },
    spec: { request, usages, signerName },
  };
});

const post = fc.record({ path: fc.constantFrom(...COLLECTIONS), type: fc.constantFrom(...WRITE_TYPES), body: bodies });
const patch = fc.record({ path: fc.constant(VICTIM), type: fc.constantFrom(...PATCH_TYPES), body: bodies });
const query = fc.record({ path: fc.constantFrom(...COLLECTIONS), text: fc.webQueryParameters() });
const target = fc.array(
  fc.constantFrom("..", "%2e%2e", "%00", "api", "v1", "apis", "", "%", "proxy", "watch", "a".repeat(300)),
  { maxLength: 7 },
);

export const badRequest: fc.Arbitrary<Sent> = fc.oneof(
  post.map(({ path, type, body }) => ({ method: "POST", path, body, headers: typed(type) })),
  patch.map(({ path, type, body }) => ({
    method: "PATCH",
    path: `${path}?fieldManager=x`,
    body,
    headers: typed(type),
  })),
  badRequests.map((body) => ({ method: "POST", path: `${CSRS}?dryRun=All`, body })),
  query.map(({ path, text }) => ({ path: `${path}?${text}` })),
  fc
    .tuple(fc.constantFrom("GET", "POST", "DELETE", "OPTIONS", "TRACE"), target)
    .map(([method, parts]) => ({ method, path: `/${parts.join("/")}` })),
);

function typed(type: string): Readonly<Record<string, string>> {
  return type === "" ? {} : { "content-type": type };
}
