// Names of TPM objects (part 1, §16): a hash over the public area, so that a Name says which key it is and what it may do.
import { concatBytes } from "../bytes/index.ts";
import { digest } from "../crypto/index.ts";
import { hashOf } from "./algorithms.ts";
import type { PublicArea } from "./public-area.ts";
import { u16, u32 } from "./writer.ts";

/** nameAlg ‖ H(TPMT_PUBLIC), over the bytes as received. */
export function nameOf({ nameAlgorithm, raw }: PublicArea): Uint8Array {
  return concatBytes([u16(nameAlgorithm), digest(hashOf(nameAlgorithm), raw)]);
}

/** The qualified Name of a primary key: it proves in which hierarchy the key lives. */
export function qualifiedNameOfPrimary(area: PublicArea, hierarchy: number): Uint8Array {
  const { nameAlgorithm } = area;
  const parentAndOwn = concatBytes([u32(hierarchy), nameOf(area)]);
  return concatBytes([u16(nameAlgorithm), digest(hashOf(nameAlgorithm), parentAndOwn)]);
}
