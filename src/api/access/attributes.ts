// The question every authorizer is asked, and the three answers it has. Here because two of them share it: the
// authorizer of nodes and the chain of the API server.

import type { Allow, Deny, NoOpinion } from "../../kernel/outcome/index.ts";
import type { FieldRequirement } from "../meta/index.ts";

// The user of a request: what authentication finds out and authorization relies on.

export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const ANONYMOUS_USER = "system:anonymous";
export const UNAUTHENTICATED_GROUP = "system:unauthenticated";
export const AUTHENTICATED_GROUP = "system:authenticated";
export const MASTERS_GROUP = "system:masters";

// The token of an Authorization header, as Kubernetes reads it: anything but `Bearer <token>` belongs to another
// scheme.

export function bearerTokenOf(authorization: string | undefined): string | undefined {
  const [scheme = "", token = ""] = (authorization ?? "").trim().split(" ");
  return scheme.toLowerCase() === "bearer" && token !== "" ? token : undefined;
}

export interface Attributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResource: boolean;
  /** For requests that are about no resource. */
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldRequirements: readonly FieldRequirement[];
}

export type Decision = Allow | Deny | NoOpinion;

export interface Authorizer {
  authorize(attributes: Attributes): Decision;
}
