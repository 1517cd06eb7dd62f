// Base32 (RFC 4648 §6) in lower case and without padding: the form that fits the names of Kubernetes objects and labels.

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

export function encodeBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let bitCount = 0;
  for (const octet of bytes) {
    bits = ((bits << 8) | octet) & 0xfff;
    bitCount += 8;
    for (; bitCount >= 5; bitCount -= 5) text += ALPHABET.charAt((bits >> (bitCount - 5)) & 31);
  }
  return bitCount === 0 ? text : text + ALPHABET.charAt((bits << (5 - bitCount)) & 31);
}
