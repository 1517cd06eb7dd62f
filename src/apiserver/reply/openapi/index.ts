// /openapi/v3 and its documents, /openapi/v2: answered from memory until the set of kinds changes. Each document has a
// hash in its address, so a client that has seen it never asks again. k8s.io/kube-openapi/pkg/handler3.

import { encodeHex, encodeUtf8 } from "../../../kernel/bytes/index.ts";
import { sha512t256 } from "../../../kernel/crypto/index.ts";
import { headerValue } from "../../../platform/http/index.ts";
import type { Answer, Call } from "../../call.ts";
import { acceptedType } from "../../entry/accept.ts";
import type { Registry } from "../../resources/registry.ts";
import { openApiDocuments } from "./document.ts";
import { openApiV2 } from "./v2.ts";
import { encodeOpenApiV2 } from "./v2-protobuf.ts";

interface Page {
  readonly body: Uint8Array;
  readonly hash: string;
}

interface Pages {
  readonly generation: number;
  /** Path below /openapi/v3/ -> its document. */
  readonly documents: ReadonlyMap<string, Page>;
  readonly index: Page;
  /** Made at the first request: few clients ask for it, and it holds everything. */
  v2?: { readonly json: Page; readonly protobuf: () => Page };
}

const pagesOf = new WeakMap<Registry, Pages>();

/** Undefined when there is no such document. `rest` is what follows /openapi. */
export function findOpenApi(call: Call, registry: Registry, rest: readonly string[]): Answer | undefined {
  const [version, ...path] = rest;
  if (version === "v2" && path.length === 0) return answerV2(call, registry);
  if (version !== "v3") return undefined;
  const { documents, index } = pages(registry);
  if (path.length === 0) return answer(call, index);
  const page = documents.get(path.join("/"));
  if (page === undefined) return undefined;
  const asked = call.query.first("hash");
  if (asked === undefined || asked === page.hash) return answer(call, page, { isForEver: asked !== undefined });
  const headers = { location: `${call.info.path}?hash=${page.hash}`, "audit-id": call.auditId };
  return { kind: "sent", http: { status: 301, headers, body: new Uint8Array() } };
}

function pages(registry: Registry): Pages {
  const known = pagesOf.get(registry);
  const generation = registry.generation();
  if (known !== undefined && known.generation === generation) return known;
  const documents = new Map([...openApiDocuments(registry)].map(([path, document]) => [path, pageOf(document)]));
  const paths = [...documents].map(([path, { hash }]) => {
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
  });
  const made: Pages = { generation, documents, index: pageOf({ paths: Object.fromEntries(paths) }) };
  pagesOf.set(registry, made);
  return made;
}

function pageOf(document: unknown): Page {
  const body = encodeUtf8(JSON.stringify(document));
  return { body, hash: encodeHex(sha512t256(body)).toUpperCase() };
}

function answer(call: Call, page: Page, { isForEver = false, type = "application/json" } = {}): Answer {
  const { body, hash } = page;
  const headers = {
    etag: `"${hash}"`,
    vary: "Accept",
    "audit-id": call.auditId,
    "cache-control": isForEver ? "public, immutable" : "no-cache, private",
  };
  if (headerValue(call.request.headers, "if-none-match") === headers.etag) {
    return { kind: "sent", http: { status: 304, headers, body: new Uint8Array() } };
  }
  return { kind: "sent", http: { status: 200, headers: { ...headers, "content-type": type }, body } };
}

const V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** kubectl asks with the older name, in which the version follows an @. */
const V2_TYPES: readonly string[] = ["application/json", V2_PROTOBUF.replace("v2.v1.0", "v2@v1.0"), V2_PROTOBUF];

/** kubectl asks for protobuf alone, all other clients take JSON. */
function answerV2(call: Call, registry: Registry): Answer {
  const type = acceptedType(headerValue(call.request.headers, "accept") ?? "", V2_TYPES);
  if (type === undefined) return { kind: "text", status: 406, text: `this document is ${V2_TYPES.join(" or ")}\n` };
  const { json, protobuf } = v2Of(registry);
  return type === "application/json" ? answer(call, json) : answer(call, protobuf(), { type: V2_PROTOBUF });
}

function v2Of(registry: Registry): NonNullable<Pages["v2"]> {
  const known = pages(registry);
  if (known.v2 !== undefined) return known.v2;
  const document = openApiV2(registry);
  const json = pageOf(document);
  let protobuf: Page | undefined;
  const inProtobuf = (): Page => {
    protobuf ??= { body: encodeOpenApiV2(document), hash: json.hash };
    return protobuf;
  };
  known.v2 = { json, protobuf: inProtobuf };
  return known.v2;
}
