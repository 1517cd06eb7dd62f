// PEM out (RFC 7468 §2): 64 columns, line feeds, a final newline; the form every Kubernetes component writes.
import { encodeBase64 } from "../bytes/index.ts";

const COLUMNS = 64;

export function encodePem(label: string, bytes: Uint8Array): string {
  const body = encodeBase64(bytes);
  let lines = "";
  for (let i = 0; i < body.length; i += COLUMNS) lines += `${body.slice(i, i + COLUMNS)}\n`;
  return `-----BEGIN ${label}-----\n${lines}-----END ${label}-----\n`;
}
