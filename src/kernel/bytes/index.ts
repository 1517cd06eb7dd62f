export { encodeBase32 } from "./base32.ts";
export { encodeBase64, encodeBase64Url, parseBase64, parseBase64Lenient, parseBase64Url } from "./base64.ts";
export { concatBytes, equalBytes } from "./concat.ts";
export { encodeHex, parseHex } from "./hex.ts";
export { encodeUtf8, parseUtf8 } from "./utf8.ts";
