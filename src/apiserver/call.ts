// The one value that travels through the stages of chain.ts, what comes back, and what the stages may use.
// Each field that a stage fills is written by that stage alone, on the way in; reply reads them all on the way out.

import type { Authorizer, UserInfo } from "../api/access/index.ts";
import type { ReplyKey } from "../api/bootstrap/index.ts";
import type { KubeObject, ListMeta, Resource, StatusCause } from "../api/meta/index.ts";
import type { Deny } from "../kernel/outcome/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import type { HttpAnswer } from "../platform/http/index.ts";
import type { Authenticator } from "./authentication/authenticator.ts";
import type { TokenIssuer } from "./authentication/service-account/issuer.ts";
import type { RbacObjects } from "./authorization/rbac.ts";
import type { BodySource } from "./entry/body.ts";
import type { Query } from "./entry/query.ts";
import type { RequestInfo } from "./entry/request-info.ts";
import type { Gate, RequestKind } from "./limits/gate.ts";
import type { Lane } from "./limits/lane.ts";
import type { Accepted } from "./reply/accept.ts";
import type { Endpoint } from "./resources/endpoint.ts";
import type { Registry } from "./resources/registry.ts";
import type { Content, Storage } from "./storage/storage.ts";
import type { Turns } from "./verbs/turns/turns.ts";
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

/** Writes down who did what. */
export interface Audit {
  /** Undefined when nobody wants to know. */
  begin(call: Call): Recording | undefined;
  /** A request whose credential was refused: it has no user. */
  refused(call: Call, error: unknown): void;
}

export interface Recording {
  answered(answer: Answer): void;
  failed(error: unknown): void;
}

/** Counts requests. */
export interface Meter {
  /** A request is inside (+1) or has left (-1). */
  inside(kind: RequestKind, by: 1 | -1): void;
  answered(call: Call, answer: { readonly status: number; readonly durationMs: number }): void;
  /** A watch is open; call the result when it is over. */
  watching(call: Call): () => void;
  /** Was refused because too many others were running. */
  dropped(kind: RequestKind): void;
  /** A request that names a duration got its certificate: does it live as long as was asked for? */
  issued(signerName: string, isAsAsked: boolean): void;
  /** The whole page. */
  expose(): string;
}

/** Everything a stage may use beside the call itself; made once, at the start of the server. */
export interface Parts {
  /** The admission guard of certificate requests is on. */
  readonly isGuarded?: boolean | undefined;
  readonly storage: Storage;
  /** The kinds that are served at this moment. */
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: (count: number) => Uint8Array;
  readonly authenticators: readonly Authenticator[];
  /** May a request without any credential go on as anonymous? */
  readonly allowsAnonymous: (path: string) => boolean;
  readonly audit: Audit;
  readonly gate: Gate;
  readonly lane: Lane;
  readonly turns: Turns;
  readonly meter: Meter;
  readonly tokens: TokenIssuer;
  /** Health, metrics, keys: the documents about this server itself. Undefined for other paths. */
  readonly ownDocument: (call: Call) => Answer | undefined;
  readonly authorizer: Authorizer;
  /** The RBAC objects of this moment: escalation checks need them beside the authorizer. */
  readonly rbac: RbacObjects;
  /** Told about every answered request; never about bodies or credentials. */
  readonly log: (line: RequestLine) => void;
}

export interface RequestLine {
  readonly auditId: string;
  readonly method: string;
  readonly path: string;
  readonly verb: string;
  readonly user: string;
  readonly status: number;
  readonly durationMs: number;
  /** Only when something broke that is not the client's fault. */
  readonly problem?: unknown;
}

export interface Stage {
  readonly name: string;
  /** The folder where the step lives; docs/journey.md names the same. */
  readonly path: string;
  readonly run: (call: Call, next: Next, parts: Parts) => Promise<Answer>;
}
