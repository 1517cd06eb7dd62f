// Kinds that are a question: created, answered, never stored.

import type { UserInfo } from "../../api/access/index.ts";
import type { KubeObject, Resource } from "../../api/meta/index.ts";
import type { Attributes, Decision } from "../authorization/attributes.ts";
import type { FieldError } from "./field-error.ts";
import type { Shape } from "./shape.ts";

export interface ReviewFacts {
  readonly user: UserInfo;
  readonly nowMs: number;
  readonly authorize: (attributes: Attributes) => Decision;
}

export interface Review<T extends KubeObject = KubeObject> {
  readonly resource: Resource;
  readonly shape: Shape;
  validate(asked: T): readonly FieldError[];
  answer(asked: T, facts: ReviewFacts): KubeObject;
}
