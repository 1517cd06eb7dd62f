// The inner stages: resources finds the endpoint of the request, storage runs the verb, watching opens a stream. They
// are here because resources/ is pure and storage/ and watching/ know nothing of HTTP; the verbs join them.

import type { Answer, Call, Next } from "../call.ts";
import { negotiate, offerOf } from "../entry/accept.ts";
import type { RequestInfo } from "../entry/request-info.ts";
import { countParameter, isTrue } from "../entry/target.ts";
import { findDocument, NOT_FOUND } from "../reply/documents.ts";
import { CUSTOM_RESOURCE_DEFINITIONS, type Definition, identityOf } from "../resources/custom/index.ts";
import type { Endpoint } from "../resources/registry.ts";
import type { Strategy } from "../resources/strategy.ts";
import { methodNotAllowed, notFound, unknownResource } from "../status/status.ts";
import { keyOf } from "../storage/key.ts";
import type { Storage } from "../storage/storage.ts";
import { createWatch, type Watch } from "../watching/watch.ts";
import { create } from "./create.ts";
import { remove, removeCollection } from "./delete.ts";
import { patch } from "./patch/index.ts";
import { post } from "./posts/index.ts";
import { get, list, prefixFor } from "./read.ts";
import { readOptions } from "./read-options.ts";
import { review } from "./review.ts";
import { selectionOf } from "./selection.ts";
import { spoken } from "./spoken.ts";
import { type StoredCall, storedCall, type VerbParts } from "./stored-call.ts";
import { update } from "./update.ts";

/** Finds the endpoint. Reviews and documents are answered here; requests for stored kinds go on. */
export async function runResources(call: Call, next: Next, parts: VerbParts): Promise<Answer> {
  const { info } = call;
  if (!info.isResource) return parts.ownDocument(call) ?? findDocument(call, parts.registry);
  const endpoint = parts.registry.find(info);
  if (endpoint === undefined) {
    const kind = parts.registry.kindWithout(info);
    if (kind !== undefined) throw notFound(kind, info.name);
    if (parts.registry.isServedVersion(info.group, info.version)) throw unknownResource();
    return NOT_FOUND;
  }
  call.endpoint = endpoint;
  // Before anything is written: a client must not be refused for the form of an answer after its write was done.
  call.accepted = negotiate(call.request.headers, offerOf(endpoint, info.verb));
  if (endpoint.kind === "review") return review(endpoint.review, call, parts);
  if (endpoint.kind === "posted") return post(call, parts, endpoint);
  if (!isServed(endpoint, info)) throw methodNotAllowed();
  const { custom } = endpoint.strategy;
  if (custom?.deprecation !== undefined) call.warnings.push(custom.deprecation);
  return next();
}

/**
 * The kind must have the verb, and the verb must fit the path: POST goes to a collection, PUT and PATCH to an object.
 */
function isServed(endpoint: Extract<Endpoint, { kind: "stored" }>, info: RequestInfo): boolean {
  const { strategy, subresource } = endpoint;
  const verbs = subresource?.verbs ?? strategy.verbs;
  if (!verbs.includes(info.verb)) return false;
  if (info.verb === "create") return info.name === "" && (info.namespace !== "" || !strategy.resource.namespaced);
  if (info.verb === "update" || info.verb === "patch") return info.name !== "";
  return info.verb !== "deletecollection" || info.namespace !== "" || !strategy.resource.namespaced;
}

const STORED_VERBS: Readonly<Record<string, (stored: StoredCall) => Promise<Answer>>> = {
  get,
  list,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};

/** Every verb but watch ends here. */
export async function runStorage(call: Call, next: Next, parts: VerbParts): Promise<Answer> {
  const stored = storedCall(call, parts);
  const speech = stored?.subresource?.speaks;
  if (stored !== undefined && speech !== undefined) return spoken(stored, speech);
  const verb = STORED_VERBS[call.info.verb];
  return stored === undefined || verb === undefined ? next() : verb(stored);
}

export async function runWatching(call: Call, _next: Next, parts: VerbParts): Promise<Answer> {
  const stored = storedCall(call, parts);
  if (stored === undefined) return NOT_FOUND;
  const options = readOptions(call.query, true);
  const selection = selectionOf(stored);
  const watch = createWatch({
    storage: stored.parts.storage,
    clock: parts.clock,
    random: () => (parts.random(1)[0] ?? 0) / 256,
    prefix: prefixFor(stored),
    resource: stored.resource,
    matches: selection.matches,
    parameters: {
      resourceVersion: options.resourceVersion,
      sendInitialEvents: options.sendInitialEvents,
      allowWatchBookmarks: isTrue(call.query.first("allowWatchBookmarks")),
      timeoutSeconds: countParameter(call.query, "timeoutSeconds"),
    },
  });
  endWithKind(watch, stored.strategy, parts.storage);
  return { kind: "events", watch };
}

// A watch on a custom kind ends when its definition is removed or changed: the watcher's selectors and the form of its
// answers were read from the old one. Clients watch again, and find the new kind or a 404. Behaviour of crdHandler in
// k8s.io/apiextensions-apiserver, which tears down the storage of a changed kind.

function endWithKind(watch: Watch, { custom }: Strategy, storage: Storage): void {
  if (custom === undefined) return;
  const key = keyOf(CUSTOM_RESOURCE_DEFINITIONS, { name: custom.definition });
  const endUnlessSame = (): void => {
    const definition = storage.get(key)?.object as Definition | undefined;
    if (definition === undefined || identityOf(definition) !== custom.identity) watch.finish();
  };
  const unsubscribe = storage.watch(key, storage.revision(), (change) => {
    if (change.key === key) endUnlessSame();
  });
  watch.ended.addEventListener("abort", unsubscribe, { once: true });
  // The definition may have changed since this request found its kind.
  endUnlessSame();
}
