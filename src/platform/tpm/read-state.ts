// What a TPM gives in pieces: NV storage by some hundred octets a call, PCR values by eight.

import { concatBytes } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { getProperties, HANDLE, nvRead, nvReadPublic, PROPERTY, pcrRead } from "../../kernel/tpm/index.ts";
import type { Tpm } from "./create-tpm.ts";

/** TPM_PT_NV_BUFFER_MAX where the TPM does not say: every TPM gives this much. */
const LEAST_BUFFER_OCTETS = 512;
/** EK certificates have one to two thousand octets; the largest index of a PC Client TPM has 8 KiB. */
const MAX_NV_OCTETS = 8_192;
/** TPMA_NV_AUTHREAD: the index's own empty password opens it. */
const AUTH_READ = 0x0004_0000;

/** Undefined where there is no such index, or nothing was ever written to it. */
export async function readNv(tpm: Tpm, index: number): Promise<Uint8Array | undefined> {
  try {
    const { attributes, octets } = await tpm.send(nvReadPublic(index));
    if (octets > MAX_NV_OCTETS) throw new Fault("limit-exceeded", `NV index 0x${index.toString(16)} is too large`);
    const authority = (attributes & AUTH_READ) !== 0 ? index : HANDLE.owner;
    return await readPieces(tpm, { index, authority, octets });
  } catch (failure) {
    if (isFault(failure, "not-found")) return undefined;
    throw failure;
  }
}

async function readPieces(
  tpm: Tpm,
  { index, authority, octets }: { readonly index: number; readonly authority: number; readonly octets: number },
): Promise<Uint8Array> {
  const properties = await tpm.send(getProperties(PROPERTY.nvBufferMax));
  const piece = Math.min(properties.get(PROPERTY.nvBufferMax) ?? LEAST_BUFFER_OCTETS, 1024);
  const pieces: Uint8Array[] = [];
  let offset = 0;
  while (offset < octets) {
    const content = await tpm.send(nvRead({ index, authority, offset, octets: Math.min(piece, octets - offset) }));
    if (content.length === 0)
      throw new Fault("malformed", `TPM stopped in the middle of NV index 0x${index.toString(16)}`);
    pieces.push(content);
    offset += content.length;
  }
  return concatBytes(pieces);
}

// PCR values in pieces: a TPM gives at most eight a call, and says which.

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
