// TPML_PCR_SELECTION (part 2, §10.9.7): which PCRs of which banks; and the digest over their values.

import { concatBytes } from "../bytes/index.ts";
import { digest } from "../crypto/index.ts";
import { Fault } from "../outcome/index.ts";
import { type TpmReader, u8, u16, u32 } from "./codec.ts";
import { hashOf } from "./constants.ts";

export interface PcrSelection {
  /** The bank's TPM_ALG_ID. */
  readonly hash: number;
  /** Ascending, each once. */
  readonly pcrs: readonly number[];
}

/** PC Client TPMs have 24 PCRs. */
const PCR_COUNT = 24;
const SELECT_OCTETS = PCR_COUNT / 8;
/** TPMs have up to five banks; the specification's own list ends at sixteen. */
const MAX_BANKS = 16;
const MAX_SELECT_OCTETS = 4;

export function readPcrSelections(reader: TpmReader): PcrSelection[] {
  const count = reader.u32();
  if (count > MAX_BANKS) throw new Fault("limit-exceeded", `PCR selection has more than ${MAX_BANKS} banks`);
  return Array.from({ length: count }, () => readPcrSelection(reader));
}

function readPcrSelection(reader: TpmReader): PcrSelection {
  const hash = reader.u16();
  const octets = reader.u8();
  if (octets > MAX_SELECT_OCTETS) throw new Fault("limit-exceeded", "PCR selection has more than 32 PCRs");
  const pcrs = [...reader.bytes(octets)].flatMap((octet, index) =>
    [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => (octet & (1 << bit)) !== 0).map((bit) => index * 8 + bit),
  );
  return { hash, pcrs };
}

export function encodePcrSelections(selections: readonly PcrSelection[]): Uint8Array {
  return concatBytes([u32(selections.length), ...selections.map(encodePcrSelection)]);
}

function encodePcrSelection({ hash, pcrs }: PcrSelection): Uint8Array {
  const bits = new Uint8Array(SELECT_OCTETS);
  for (const pcr of pcrs) {
    if (!Number.isInteger(pcr) || pcr < 0 || pcr >= PCR_COUNT)
      throw new Fault("invalid", `PCR must be between 0 and ${PCR_COUNT - 1}, got ${pcr}`);
    bits[pcr >> 3] = (bits[pcr >> 3] ?? 0) | (1 << (pcr & 7));
  }
  return concatBytes([u16(hash), u8(SELECT_OCTETS), bits]);
}

// The digest over PCR values that a quote signs: the hash is the signing scheme's, not the bank's.

/** Values in the order of the selection: banks in list order, PCRs ascending. */
export function pcrDigestOf(values: readonly Uint8Array[], schemeHash: number): Uint8Array {
  return digest(hashOf(schemeHash), concatBytes(values));
}
