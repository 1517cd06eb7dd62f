// The one value that travels through the stages of chain.ts, and what comes back.
// Each field that a stage fills is written by that stage alone, on the way in; reply reads them all on the way out.

import type { UserInfo } from "../api/access/index.ts";
import type { ReplyKey } from "../api/bootstrap/index.ts";
import type { KubeObject, ListMeta, Resource, StatusCause } from "../api/meta/index.ts";
import type { Deny } from "../kernel/outcome/index.ts";
import type { HttpAnswer } from "../platform/http/index.ts";
import type { Accepted } from "./entry/accept.ts";
import type { BodySource } from "./entry/body.ts";
import type { RequestInfo } from "./entry/request-info.ts";
import type { Query } from "./entry/target.ts";
import type { Endpoint } from "./resources/registry.ts";
import type { Content } from "./storage/storage.ts";
import type { Watch } from "./watching/watch.ts";

export interface Call {
  readonly request: BodySource;
  readonly receivedMs: number;
  readonly auditId: string;
  /** The body, once a later stage has read it. */
  readonly sentBody: () => Uint8Array | undefined;
  /** What the stages add to the audit line of this call. */
  readonly annotations: Record<string, string>;
  /** Lets other requests run between two steps of an expensive one. Filled by limits. */
  pause: () => Promise<void>;
  /**
   * Waits for something that does not depend on this server, such as bytes from the client, and gives the place among
   * the running requests back meanwhile. Filled by limits.
   */
  outside: <T>(wait: () => Promise<T>) => Promise<T>;
  /** Counts bytes of the body that have arrived. Filled by limits, which throws when the user holds too many. */
  holdBytes: (bytes: number) => void;
  /** Warnings to a client whose request succeeds; reply writes them as headers. */
  readonly warnings: string[];
  /** Filled by entry; before that it names no path and no verb. */
  info: RequestInfo;
  query: Query;
  /**
   * Filled by authentication: the user of the credential. Before that it is a user without name, to whom nothing is
   * allowed.
   */
  caller: UserInfo;
  /** Filled by authentication: the key with which this caller wants the answer signed. */
  replyKey?: ReplyKey;
  /**
   * The caller, or the user that the caller impersonates (filled by impersonation). All later stages judge this user.
   */
  user: UserInfo;
  /** Filled by admission: what every attempt of this call to write must pass. */
  reviews: Reviews;
  /** Filled by resources: the kind or subresource that the request addresses, and the form of the answer. */
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

/** `before` judges what the client sent, `after` what would be stored. Undefined: no objection. */
export interface Reviews {
  /** The object with what admission plugins add to it, before any plugin judges it. */
  change(attempt: Attempt): Attempt;
  before(attempt: Attempt): AdmissionRefusal | undefined;
  after(attempt: Attempt): AdmissionRefusal | undefined;
}

export interface AdmissionRefusal extends Deny {
  /** Set when the reason is an object that does not exist: the client is told which, and may try again later. */
  readonly missing?: { readonly resource: Resource; readonly name: string };
  /** What a client can act on without reading the message. */
  readonly causes?: readonly StatusCause[];
}

/** What a stage gives back; reply turns it into bytes. */
export type Answer =
  | { readonly kind: "object"; readonly status: number; readonly content: Content }
  | { readonly kind: "list"; readonly items: readonly Content[]; readonly meta: ListMeta }
  | { readonly kind: "events"; readonly watch: Watch }
  /** A document that is not an object of a resource: discovery, Status, version. */
  | { readonly kind: "document"; readonly status: number; readonly body: unknown; readonly mediaType?: string }
  | { readonly kind: "text"; readonly status: number; readonly text: string }
  | { readonly kind: "sent"; readonly http: HttpAnswer };

/** Runs the stages that come after this one. */
export type Next = () => Promise<Answer>;
