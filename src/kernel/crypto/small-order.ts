// Ed25519 keys that are no keys: the eight points of small order, for which signatures over anything can be written down
// without a private key. OpenSSL verifies with them; a request "signed" by one proves nothing about who holds what.
import { encodeHex } from "../bytes/index.ts";

/** The y coordinates, little-endian, sign bit cleared: 0, 1, the two of order eight, and −1, 0 and 1 plus the field prime. */
const SMALL_ORDER_Y: ReadonlySet<string> = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);

export function isSmallOrderPoint(point: Uint8Array): boolean {
  const y = Uint8Array.from(point);
  y[31] = (y[31] ?? 0) & 0x7f;
  return SMALL_ORDER_Y.has(encodeHex(y));
}
