// Commands on NV storage, where makers leave EK certificates and templates.

import { DerReader, TAG } from "../../der/index.ts";
import { Fault } from "../../outcome/index.ts";
import { TpmReader, u16 } from "../codec.ts";
import { COMMAND } from "../constants.ts";
import { createCommand, EMPTY_PASSWORD, type TpmCommand } from "../message.ts";

interface NvPublic {
  readonly attributes: number;
  readonly octets: number;
}

export function nvReadPublic(index: number): TpmCommand<NvPublic> {
  const parts = { name: "NV_ReadPublic", code: COMMAND.nvReadPublic, handles: [index], parameters: [] };
  return createCommand(parts, ({ parameters }) => {
    const area = new TpmReader(parameters.sized());
    parameters.sized(); // its Name
    if (area.u32() !== index) throw new Fault("malformed", "TPM answered about another NV index");
    area.u16();
    const attributes = area.u32();
    area.sized();
    const octets = area.u16();
    area.finish();
    return { attributes, octets };
  });
}

interface NvSpan {
  readonly index: number;
  /** Whose password opens it: the owner's, or the index itself where it says AUTHREAD. */
  readonly authority: number;
  readonly offset: number;
  readonly octets: number;
}

/** May answer with fewer octets than asked. */
export function nvRead({ index, authority, offset, octets }: NvSpan): TpmCommand<Uint8Array> {
  const parts = {
    name: "NV_Read",
    code: COMMAND.nvRead,
    handles: [authority, index],
    authorizations: [EMPTY_PASSWORD],
    parameters: [u16(octets), u16(offset)],
  };
  return createCommand(parts, ({ parameters }) => parameters.sized());
}

// An EK certificate as TPM makers leave it in NV storage: plain DER, DER with padding behind it, or wrapped in a header
// of five octets (10 01 00, then the length).

const WRAPPED = [0x10, 0x01, 0x00] as const;
const WRAPPER_OCTETS = 5;

export function cutNvCertificate(content: Uint8Array): Uint8Array {
  const isWrapped = WRAPPED.every((octet, index) => content[index] === octet);
  const body = isWrapped ? content.subarray(WRAPPER_OCTETS) : content;
  if (body[0] !== TAG.sequence) throw new Fault("malformed", "NV index must hold a certificate in DER");
  return DerReader.over(body).readRaw(TAG.sequence);
}
