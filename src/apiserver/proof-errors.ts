// What a new object must prove by a signature that it carries. Gathered here, outside of the pure rules, so that the main thread
// serves others while a second one calculates.

import type { KubeObject } from "../api/meta/index.ts";
import { verifySignature } from "../platform/keys/index.ts";
import type { FieldError } from "./resources/field-error.ts";
import type { Proof } from "./resources/strategy.ts";

export async function proofErrors(proof: Proof, next: KubeObject): Promise<readonly FieldError[]> {
  const carried = proof.signed(next);
  if (carried === undefined) return [];
  return (await verifySignature(carried.key, carried.signed)) ? [] : [proof.refuse(next)];
}
