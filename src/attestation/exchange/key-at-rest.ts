// The key of an exchange as its file holds it: as it is, or sealed by the machine's TPM. What was sealed or opened here
// is remembered, so that a TPM is asked once for an exchange, and before anything else is loaded into it.

import { encodeUtf8 } from "../../kernel/bytes/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { isLostKey, type KeySeal, SEALED_KEY_LABEL } from "../../platform/pair/index.ts";

interface KeyAtRestOptions {
  /** By which a sealed key is opened. */
  readonly keySeal?: KeySeal | undefined;
  /** Whether a new key is sealed. */
  readonly isSealed?: boolean | undefined;
  /** What the exchange is about: the key of another one does not open. */
  readonly about: string;
}

export interface KeyAtRest {
  /** PEM of the key in, what may be written down out. */
  close(keyPem: string): Promise<string>;
  /** And back. Undefined for what will never open here, from which no exchange can go on. */
  open(written: string): Promise<string | undefined>;
}

export function createKeyAtRest({ keySeal, isSealed = false, about }: KeyAtRestOptions): KeyAtRest {
  const use = { purpose: "exchange", bound: encodeUtf8(about) } as const;
  const known = new Map<string, string>();
  const open = async (written: string): Promise<string> => {
    if (!written.includes(SEALED_KEY_LABEL)) return plain(written);
    if (keySeal === undefined)
      throw new Fault("untrusted", "the key of the exchange is sealed, and nothing here opens it");
    return known.get(written) ?? (await keySeal.open(written, use));
  };
  /** Of the time before keys were sealed: sealing does not take back what a disk has shown. */
  const plain = (keyPem: string) => {
    if (isSealed) throw new Fault("untrusted", "the key of the exchange lay open, and keys are sealed now");
    return keyPem;
  };
  const remember = (written: string, keyPem: string) => {
    known.clear();
    known.set(written, keyPem);
  };
  return {
    close: async (keyPem) => {
      if (!isSealed) return keyPem;
      if (keySeal === undefined) throw new Fault("bad-config", "keys are to be sealed, and the provider cannot");
      const written = await keySeal.seal(keyPem, use);
      remember(written, keyPem);
      return written;
    },
    open: async (written) => {
      try {
        const keyPem = await open(written);
        remember(written, keyPem);
        return keyPem;
      } catch (failure) {
        if (isLostKey(failure)) return undefined;
        throw failure;
      }
    },
  };
}
