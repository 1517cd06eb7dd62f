export { concatBytes, encodeUtf8, equalBytes, parseUtf8 } from "./bytes.ts";
export {
  encodeBase32,
  encodeBase64,
  encodeBase64Url,
  encodeHex,
  parseBase64,
  parseBase64Lenient,
  parseBase64Url,
  parseHex,
} from "./encodings.ts";
