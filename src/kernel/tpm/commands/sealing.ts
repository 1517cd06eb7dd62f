// Commands that keep a secret outside of the TPM in a form that only this TPM opens (part 3, §12): make the sealed object under a
// storage key, load it there again, ask for its content.
import { concatBytes } from "../../bytes/index.ts";
import { ALGORITHM, COMMAND } from "../constants.ts";
import { createCommand, EMPTY_PASSWORD, type TpmCommand } from "../message.ts";
import { sized, u16, u32 } from "../writer.ts";

/**
 * fixedTPM and fixedParent: it cannot be duplicated to another TPM or parent. userWithAuth with no password, and noDA: whoever runs as
 * root on this machine may open it, and a lockout that somebody else caused does not stop him. No policy: registers change with
 * every update of the firmware, and a key that does not survive one would make each update a new join.
 */
export const SEALED_ATTRIBUTES = 0x00000452;

const NO_BYTES = sized(new Uint8Array());
const NO_PCRS = u32(0);
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
