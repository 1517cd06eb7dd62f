// The one value that travels through the stages of chain.ts, what comes back, and what the stages may use.
// Each field that a stage fills is written by that stage alone, on the way in; reply reads them all on the way out.

import type { UserInfo } from "../api/access/index.ts";
import type { KubeObject, ListMeta, Resource } from "../api/meta/index.ts";
import type { Deny } from "../kernel/outcome/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import type { HttpAnswer, HttpRequest } from "../platform/http/index.ts";
import type { Authenticator } from "./authentication/authenticator.ts";
import type { Authorizer } from "./authorization/attributes.ts";
import type { RbacObjects } from "./authorization/rbac.ts";
import type { Query } from "./entry/query.ts";
import type { RequestInfo } from "./entry/request-info.ts";
import type { Accepted } from "./reply/accept.ts";
import type { Endpoint } from "./resources/endpoint.ts";
import type { Storage } from "./storage/storage.ts";
import type { Watch } from "./watching/watch.ts";

export interface Call {
  readonly request: HttpRequest;
  readonly receivedMs: number;
  readonly auditId: string;
  /** Filled by entry; until then it asks for nothing. */
  info: RequestInfo;
  query: Query;
  /** Filled by authentication; until then it is nobody, to whom nothing is allowed. */
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

/** Both answer with a refusal or with nothing. `before` sees what the client sent, `after` what would be stored. */
export interface Reviews {
  before(attempt: Attempt): Deny | undefined;
  after(attempt: Attempt): Deny | undefined;
}

/** What a stage gives back; reply turns it into bytes. */
export type Answer =
  | { readonly kind: "object"; readonly status: number; readonly object: KubeObject }
  | { readonly kind: "list"; readonly items: readonly KubeObject[]; readonly meta: ListMeta }
  | { readonly kind: "events"; readonly watch: Watch }
  /** A document that is no object of a resource: discovery, Status, version. */
  | { readonly kind: "document"; readonly status: number; readonly body: unknown; readonly mediaType?: string }
  | { readonly kind: "text"; readonly status: number; readonly text: string }
  | { readonly kind: "sent"; readonly http: HttpAnswer };

/** The rest of the way. */
export type Next = () => Promise<Answer>;

/** Everything a stage may use beside the call itself; made once, at the start of the server. */
export interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: (count: number) => Uint8Array;
  readonly authenticators: readonly Authenticator[];
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
