// Commands on keys: make a primary from its template, load and read public areas.
import { COMMAND, HANDLE } from "../constants.ts";
import { createCommand, EMPTY_PASSWORD, type TpmCommand } from "../message.ts";
import { encodePublicArea, type PublicArea, type PublicAreaFields, parsePublicArea } from "../public-area.ts";
import type { TpmReader } from "../reader.ts";
import { sized, u32 } from "../writer.ts";

/** TPM2B_SENSITIVE_CREATE with neither password nor content. */
const NO_SENSITIVE = sized(Uint8Array.of(0, 0, 0, 0));
const NO_BYTES = sized(new Uint8Array());
const NO_PCRS = u32(0);

export interface LoadedKey {
  readonly handle: number;
  readonly publicArea: PublicArea;
  readonly name: Uint8Array;
}

/** The same template gives the same key each time. The caller flushes the handle. */
export function createPrimary(hierarchy: number, template: PublicAreaFields): TpmCommand<LoadedKey> {
  const parts = {
    name: "CreatePrimary",
    code: COMMAND.createPrimary,
    handles: [hierarchy],
    authorizations: [EMPTY_PASSWORD],
    parameters: [NO_SENSITIVE, sized(encodePublicArea(template)), NO_BYTES, NO_PCRS],
    makesHandle: true,
  };
  return createCommand(parts, ({ handle, parameters }) => {
    const publicArea = parsePublicArea(parameters.sized());
    parameters.sized(); // creation data and hash: activation proves more
    parameters.sized();
    skipTicket(parameters);
    return { handle, publicArea, name: parameters.sized() };
  });
}

function skipTicket(parameters: TpmReader): void {
  parameters.u16();
  parameters.u32();
  parameters.sized();
}

/** A public key alone. MakeCredential on a TPM needs it in no hierarchy, which is the default. */
export function loadExternal(
  publicArea: Uint8Array,
  hierarchy: number = HANDLE.null,
): TpmCommand<{ readonly handle: number; readonly name: Uint8Array }> {
  const parts = {
    name: "LoadExternal",
    code: COMMAND.loadExternal,
    parameters: [NO_BYTES, sized(publicArea), u32(hierarchy)],
    makesHandle: true,
  };
  return createCommand(parts, ({ handle, parameters }) => ({ handle, name: parameters.sized() }));
}

export interface ReadPublicAnswer {
  readonly publicArea: PublicArea;
  readonly name: Uint8Array;
  readonly qualifiedName: Uint8Array;
}

export function readPublic(handle: number): TpmCommand<ReadPublicAnswer> {
  const parts = { name: "ReadPublic", code: COMMAND.readPublic, handles: [handle], parameters: [] };
  return createCommand(parts, ({ parameters }) => ({
    publicArea: parsePublicArea(parameters.sized()),
    name: parameters.sized(),
    qualifiedName: parameters.sized(),
  }));
}
