// Step 3, authorize: the question, and the three answers an authorizer has.

import type { UserInfo } from "../../api/access/index.ts";
import type { FieldRequirement } from "../../api/meta/index.ts";
import type { Allow, Deny, NoOpinion } from "../../kernel/outcome/index.ts";

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
