// The two key derivations of a TPM (part 1, §11.4.10): KDFa over HMAC (SP 800-108), KDFe over a hash (SP 800-56A).
import { concatBytes, encodeUtf8 } from "../bytes/index.ts";
import { digest, HASH_OCTETS, type HashName, hmac } from "../crypto/index.ts";
import { u32 } from "./writer.ts";

export interface KdfInput {
  readonly hash: HashName;
  /** KDFa: the key. KDFe: the shared x coordinate, padded. */
  readonly secret: Uint8Array;
  /** Without its terminating zero octet, which is added here. */
  readonly label: string;
  readonly partyU: Uint8Array;
  readonly partyV: Uint8Array;
  /** A multiple of eight: the only lengths credentials need. */
  readonly bits: number;
}

export function kdfa(input: KdfInput): Uint8Array {
  const { hash, secret, label, partyU, partyV, bits } = input;
  const tail = concatBytes([encodeUtf8(`${label}\0`), partyU, partyV, u32(bits)]);
  return collect(input, (counter) => hmac(hash, secret, concatBytes([counter, tail])));
}

export function kdfe(input: KdfInput): Uint8Array {
  const { hash, secret, label, partyU, partyV } = input;
  const tail = concatBytes([secret, encodeUtf8(`${label}\0`), partyU, partyV]);
  return collect(input, (counter) => digest(hash, concatBytes([counter, tail])));
}

function collect({ hash, bits }: KdfInput, block: (counter: Uint8Array) => Uint8Array): Uint8Array {
  const octets = bits / 8;
  const blocks: Uint8Array[] = [];
  for (let counter = 1; (counter - 1) * HASH_OCTETS[hash] < octets; counter++) blocks.push(block(u32(counter)));
  return concatBytes(blocks).subarray(0, octets);
}
