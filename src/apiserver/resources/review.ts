// Kinds that are a question: created, answered, never stored.

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
  /** What could not be found out; the list may be too short then. */
  readonly problems: readonly string[];
}

export type TokenVerdict =
  | { readonly authenticated: true; readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly authenticated: false; readonly error: string };

export interface Review<T extends KubeObject = KubeObject> {
  readonly resource: Resource;
  /** What makes the whole question senseless: told as 400, before the fields are looked at. */
  problem?(asked: T): string | undefined;
  validate(asked: T): readonly FieldError[];
  answer(asked: T, facts: ReviewFacts): KubeObject;
}
