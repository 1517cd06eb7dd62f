// The list of extensions of a certificate or a request (RFC 5280 §4.1.2.9). The value of each stays raw; the neighbours
// of this file read the ones the product knows.
import {
  type DerReader,
  encodeBoolean,
  encodeOctetString,
  encodeOid,
  encodeSequence,
  readDefaultFalse,
  readOid,
  TAG,
} from "../../der/index.ts";
import { Fault } from "../../outcome/index.ts";

export interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  /** The content of the extnValue octet string: itself DER for every extension of RFC 5280. */
  readonly value: Uint8Array;
}

/** Certificates carry about ten. */
const MAX_EXTENSIONS = 64;

/** Reads `Extensions`, a sequence of at least one, each OID once. */
export function readExtensions(reader: DerReader): Extension[] {
  const list = reader.enter(TAG.sequence);
  if (list.isEmpty) throw new Fault("malformed", "list of extensions must not be empty");
  const extensions: Extension[] = [];
  while (!list.isEmpty) {
    if (extensions.length === MAX_EXTENSIONS)
      throw new Fault("limit-exceeded", `more than ${MAX_EXTENSIONS} extensions`);
    const extension = readExtension(list.enter(TAG.sequence));
    if (findExtension(extensions, extension.oid) !== undefined) {
      throw new Fault("malformed", `extension ${extension.oid} must appear once`);
    }
    extensions.push(extension);
  }
  return extensions;
}

function readExtension(content: DerReader): Extension {
  const oid = readOid(content);
  const critical = readDefaultFalse(content);
  const value = content.read(TAG.octetString);
  content.finish();
  return { oid, critical, value };
}

export function findExtension(extensions: readonly Extension[], oid: string): Extension | undefined {
  for (const extension of extensions) if (extension.oid === oid) return extension;
  return undefined;
}

export function encodeExtensions(extensions: readonly Extension[]): Uint8Array {
  return encodeSequence(extensions.map(encodeExtension));
}

function encodeExtension({ oid, critical, value }: Extension): Uint8Array {
  const parts = critical ? [encodeOid(oid), encodeBoolean(true)] : [encodeOid(oid)];
  return encodeSequence([...parts, encodeOctetString(value)]);
}
