// The one value that travels through the stages of chain.ts, and what comes back.
// Each field that a stage fills is written by that stage alone, on the way in; reply reads them all on the way out.

import type { UserInfo } from "../api/access/index.ts";
import type { ReplyKey } from "../api/bootstrap/index.ts";
import type { KubeObject, ListMeta, Resource, StatusCause } from "../api/meta/index.ts";
import type { Deny } from "../kernel/outcome/index.ts";
import type { HttpAnswer } from "../platform/http/index.ts";
import type { Accepted } from "./entry/accept.ts";
import type { BodySource } from "./entry/body.ts";
import type { Query } from "./entry/query.ts";
import type { RequestInfo } from "./entry/request-info.ts";
import type { Endpoint } from "./resources/registry.ts";
import type { Content } from "./storage/storage.ts";
import type { Watch } from "./watching/watch.ts";

export interface Call {
  readonly request: BodySource;
  readonly receivedMs: number;
  readonly auditId: string;
  /** The body, once a later stage has read it. */
  readonly sentBody: () => Uint8Array | undefined;
  /** What the stages tell the audit log about this call, beside what it sees itself. */
  readonly annotations: Record<string, string>;
  /** Lets others work between two steps of a dear request. Filled by limits. */
  pause: () => Promise<void>;
  /** Waits for something outside of this server's power, without holding a place inside meanwhile. Filled by limits. */
  outside: <T>(wait: () => Promise<T>) => Promise<T>;
  /** So many bytes of the body have come. Filled by limits, which throws when the user holds too many. */
  holdBytes: (bytes: number) => void;
  /** What the client shall know although its request succeeds; reply tells it in headers. */
  readonly warnings: string[];
  /** Filled by entry; until then it asks for nothing. */
  info: RequestInfo;
  query: Query;
  /** Filled by authentication: whose credential it was. Until then it is nobody, to whom nothing is allowed. */
  caller: UserInfo;
  /** Filled by authentication: the key with which this caller wants the answer signed. */
  replyKey?: ReplyKey;
  /** The caller, or, filled by impersonation, the user he acts as. Everything after that asks for this one. */
  user: UserInfo;
  /** Filled by admission: what every attempt of this call to write must pass. */
  reviews: Reviews;
  /** Filled by resources: whom the request is for, and in which form the answer is wanted. */
  endpoint: Endpoint | undefined;
  accepted: Accepted;
}

export type Operation = "CREATE" | "UPDATE" | "DELETE";

/** One try to change one object. A lost race makes another try, with another `current`. */
export interface Attempt {
  readonly operation: Operation;
  readonly resource: Resource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: UserInfo;
  /** What is stored now; absent for CREATE. */
  readonly current: KubeObject | undefined;
  /** What shall be stored; absent for DELETE. */
  readonly object: KubeObject | undefined;
}

/** Both judges answer with a refusal or with nothing. `before` sees what the client sent, `after` what would be stored. */
export interface Reviews {
  /** What the plugins add to an object that is written, before anybody judges it. */
  change(attempt: Attempt): Attempt;
  before(attempt: Attempt): Refusal | undefined;
  after(attempt: Attempt): Refusal | undefined;
}

export interface Refusal extends Deny {
  /** Set when the reason is an object that is not there: the client is told so, and may wait for it and try again. */
  readonly missing?: { readonly resource: Resource; readonly name: string };
  /** What a client can act on without reading the message. */
  readonly causes?: readonly StatusCause[];
}

/** What a stage gives back; reply turns it into bytes. */
export type Answer =
  | { readonly kind: "object"; readonly status: number; readonly content: Content }
  | { readonly kind: "list"; readonly items: readonly Content[]; readonly meta: ListMeta }
  | { readonly kind: "events"; readonly watch: Watch }
  /** A document that is no object of a resource: discovery, Status, version. */
  | { readonly kind: "document"; readonly status: number; readonly body: unknown; readonly mediaType?: string }
  | { readonly kind: "text"; readonly status: number; readonly text: string }
  | { readonly kind: "sent"; readonly http: HttpAnswer };

/** The rest of the way. */
export type Next = () => Promise<Answer>;
