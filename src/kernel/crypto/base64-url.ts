// Base64url in Node's native code, for what is encoded once a request: a key, a body that is signed. It writes what
// encodeBase64Url of kernel/bytes writes, which stays plain JavaScript because the console runs it in a browser.

/** Text is taken as UTF-8. */
export function nativeBase64Url(content: Uint8Array | string): string {
  return bufferOver(content).toString("base64url");
}

/** The same memory, seen as a Buffer; text is copied. */
export function bufferOver(content: Uint8Array | string): Buffer {
  if (typeof content === "string") return Buffer.from(content, "utf8");
  return Buffer.from(content.buffer, content.byteOffset, content.length);
}
