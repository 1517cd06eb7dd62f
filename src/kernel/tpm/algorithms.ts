// TPM algorithm numbers ↔ the product's names. What is not in the tables is `unsupported`, SHA-1 with intent.
import type { Curve, HashName } from "../crypto/index.ts";
import { Fault } from "../outcome/index.ts";
import { ALGORITHM, CURVE_ID } from "./constants.ts";

const HASHES: ReadonlyMap<number, HashName> = new Map([
  [ALGORITHM.sha256, "sha256"],
  [ALGORITHM.sha384, "sha384"],
  [ALGORITHM.sha512, "sha512"],
]);

const CURVES_BY_ID: ReadonlyMap<number, Curve> = new Map([
  [CURVE_ID.p256, "P-256"],
  [CURVE_ID.p384, "P-384"],
  [CURVE_ID.p521, "P-521"],
]);

export function hashOf(algorithm: number): HashName {
  const hash = HASHES.get(algorithm);
  if (hash === undefined)
    throw new Fault("unsupported", `TPM hash must be SHA-256, SHA-384 or SHA-512, got 0x${algorithm.toString(16)}`);
  return hash;
}

export function curveOf(curveId: number): Curve {
  const curve = CURVES_BY_ID.get(curveId);
  if (curve === undefined)
    throw new Fault("unsupported", `TPM curve must be P-256, P-384 or P-521, got 0x${curveId.toString(16)}`);
  return curve;
}
