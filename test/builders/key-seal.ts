// A machine that seals keys, without a TPM: the form is the product's own, the wrapping key is kept by the machine
// itself. And a look at a disk as somebody has it who copied it: is there a private key on it?
import { createPrivateKey } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { concatBytes, encodeUtf8, parseUtf8 } from "../../src/kernel/bytes/index.ts";
import { decryptGcm, encryptGcm } from "../../src/kernel/crypto/index.ts";
import { Fault } from "../../src/kernel/outcome/index.ts";
import { encodePem, parsePem } from "../../src/kernel/pem/index.ts";
import { randomBytes } from "../../src/platform/keys/index.ts";
import {
  damagedKey,
  encodeSealedKey,
  type KeySeal,
  type KeyUse,
  parseSealedKey,
  SEALED_KEY_LABEL,
} from "../../src/platform/pair/index.ts";

export interface SealingMachine extends KeySeal {
  /** Thrown instead of every answer, until it is taken away: a TPM that is away for a moment. */
  trouble: Fault | undefined;
  readonly opened: KeyUse[];
  /** The keys that were sealed, in PEM: to be looked for where they must not be. */
  readonly keys: string[];
}

export function aSealingMachine(): SealingMachine {
  const key = randomBytes(32);
  const opened: KeyUse[] = [];
  const keys: string[] = [];
  const associated = ({ purpose, bound }: KeyUse) => concatBytes([encodeUtf8(`${purpose}\0`), bound]);
  const machine: SealingMachine = {
    trouble: undefined,
    opened,
    keys,
    seal: async (keyPem, use) => {
      if (machine.trouble !== undefined) throw machine.trouble;
      keys.push(keyPem);
      const iv = randomBytes(12);
      const ciphertext = encryptGcm({ key, iv, associated: associated(use) }, encodeUtf8(keyPem));
      const areas = { publicArea: Uint8Array.of(1), privateArea: Uint8Array.of(2) };
      return encodePem(SEALED_KEY_LABEL, encodeSealedKey({ parent: "ecc", ...areas, iv, ciphertext }));
    },
    open: async (sealedPem, use) => {
      if (machine.trouble !== undefined) throw machine.trouble;
      const [block] = parsePem(sealedPem);
      if (block === undefined) throw damagedKey("it is no block");
      const { iv, ciphertext } = parseSealedKey(block.bytes);
      opened.push(use);
      return parseUtf8(decryptGcm({ key, iv, associated: associated(use) }, ciphertext));
    },
  };
  return machine;
}

/**
 * Every file under `directory` in which a private key can be read: as PEM of any kind, or one of these keys by its
 * secret number.
 */
export function plainKeysIn(directory: string, keyPems: readonly string[] = []): readonly string[] {
  const secrets = keyPems.map(secretOf);
  return filesUnder(directory).filter((path) => {
    const bytes = readFileSync(path);
    const decoded = [bytes, ...base64In(bytes.toString("latin1"))];
    const isPem = /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(bytes.toString("latin1"));
    return isPem || decoded.some((content) => secrets.some((secret) => content.includes(secret)));
  });
}

function secretOf(keyPem: string): Buffer {
  const { d = "" } = createPrivateKey(keyPem).export({ format: "jwk" });
  if (d === "") throw new Fault("invalid", "a key without a secret number cannot be looked for");
  return Buffer.from(d, "base64url");
}

/** What long words of base64 say, over line breaks written or escaped. */
function base64In(text: string): readonly Buffer[] {
  const words = text.replaceAll("\\n", "\n").match(/[A-Za-z0-9+/=\n]{40,}/g) ?? [];
  return words.map((word) => Buffer.from(word.replaceAll("\n", ""), "base64"));
}

function filesUnder(directory: string): readonly string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    const stat = lstatSync(path);
    if (stat.isDirectory()) return filesUnder(path);
    return stat.isFile() ? [path] : [];
  });
}
