// The verbs of the Kubernetes API as requests: paths, queries and bodies out, objects or Faults in.

import {
  apiVersionOf,
  type KubeList,
  type KubeObject,
  type ObjectPath,
  type Resource,
  resourcePath,
  type WatchEvent,
} from "../../api/meta/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { CallOptions, KubeClient, ListOptions, PatchOptions, PatchType, WatchOptions } from "./client.ts";
import type { Connection } from "./connection/credentials.ts";
import { faultFromResponse } from "./faults.ts";
import { type Answer, createTransport, type KubeRequest, type Transport } from "./wire/transport.ts";
import { readEvents } from "./wire/watch-stream.ts";

const CALL_TIMEOUT_MS = 30_000;

/** A server that has not ended a watch this long after it should have is no longer there. */
const WATCH_GRACE_MS = 30_000;

/** Apply takes YAML, of which JSON is a part. */
const PATCH_CONTENT_TYPES: Readonly<Record<PatchType, string>> = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export function createKubeClient(connection: Connection): KubeClient {
  const transport = createTransport(connection);
  const ask = <T>(request: KubeRequest, options: CallOptions = {}) =>
    callForJson(transport, request, options) as Promise<T>;

  return {
    get: (resource, target, options) => ask({ method: "GET", path: pathOf(resource, target) }, options),

    list: async <T extends KubeObject>(resource: Resource, options: ListOptions = {}) => {
      const path = pathOf(resource, { namespace: options.namespace }, listQuery(options));
      const list = await ask<KubeList<T>>({ method: "GET", path }, options);
      return { ...list, items: completeItems(resource, list) };
    },

    create: (resource, object, options) => {
      const path = pathOf(resource, { namespace: object.metadata.namespace }, timeoutQuery(options));
      return ask({ method: "POST", path, body: JSON.stringify(object) }, options);
    },

    update: async (resource, object, options) => {
      const { name, namespace } = object.metadata;
      if (name === undefined) throw new Fault("invalid", `a ${resource.kind} without a name cannot be updated`);
      const where = { name, namespace, subresource: options?.subresource };
      const path = pathOf(resource, where, timeoutQuery(options));
      return ask({ method: "PUT", path, body: JSON.stringify(object) }, options);
    },

    patch: (resource, target, patch, options: PatchOptions = {}) => {
      const { type = "merge", fieldManager, force } = options;
      const path = pathOf(resource, target, { fieldManager, force, ...timeoutQuery(options) });
      const body = JSON.stringify(patch);
      return ask({ method: "PATCH", path, body, contentType: PATCH_CONTENT_TYPES[type] }, options);
    },

    delete: async (resource, target, options) => {
      const preconditions = options?.uid === undefined ? {} : { preconditions: { uid: options.uid } };
      const body = JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", ...preconditions });
      await ask({ method: "DELETE", path: pathOf(resource, target, timeoutQuery(options)), body }, options);
    },

    watch: (resource, options = {}) => watchEvents(transport, resource, options),

    raw: async (method, path, options = {}) => {
      const { signal, timeoutMs = CALL_TIMEOUT_MS } = options;
      const { status, body } = await transport.call({ method, path, signal }, timeoutMs);
      return { status, body };
    },

    close: () => transport.close(),
  };
}

async function callForJson(transport: Transport, request: KubeRequest, options: CallOptions): Promise<unknown> {
  const { signal, beforeSend, timeoutMs = CALL_TIMEOUT_MS } = options;
  const answer = await transport.call({ ...request, signal, beforeSend }, timeoutMs);
  if (answer.status < 200 || answer.status > 299) throw faultFromAnswer(request.method, answer);
  let value: unknown;
  try {
    value = JSON.parse(answer.body.toString("utf8"));
  } catch (cause) {
    throw new Fault("malformed", `the server's answer to ${request.method} ${request.path} is not JSON`, { cause });
  }
  if (typeof value !== "object" || value === null) {
    throw new Fault("malformed", `the server's answer to ${request.method} ${request.path} is not an object`);
  }
  return value;
}

async function* watchEvents<T extends KubeObject>(
  transport: Transport,
  resource: Resource,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void, void> {
  const path = pathOf(resource, { namespace: options.namespace }, { ...listQuery(options), ...watchQuery(options) });
  const lifetimeMs = options.timeoutSeconds === undefined ? undefined : options.timeoutSeconds * 1_000 + WATCH_GRACE_MS;
  const opened = await transport.stream({ method: "GET", path, signal: options.signal }, lifetimeMs);
  if ("status" in opened) throw faultFromAnswer("GET", opened);
  yield* readEvents<T>(opened);
}

function faultFromAnswer(method: string, { status, body, retryAfter }: Answer): Fault {
  return faultFromResponse({ method, status, body: body.toString("utf8"), retryAfter });
}

function listQuery(options: ListOptions): Query {
  return {
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.limit,
    continue: options.continue,
    resourceVersion: options.resourceVersion,
  };
}

/** A Go duration. The server's own limit stands where none is given. */
function timeoutQuery(options: CallOptions | undefined): Query {
  const { timeoutMs } = options ?? {};
  return timeoutMs === undefined ? {} : { timeout: `${Math.max(1, Math.floor(timeoutMs))}ms` };
}

/** Bookmarks are always asked for: they keep a quiet watch resumable. */
function watchQuery({ sendInitialEvents, timeoutSeconds }: WatchOptions): Query {
  return {
    watch: true,
    allowWatchBookmarks: true,
    timeoutSeconds,
    ...(sendInitialEvents === true ? { sendInitialEvents, resourceVersionMatch: "NotOlderThan" } : {}),
  };
}

function pathOf(resource: Resource, where: ObjectPath, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return resourcePath(resource, where) + (text === "" ? "" : `?${text}`);
}

/**
 * Servers leave kind and apiVersion out of the items of a list; with them an object is the same wherever it came from.
 */
function completeItems<T extends KubeObject>(resource: Resource, list: KubeList<T>): T[] {
  const items: unknown = list.items ?? [];
  if (!Array.isArray(items)) throw new Fault("malformed", `the items of a list of ${resource.plural} are not a list`);
  return items.map((item: T) => ({ ...item, apiVersion: apiVersionOf(resource), kind: resource.kind }));
}
