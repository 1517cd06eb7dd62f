// One group and version of built-in kinds: what is served of it, and the fields of everything that it is made of.

import type { Resource } from "../../api/meta/index.ts";
import type { Review } from "./review.ts";
import type { CreateSubresource, Strategy } from "./strategy.ts";

/** A collection that is only posted to; the body names the object whose subresource is meant. */
export interface PostedCollection {
  readonly resource: Resource;
  readonly strategy: Strategy;
  readonly subresource: CreateSubresource;
}

export interface ApiGroup {
  readonly apiVersion: string;
  /** How messages of other groups name its own: `packageName.Message`. */
  readonly packageName: string;
  readonly kinds?: readonly Strategy[];
  readonly reviews?: readonly Review[];
  readonly posted?: readonly PostedCollection[];
  /** In the notation of encoding/notation.ts. */
  readonly messages: string;
}
