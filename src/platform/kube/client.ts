// The one client that controller, node and CLI use, on the embedded and on a real API server alike. Every failure is a
// Fault: `not-found`, `already-exists`, `conflict`, `invalid` (422), `malformed` (400), `forbidden`, `unauthorized`,
// `expired` (410), `unsupported` (405, 406, 415), `too-many-requests`, `timeout`, `unavailable` (no connection, 5xx),
// `untrusted` (TLS), `aborted`; the message is the server's own, the HTTP status is in `detail.status`.

import type { KubeList, KubeObject, ObjectPath, Resource, WatchEvent } from "../../api/meta/index.ts";

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Default 30 s; a watch has none. The server is told the timeout of a write: a write whose caller has given up must
   * not happen later.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Called on an open connection, in the same turn in which the request is written to it; a Fault that it throws keeps
   * the request from being sent. For conditions that may end while a request waits for credentials or a connection.
   */
  readonly beforeSend?: (() => void) | undefined;
}

export interface ListOptions extends CallOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export interface WatchOptions extends ListOptions {
  /** Ask for a streaming list: the current objects as ADDED, then a bookmark with INITIAL_EVENTS_END, then changes. */
  readonly sendInitialEvents?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
}

export type PatchType = "merge" | "json" | "strategic" | "apply";

export interface PatchOptions extends CallOptions {
  readonly type?: PatchType | undefined;
  /** Needed for `apply`. */
  readonly fieldManager?: string | undefined;
  /** For `apply`: takes fields that another manager owns. */
  readonly force?: boolean | undefined;
}

/** Where an object is. `namespace` is left out for cluster-scoped resources. */
export interface Target extends ObjectPath {
  readonly name: string;
}

export interface KubeClient {
  get<T extends KubeObject>(resource: Resource, target: Target, options?: CallOptions): Promise<T>;
  list<T extends KubeObject>(resource: Resource, options?: ListOptions): Promise<KubeList<T>>;
  create<T extends KubeObject>(resource: Resource, object: T, options?: CallOptions): Promise<T>;
  /** PUT. The name and namespace are those of the object; `subresource` is given apart. */
  update<T extends KubeObject>(
    resource: Resource,
    object: T,
    options?: CallOptions & { readonly subresource?: string },
  ): Promise<T>;
  patch<T extends KubeObject>(resource: Resource, target: Target, patch: unknown, options?: PatchOptions): Promise<T>;
  delete(resource: Resource, target: Target, options?: CallOptions & { readonly uid?: string }): Promise<void>;
  /** Ends when the server closes the stream; an ERROR event becomes a thrown Fault (410 is `expired`). */
  watch<T extends KubeObject>(resource: Resource, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /** A request outside the resource verbs, such as GET /version or /readyz. */
  raw(method: string, path: string, options?: CallOptions): Promise<{ readonly status: number; readonly body: Buffer }>;
  close(): Promise<void>;
}
