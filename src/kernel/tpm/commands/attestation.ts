// Commands of credential activation: a policy session that knows the endorsement hierarchy's secret, then the opening.
import { concatBytes } from "../../bytes/index.ts";
import { sized, u8, u16, u32 } from "../codec.ts";
import { ALGORITHM, COMMAND, HANDLE } from "../constants.ts";
import type { Credential } from "../credential.ts";
import { createCommand, EMPTY_PASSWORD, policyAuthorization, type TpmCommand } from "../message.ts";

const POLICY_SESSION = 1;
const NO_BYTES = sized(new Uint8Array());
const NO_EXPIRY = u32(0);

/** `nonce`: 16 octets at least; unsalted and unbound, so it protects nothing and needs no secrecy. */
export function startPolicySession(nonce: Uint8Array, hash: number = ALGORITHM.sha256): TpmCommand<number> {
  const parts = {
    name: "StartAuthSession",
    code: COMMAND.startAuthSession,
    handles: [HANDLE.null, HANDLE.null],
    parameters: [sized(nonce), NO_BYTES, u8(POLICY_SESSION), u16(ALGORITHM.null), u16(hash)],
    makesHandle: true,
  };
  return createCommand(parts, ({ handle, parameters }) => {
    parameters.sized(); // the TPM's nonce: only HMAC sessions need it
    return handle;
  });
}

/** Needed before each use of the session: a used policy starts again from nothing. */
export function policySecret(authority: number, session: number): TpmCommand<void> {
  const parts = {
    name: "PolicySecret",
    code: COMMAND.policySecret,
    handles: [authority, session],
    authorizations: [EMPTY_PASSWORD],
    parameters: [NO_BYTES, NO_BYTES, NO_BYTES, NO_EXPIRY],
  };
  return createCommand(parts, ({ parameters }) => {
    parameters.sized(); // a timeout and a ticket, which are not used
    parameters.u16();
    parameters.u32();
    parameters.sized();
  });
}

interface Activation {
  readonly attestationKey: number;
  readonly endorsementKey: number;
  /** Absent for keys of the high range, which take an empty password. */
  readonly session?: number | undefined;
  readonly credential: Credential;
}

/**
 * Opens a credential: only the TPM with the endorsement key can, and only for the very attestation key it was made for.
 */
export function activateCredential({
  attestationKey,
  endorsementKey,
  session,
  credential,
}: Activation): TpmCommand<Uint8Array> {
  const parts = {
    name: "ActivateCredential",
    code: COMMAND.activateCredential,
    handles: [attestationKey, endorsementKey],
    authorizations: [EMPTY_PASSWORD, session === undefined ? EMPTY_PASSWORD : policyAuthorization(session)],
    parameters: [concatBytes([credential.credentialBlob, credential.encryptedSecret])],
  };
  return createCommand(parts, ({ parameters }) => parameters.sized());
}

/** MakeCredential by a TPM; the controller does it in software, tests compare the two. */
export function makeCredentialOnTpm(
  endorsementKey: number,
  input: { readonly secret: Uint8Array; readonly objectName: Uint8Array },
): TpmCommand<Credential> {
  const parts = {
    name: "MakeCredential",
    code: COMMAND.makeCredential,
    handles: [endorsementKey],
    parameters: [sized(input.secret), sized(input.objectName)],
  };
  return createCommand(parts, ({ parameters }) => ({
    credentialBlob: sized(parameters.sized()),
    encryptedSecret: sized(parameters.sized()),
  }));
}
