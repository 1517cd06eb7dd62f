// Answering a challenge (protocol 3.5): open the credential, then quote with what was in it. The opened secret stays in this file's
// callers' memory for one quote; it is never sent, stored or logged, so that the machine cannot be used to decrypt for others.

import { equalBytes } from "../../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import {
  ALGORITHM,
  ATTRIBUTE,
  activateCredential,
  type Credential,
  HANDLE,
  hasAttributes,
  policySecret,
  quote,
  startPolicySession,
} from "../../../kernel/tpm/index.ts";
import { randomBytes } from "../../../platform/keys/index.ts";
import { readPcrs, type Tpm, withSession } from "../../../platform/tpm/index.ts";
import type { TpmProof } from "../../evidence/index.ts";
import { type LoadedKeys, type TpmIdentity, withAttestationKey, withBothKeys } from "./keys.ts";

type Keys = Pick<TpmIdentity, "template" | "akKind">;

export function openCredential(tpm: Tpm, keys: Keys, credential: Credential): Promise<Uint8Array> {
  return withBothKeys(tpm, keys, (loaded) => activateOrRefuse(tpm, loaded, credential));
}

/** What the TPM says of a credential that is not for it differs by maker and by what was altered; it means one thing. */
async function activateOrRefuse(tpm: Tpm, keys: LoadedKeys, credential: Credential): Promise<Uint8Array> {
  try {
    return await activate(tpm, keys, credential);
  } catch (failure) {
    const isRefusal = isFault(failure) && failure.detail["command"] === "ActivateCredential" && !failure.retryable;
    // A key that is gone from the TPM says nothing of the credential.
    if (!isRefusal || failure.code === "not-found") throw failure;
    throw new Fault("untrusted", "the credential does not open here: it is for another TPM, or was altered", {
      cause: failure,
      detail: failure.detail,
    });
  }
}

/** Keys of the low range are opened by a policy that knows the endorsement hierarchy's secret; of the high range by an empty password. */
function activate(tpm: Tpm, { ek, ak }: LoadedKeys, credential: Credential): Promise<Uint8Array> {
  const activation = { attestationKey: ak.handle, endorsementKey: ek.handle, credential };
  if (hasAttributes(ek.publicArea, ATTRIBUTE.userWithAuth)) return tpm.send(activateCredential(activation));
  const start = startPolicySession(randomBytes(16), ek.publicArea.nameAlgorithm);
  return withSession(tpm, start, async (session) => {
    await tpm.send(policySecret(HANDLE.endorsement, session));
    return tpm.send(activateCredential({ ...activation, session }));
  });
}

/** Registers may be extended while we look: values read before and after must be the same. */
const QUOTE_TRIES = 3;

export function quoteRegisters(
  tpm: Tpm,
  akKind: "ecc" | "rsa",
  wanted: { readonly extraData: Uint8Array; readonly pcrs: readonly number[] },
): Promise<TpmProof> {
  const { extraData, pcrs } = wanted;
  const selections = [{ hash: ALGORITHM.sha256, pcrs }];
  return withAttestationKey(tpm, akKind, async ({ handle }) => {
    for (let attempt = 1; attempt <= QUOTE_TRIES; attempt++) {
      const before = await readPcrs(tpm, ALGORITHM.sha256, pcrs);
      const quoted = await tpm.send(quote({ key: handle, extraData, selections }));
      const after = await readPcrs(tpm, ALGORITHM.sha256, pcrs);
      if (isSame(before, after)) return { kind: "tpm-proof", ...quoted, pcrs: after };
    }
    throw new Fault("unavailable", `registers of the TPM changed during each of ${QUOTE_TRIES} quotes`);
  });
}

function isSame(before: readonly Uint8Array[], after: readonly Uint8Array[]): boolean {
  return before.every((value, index) => equalBytes(value, after[index] ?? new Uint8Array()));
}
