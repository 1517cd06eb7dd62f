// Reviews: kinds that are created and answered, but never stored.

import type { Attributes, Decision, PolicyRule, UserInfo } from "../../api/access/index.ts";
import type { KubeObject, Resource } from "../../api/meta/index.ts";
import type { FieldError } from "./field-error.ts";

export interface ReviewFacts {
  readonly user: UserInfo;
  readonly nowMs: number;
  readonly authorize: (attributes: Attributes) => Decision;
  /** Everything the user may do in a namespace. */
  readonly rulesIn: (namespace: string) => KnownRules;
  readonly reviewToken: (token: string, audiences: readonly string[]) => TokenVerdict;
}

export interface KnownRules {
  readonly rules: readonly PolicyRule[];
  /** Failures to evaluate; the list may be incomplete then. */
  readonly problems: readonly string[];
}

export type TokenVerdict =
  | { readonly authenticated: true; readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly authenticated: false; readonly error: string };

export interface Review<T extends KubeObject = KubeObject> {
  readonly resource: Resource;
  /** Refused as 400 before the fields are validated. */
  problem?(asked: T): string | undefined;
  validate(asked: T): readonly FieldError[];
  answer(asked: T, facts: ReviewFacts): KubeObject;
}
