// The question every authorizer is asked, and the three answers it has. Here because two of them share it: the authorizer of
// nodes and the chain of the API server.

import type { Allow, Deny, NoOpinion } from "../../kernel/outcome/index.ts";
import type { FieldRequirement } from "../meta/index.ts";
import type { UserInfo } from "./user.ts";

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
