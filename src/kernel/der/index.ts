export { parseOid, readOid } from "./oid.ts";
export { DerReader, readWholeSequence } from "./reader.ts";
export { encodeDirectoryString, encodeIa5Content, parseIa5, parseString } from "./strings.ts";
export { contextConstructed, contextPrimitive, TAG } from "./tags.ts";
export { encodeTime, readTimeMs } from "./time.ts";
export {
  readBitString,
  readDefaultFalse,
  readNull,
  readOctetsInBitString,
  readSmallUnsigned,
  readUnsigned,
} from "./values.ts";
export {
  compareEncodings,
  encodeBitString,
  encodeBoolean,
  encodeNamedBits,
  encodeOctetString,
  encodeOid,
  encodeSequence,
  encodeSetOf,
  encodeTlv,
  encodeUnsigned,
} from "./writer.ts";
