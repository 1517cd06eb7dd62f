// Text to bytes and back, strictly: ill-formed UTF-8 is a Fault, and a byte order mark is kept as the character it is.
import { Fault } from "../outcome/index.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

export function parseUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new Fault("malformed", "text must be well-formed UTF-8", { cause });
  }
}
