// TPMS_ATTEST of a quote (part 2, §10.12.12): what a restricted key inside a TPM signed, and nothing outside of that
// TPM can have made.
import { Fault } from "../outcome/index.ts";
import { readWhole, type TpmReader } from "./codec.ts";
import { GENERATED_MAGIC, STRUCTURE } from "./constants.ts";
import { type PcrSelection, readPcrSelections } from "./pcrs.ts";

export interface Quote {
  /** The bytes that were signed. */
  readonly raw: Uint8Array;
  readonly qualifiedSigner: Uint8Array;
  readonly extraData: Uint8Array;
  /** Milliseconds the TPM has run since it was cleared. */
  readonly clock: bigint;
  readonly resetCount: number;
  readonly restartCount: number;
  /** False after an unorderly end: the clock may have lost some minutes. */
  readonly isClockSafe: boolean;
  readonly firmwareVersion: bigint;
  readonly selections: readonly PcrSelection[];
  readonly pcrDigest: Uint8Array;
}

/** A quote over one bank has some 150 octets. */
const MAX_ATTEST_OCTETS = 1024;

export function parseQuote(bytes: Uint8Array): Quote {
  if (bytes.length > MAX_ATTEST_OCTETS)
    throw new Fault("limit-exceeded", `TPM attestation is larger than ${MAX_ATTEST_OCTETS} octets`);
  return { raw: bytes, ...readWhole(bytes, readQuote) };
}

function readQuote(reader: TpmReader): Omit<Quote, "raw"> {
  if (reader.u32() !== GENERATED_MAGIC)
    throw new Fault("malformed", "TPM attestation must begin with the mark of what a TPM made itself");
  const type = reader.u16();
  if (type !== STRUCTURE.quote)
    throw new Fault("malformed", `TPM attestation must be a quote, got type 0x${type.toString(16)}`);
  return {
    qualifiedSigner: reader.sized(),
    extraData: reader.sized(),
    clock: reader.u64(),
    resetCount: reader.u32(),
    restartCount: reader.u32(),
    isClockSafe: readYesNo(reader),
    firmwareVersion: reader.u64(),
    selections: readPcrSelections(reader),
    pcrDigest: reader.sized(),
  };
}

function readYesNo(reader: TpmReader): boolean {
  const octet = reader.u8();
  if (octet > 1) throw new Fault("malformed", "TPM yes-or-no must be 0 or 1");
  return octet === 1;
}
