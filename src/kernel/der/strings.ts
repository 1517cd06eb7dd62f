// The character string types of X.509 names and alternative names. Reading follows what the Go standard library
// accepts, because a name that kube-apiserver reads and we do not (or read differently) is a name two parties disagree
// on.
import { encodeUtf8, parseUtf8 } from "../bytes/index.ts";
import { Fault } from "../outcome/index.ts";
import { TAG } from "./tags.ts";
import { encodeTlv } from "./writer.ts";

/** The PrintableString alphabet (X.680 §41.4). */
const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;
/** As Go reads it: `*` and `&` are outside the alphabet, yet certificates of large issuers have them. */
const PRINTABLE_AS_READ = /^[A-Za-z0-9 '()+,\-./:=?*&]*$/;

export function parseString(tag: number, content: Uint8Array): string {
  switch (tag) {
    case TAG.utf8String:
      return parseUtf8(content);
    case TAG.printableString:
      return matching(parseIa5(content), { pattern: PRINTABLE_AS_READ, kind: "PrintableString" });
    case TAG.ia5String:
      return parseIa5(content);
    case TAG.numericString:
      return matching(parseIa5(content), { pattern: /^[0-9 ]*$/, kind: "NumericString" });
    case TAG.t61String:
      return parseLatin1(content);
    case TAG.bmpString:
      return parseBmp(content);
    default:
      throw new Fault("unsupported", `name has a value of string type 0x${tag.toString(16)}`);
  }
}

export function parseIa5(content: Uint8Array): string {
  let text = "";
  for (const octet of content) {
    if (octet >= 0x80) throw new Fault("malformed", "IA5String must have only ASCII characters");
    text += String.fromCharCode(octet);
  }
  return text;
}

/** T.61 was never used as specified: programs, Go's included, wrote Latin-1 into it. */
function parseLatin1(content: Uint8Array): string {
  let text = "";
  for (const octet of content) text += String.fromCharCode(octet);
  return text;
}

function parseBmp(content: Uint8Array): string {
  if (content.length % 2 !== 0) throw new Fault("malformed", "BMPString must have an even number of octets");
  let text = "";
  for (let i = 0; i < content.length; i += 2) {
    const unit = ((content[i] ?? 0) << 8) | (content[i + 1] ?? 0);
    if (unit >= 0xd800 && unit <= 0xdfff) throw new Fault("malformed", "BMPString must not have surrogates");
    text += String.fromCharCode(unit);
  }
  return text;
}

function matching(text: string, rule: { readonly pattern: RegExp; readonly kind: string }): string {
  if (rule.pattern.test(text)) return text;
  throw new Fault("malformed", `${rule.kind} has a character outside its alphabet`);
}

/**
 * PrintableString where the text allows it, else UTF8String: the choice of Go, and so of every Kubernetes component.
 */
export function encodeDirectoryString(text: string): Uint8Array {
  return encodeTlv(PRINTABLE.test(text) ? TAG.printableString : TAG.utf8String, [encodeUtf8(text)]);
}

/** The content of an IA5String; the caller chooses the tag. */
export function encodeIa5Content(text: string): Uint8Array {
  const content = encodeUtf8(text);
  if (content.length !== text.length) throw new Fault("invalid", `name must be ASCII, got ${text}`);
  return content;
}
