// GeneralNames (RFC 5280 §4.2.1.6): the list of names in subjectAltName and, as patterns, in nameConstraints.
import {
  contextConstructed,
  contextPrimitive,
  type DerReader,
  encodeIa5Content,
  encodeTlv,
  parseIa5,
  parseOid,
  readWholeSequence,
  TAG,
} from "../der/index.ts";
import { Fault } from "../outcome/index.ts";
import { type Extension, findExtension } from "./extensions/extension.ts";
import { type Name, parseName } from "./name.ts";
import { OID_SUBJECT_ALT_NAME } from "./oids.ts";

export type GeneralName =
  | { readonly kind: "dns" | "email" | "uri"; readonly text: string }
  | { readonly kind: "ip"; readonly octets: Uint8Array }
  | { readonly kind: "directory"; readonly name: Uint8Array }
  | { readonly kind: "other"; readonly tag: number };

/** The tags of the choices, in the order of the RFC. */
const GENERAL_NAME_TAG = {
  otherName: contextConstructed(0),
  email: contextPrimitive(1),
  dns: contextPrimitive(2),
  x400Address: contextConstructed(3),
  directory: contextConstructed(4),
  ediPartyName: contextConstructed(5),
  uri: contextPrimitive(6),
  ip: contextPrimitive(7),
  registeredId: contextPrimitive(8),
} as const;

/** The largest certificates of public CDNs carry some 250 names. */
const MAX_NAMES = 1024;

export function readGeneralNames(list: DerReader): GeneralName[] {
  if (list.isEmpty) throw new Fault("malformed", "list of general names must not be empty");
  const names: GeneralName[] = [];
  while (!list.isEmpty) {
    if (names.length === MAX_NAMES)
      throw new Fault("limit-exceeded", `certificate has more than ${MAX_NAMES} alternative names`);
    names.push(readGeneralName(list));
  }
  return names;
}

export function readGeneralName(reader: DerReader): GeneralName {
  const tag = reader.nextTag;
  switch (tag) {
    case GENERAL_NAME_TAG.dns:
      return { kind: "dns", text: parseIa5(reader.read(tag)) };
    case GENERAL_NAME_TAG.ip:
      return { kind: "ip", octets: reader.read(tag) };
    case GENERAL_NAME_TAG.email:
      return { kind: "email", text: parseIa5(reader.read(tag)) };
    case GENERAL_NAME_TAG.uri:
      return { kind: "uri", text: parseIa5(reader.read(tag)) };
    case GENERAL_NAME_TAG.directory:
      return { kind: "directory", name: readDirectoryName(reader.enter(tag)) };
    default:
      return readOther(reader, tag);
  }
}

function readDirectoryName(explicit: DerReader): Uint8Array {
  const raw = explicit.readRaw(TAG.sequence);
  explicit.finish();
  parseName(raw);
  return raw;
}

function readOther(reader: DerReader, tag: number | undefined): GeneralName {
  switch (tag) {
    case GENERAL_NAME_TAG.registeredId:
      parseOid(reader.read(tag));
      return { kind: "other", tag };
    case GENERAL_NAME_TAG.otherName:
    case GENERAL_NAME_TAG.x400Address:
    case GENERAL_NAME_TAG.ediPartyName:
      reader.readRaw(tag);
      return { kind: "other", tag };
    default:
      throw new Fault("malformed", "general name must be one of the nine kinds of RFC 5280");
  }
}

export function encodeTextName(kind: "dns" | "email" | "uri", text: string): Uint8Array {
  if (text === "") throw new Fault("invalid", `alternative name of kind ${kind} must not be empty`);
  return encodeTlv(GENERAL_NAME_TAG[kind], [encodeIa5Content(text)]);
}

export function encodeIpName(octets: Uint8Array): Uint8Array {
  return encodeTlv(GENERAL_NAME_TAG.ip, [octets]);
}

/**
 * The directory names among a certificate's alternative names (RFC 5280 §4.2.1.6). Makers of TPMs write manufacturer,
 * model and version of the chip there (TCG EK Credential Profile §3.2.9), and often nothing in the subject.
 */
export function directoryNamesOf({ extensions }: { readonly extensions: readonly Extension[] }): readonly Name[] {
  const extension = findExtension(extensions, OID_SUBJECT_ALT_NAME);
  if (extension === undefined) return [];
  const names = readWholeSequence(extension.value, readGeneralNames);
  return names.flatMap((name) => (name.kind === "directory" ? [parseName(name.name)] : []));
}
