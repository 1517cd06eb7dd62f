export { encodePem } from "./encode.ts";
export { type PemBlock, parsePem } from "./parse.ts";
