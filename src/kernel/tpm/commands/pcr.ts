// Commands on PCRs: read, extend, and quote them with the attestation key.
import { concatBytes } from "../../bytes/index.ts";
import { Fault } from "../../outcome/index.ts";
import { sized, u16, u32 } from "../codec.ts";
import { ALGORITHM, COMMAND } from "../constants.ts";
import { createCommand, EMPTY_PASSWORD, type TpmCommand } from "../message.ts";
import { encodePcrSelections, type PcrSelection, readPcrSelections } from "../pcrs.ts";

interface PcrReadAnswer {
  /** Which of the PCRs asked for the values are of: a TPM gives at most eight a call. */
  readonly selections: readonly PcrSelection[];
  readonly values: readonly Uint8Array[];
}

/** TPML_DIGEST holds eight by specification. */
const MAX_VALUES = 8;

export function pcrRead(selections: readonly PcrSelection[]): TpmCommand<PcrReadAnswer> {
  const parts = { name: "PCR_Read", code: COMMAND.pcrRead, parameters: [encodePcrSelections(selections)] };
  return createCommand(parts, ({ parameters }) => {
    parameters.u32(); // the update counter: values are compared instead
    const answered = readPcrSelections(parameters);
    const count = parameters.u32();
    if (count > MAX_VALUES) throw new Fault("limit-exceeded", `TPM answered with more than ${MAX_VALUES} PCR values`);
    return { selections: answered, values: Array.from({ length: count }, () => parameters.sized()) };
  });
}

export function pcrExtend(pcr: number, hash: number, digest: Uint8Array): TpmCommand<void> {
  const parts = {
    name: "PCR_Extend",
    code: COMMAND.pcrExtend,
    handles: [pcr],
    authorizations: [EMPTY_PASSWORD],
    parameters: [concatBytes([u32(1), u16(hash), digest])],
  };
  return createCommand(parts, () => undefined);
}

interface QuoteAnswer {
  /** TPMS_ATTEST. */
  readonly attest: Uint8Array;
  /** TPMT_SIGNATURE. */
  readonly signature: Uint8Array;
}

interface QuoteRequest {
  readonly key: number;
  /** At most 32 octets: what the smallest TPMs take in qualifying data. */
  readonly extraData: Uint8Array;
  readonly selections: readonly PcrSelection[];
}

/** Signed with the key's own scheme. */
export function quote({ key, extraData, selections }: QuoteRequest): TpmCommand<QuoteAnswer> {
  const parts = {
    name: "Quote",
    code: COMMAND.quote,
    handles: [key],
    authorizations: [EMPTY_PASSWORD],
    parameters: [sized(extraData), u16(ALGORITHM.null), encodePcrSelections(selections)],
  };
  return createCommand(parts, ({ parameters }) => ({ attest: parameters.sized(), signature: parameters.rest() }));
}
