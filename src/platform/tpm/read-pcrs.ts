// PCR values in pieces: a TPM gives at most eight a call, and says which.

import { Fault } from "../../kernel/outcome/index.ts";
import { pcrRead } from "../../kernel/tpm/index.ts";
import type { Tpm } from "./create-tpm.ts";

/** Values of one bank, in the order asked for (ascending). */
export async function readPcrs(tpm: Tpm, hash: number, pcrs: readonly number[]): Promise<readonly Uint8Array[]> {
  const values = new Map<number, Uint8Array>();
  let missing = pcrs;
  while (missing.length > 0) {
    const answer = await tpm.send(pcrRead([{ hash, pcrs: missing }]));
    const answered = answer.selections.find((selection) => selection.hash === hash)?.pcrs ?? [];
    if (answered.length === 0 || answered.length !== answer.values.length)
      throw new Fault("unsupported", `TPM does not keep PCR ${missing.join(", ")} in the bank 0x${hash.toString(16)}`);
    for (const [index, pcr] of answered.entries()) values.set(pcr, answer.values[index] ?? new Uint8Array());
    missing = missing.filter((pcr) => !values.has(pcr));
  }
  return pcrs.map((pcr) => values.get(pcr) ?? new Uint8Array());
}
