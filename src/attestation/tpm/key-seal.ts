// Keys at rest: a software key lies on the disk under AES-256-GCM, and that key's key in an object that only this TPM
// opens. A copied disk, or one that was taken out of a decommissioned machine, is useless.
//
// Each sealing has a wrapping key of its own: nothing has to be unsealed to seal, no initialisation vector can come
// twice, and what leaks of one file opens no other.

import { concatBytes, encodeUtf8, equalBytes, parseUtf8 } from "../../kernel/bytes/index.ts";
import { decryptGcm, encryptGcm } from "../../kernel/crypto/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { encodePem, parsePem } from "../../kernel/pem/index.ts";
import {
  createPrimary,
  createSealed,
  HANDLE,
  type LoadedKey,
  loadSealed,
  STORAGE_TEMPLATES,
  unseal,
} from "../../kernel/tpm/index.ts";
import { randomBytes } from "../../platform/keys/index.ts";
import {
  damagedKey,
  encodeSealedKey,
  type KeySeal,
  type KeyUse,
  parseSealedKey,
  SEALED_KEY_IV_OCTETS,
  SEALED_KEY_LABEL,
  type SealedKey,
} from "../../platform/pair/index.ts";
import { releasePrimaries, type Tpm, withHandle } from "../../platform/tpm/index.ts";
import { readAttestationKind } from "./keys.ts";

const WRAPPING_KEY_OCTETS = 32;
const CONTEXT = "countersign.dev/sealed-key/1";

/** Over an open TPM. */
export function createKeySeal(tpm: Tpm): KeySeal {
  return {
    seal: async (keyPem, use) => {
      const wrappingKey = randomBytes(WRAPPING_KEY_OCTETS);
      const iv = randomBytes(SEALED_KEY_IV_OCTETS);
      const parent = await readAttestationKind(tpm);
      const object = await withStorageKey(tpm, parent, ({ handle }) => tpm.send(createSealed(handle, wrappingKey)));
      const ciphertext = encryptGcm({ key: wrappingKey, iv, associated: associatedOf(use) }, encodeUtf8(keyPem));
      return encodePem(SEALED_KEY_LABEL, encodeSealedKey({ parent, ...object, iv, ciphertext }));
    },
    open: async (sealedPem, use) => {
      const sealed = readBlock(sealedPem);
      const key = await unwrap(tpm, sealed);
      return parseUtf8(decryptOrRefuse({ key, iv: sealed.iv, associated: associatedOf(use) }, sealed.ciphertext));
    },
  };
}

/** Beside it, what is made or loaded under it takes a second of the three places that a TPM has. */
async function withStorageKey<T>(tpm: Tpm, kind: "ecc" | "rsa", act: (key: LoadedKey) => Promise<T>): Promise<T> {
  await releasePrimaries(tpm);
  return await withHandle(tpm, createPrimary(HANDLE.endorsement, STORAGE_TEMPLATES[kind]), act);
}

/** Purposes have no zero octet in them, so the two parts cannot be moved against one another. */
function associatedOf({ purpose, bound }: KeyUse): Uint8Array {
  return concatBytes([encodeUtf8(`${CONTEXT}\0${purpose}\0`), bound]);
}

function readBlock(pem: string): SealedKey {
  const [block, ...more] = parsePem(pem);
  const isOne = block?.label === SEALED_KEY_LABEL && block.headers.length === 0 && more.length === 0;
  if (!isOne) throw damagedKey(`it must be one PEM block ${SEALED_KEY_LABEL}`);
  const sealed = parseSealedKey(block.bytes);
  if (!equalBytes(encodeSealedKey(sealed), block.bytes)) throw damagedKey("it is not written as it reads");
  return sealed;
}

async function unwrap(tpm: Tpm, sealed: SealedKey): Promise<Uint8Array> {
  try {
    const key = await withStorageKey(tpm, sealed.parent, (parent) =>
      withHandle(tpm, loadSealed(parent.handle, sealed), ({ handle }) => tpm.send(unseal(handle))),
    );
    if (key.length !== WRAPPING_KEY_OCTETS) throw altered();
    return key;
  } catch (failure) {
    const isForeign = isFault(failure, "untrusted") && failure.detail["command"] === "Load";
    if (!isForeign) throw failure;
    throw new Fault(
      "untrusted",
      "this key was sealed by another TPM, or by this one before it was cleared: a copied disk, or a replaced board",
      { cause: failure, detail: { ...failure.detail, todo: FOREIGN_TODO } },
    );
  }
}

const JOIN_AGAIN = "join again with a live token: countersign node join";
/**
 * The cluster holds a node to the TPM that it had, so an operator must first learn of a new board. A copied disk is not
 * helped.
 */
const FOREIGN_TODO =
  "if the board is new: countersign identity reset NODE --ek-hash HASH on a control-plane machine " +
  `(HASH: countersign node tpm, here); then ${JOIN_AGAIN}`;

function decryptOrRefuse(options: Parameters<typeof decryptGcm>[0], ciphertext: Uint8Array): Uint8Array {
  try {
    return decryptGcm(options, ciphertext);
  } catch (cause) {
    throw isFault(cause, "untrusted") ? altered(cause) : cause;
  }
}

function altered(cause?: unknown): Fault {
  return new Fault("untrusted", "this sealed key is another certificate's, or was altered", {
    cause,
    detail: { todo: JOIN_AGAIN },
  });
}
