// Commands on keys and sealed objects: make a primary from its template, load and read public areas, seal and unseal.

import { concatBytes } from "../../bytes/index.ts";
import { sized, type TpmReader, u16, u32 } from "../codec.ts";
import { ALGORITHM, COMMAND, HANDLE } from "../constants.ts";
import { createCommand, EMPTY_PASSWORD, type TpmCommand } from "../message.ts";
import { encodePublicArea, type PublicArea, type PublicAreaFields, parsePublicArea } from "../public-area.ts";

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

interface ReadPublicAnswer {
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

// Commands that keep a secret outside of the TPM in a form that only this TPM opens (part 3, §12): make the sealed
// object under a storage key, load it there again, ask for its content.

/**
 * fixedTPM and fixedParent: it cannot be duplicated to another TPM or parent. userWithAuth with no password, and noDA:
 * any process that runs as root on this machine may open it, and a lockout that another process caused does not stop
 * it. No policy: PCRs change with every update of the firmware, and a key that does not survive one would make each
 * update a new join.
 */
export const SEALED_ATTRIBUTES = 0x00000452;

const SEALED_TEMPLATE = concatBytes([
  u16(ALGORITHM.keyedHash),
  u16(ALGORITHM.sha256),
  u32(SEALED_ATTRIBUTES),
  NO_BYTES,
  u16(ALGORITHM.null),
  NO_BYTES,
]);

/** The two halves as the TPM gave them, without their sizes. Neither is a secret. */
export interface SealedObject {
  /** TPMT_PUBLIC. */
  readonly publicArea: Uint8Array;
  /** Encrypted under the parent, with its integrity. */
  readonly privateArea: Uint8Array;
}

/** `secret`: at most 128 octets, which is what every TPM takes. */
export function createSealed(parent: number, secret: Uint8Array): TpmCommand<SealedObject> {
  const parts = {
    name: "Create",
    code: COMMAND.create,
    handles: [parent],
    authorizations: [EMPTY_PASSWORD],
    parameters: [sized(concatBytes([NO_BYTES, sized(secret)])), sized(SEALED_TEMPLATE), NO_BYTES, NO_PCRS],
  };
  return createCommand(parts, ({ parameters }) => {
    const privateArea = parameters.sized();
    const publicArea = parameters.sized();
    parameters.rest(); // how and where it was made: we asked for it ourselves
    return { publicArea, privateArea };
  });
}

/** Fault `untrusted` for what another TPM sealed. The caller flushes the handle. */
export function loadSealed(
  parent: number,
  { publicArea, privateArea }: SealedObject,
): TpmCommand<{ readonly handle: number }> {
  const parts = {
    name: "Load",
    code: COMMAND.load,
    handles: [parent],
    authorizations: [EMPTY_PASSWORD],
    parameters: [sized(privateArea), sized(publicArea)],
    makesHandle: true,
  };
  return createCommand(parts, ({ handle, parameters }) => {
    parameters.sized(); // its Name
    return { handle };
  });
}

export function unseal(object: number): TpmCommand<Uint8Array> {
  const parts = {
    name: "Unseal",
    code: COMMAND.unseal,
    handles: [object],
    authorizations: [EMPTY_PASSWORD],
    parameters: [],
  };
  return createCommand(parts, ({ parameters }) => parameters.sized());
}
