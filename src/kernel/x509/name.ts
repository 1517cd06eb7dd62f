// Distinguished names (RFC 5280 §4.1.2.4). Reading follows Go, by which Kubernetes finds user and groups: the
// last common name is the user, every organization is a group. Writing follows Go's too: organizations first, then the
// common name.

import {
  compareEncodings,
  type DerReader,
  encodeDirectoryString,
  encodeOid,
  encodeSequence,
  encodeSetOf,
  parseString,
  readOid,
  readWholeSequence,
  TAG,
} from "../der/index.ts";
import { Fault } from "../outcome/index.ts";
import { OID_COMMON_NAME, OID_ORGANIZATION } from "./oids.ts";

interface NameAttribute {
  readonly oid: string;
  readonly value: string;
}

export interface Name {
  /** The whole RDNSequence: names are equal where these bytes are, as Go compares them. */
  readonly raw: Uint8Array;
  /** Flattened in the order written; sets within the sequence lose their borders. */
  readonly attributes: readonly NameAttribute[];
  readonly commonName: string | undefined;
  readonly organizations: readonly string[];
}

export interface NameTemplate {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
}

/** A user of Kubernetes has a handful of groups, a careless one some hundred. */
const MAX_ATTRIBUTES = 512;

export function readName(reader: DerReader): Name {
  return parseName(reader.readRaw(TAG.sequence));
}

export function parseName(raw: Uint8Array): Name {
  const attributes: NameAttribute[] = [];
  const organizations: string[] = [];
  let commonName: string | undefined;
  readWholeSequence(raw, (sequence) => {
    while (!sequence.isEmpty) readRelativeName(sequence.enter(TAG.set), attributes);
  });
  for (const { oid, value } of attributes) {
    if (oid === OID_COMMON_NAME) commonName = value;
    else if (oid === OID_ORGANIZATION) organizations.push(value);
  }
  return { raw, attributes, commonName, organizations };
}

/** The encoded RDNs in order: name constraints compare names RDN by RDN. */
export function relativeNamesOf(raw: Uint8Array): readonly string[] {
  return readWholeSequence(raw, (sequence) => {
    const relativeNames: string[] = [];
    while (!sequence.isEmpty) {
      const attributes: NameAttribute[] = [];
      readRelativeName(sequence.enter(TAG.set), attributes);
      relativeNames.push(attributes.map(comparable).sort().join("\u0000"));
    }
    return relativeNames;
  });
}

/** RFC 5280 §7.1: neither the string type nor case nor the number of blanks makes another name. */
function comparable({ oid, value }: NameAttribute): string {
  return `${oid}=${value.normalize("NFKC").toLowerCase().trim().replaceAll(/\s+/g, " ")}`;
}

function readRelativeName(set: DerReader, attributes: NameAttribute[]): void {
  if (set.isEmpty) throw new Fault("malformed", "name must not have an empty set of attributes");
  checkSetOrder(set.fork());
  while (!set.isEmpty) {
    if (attributes.length === MAX_ATTRIBUTES) {
      throw new Fault("limit-exceeded", `name has more than ${MAX_ATTRIBUTES} attributes`);
    }
    const content = set.enter(TAG.sequence);
    attributes.push(readAttribute(content));
    content.finish();
  }
}

function checkSetOrder(set: DerReader): void {
  let previous = set.readRaw(TAG.sequence);
  while (!set.isEmpty) {
    const member = set.readRaw(TAG.sequence);
    if (compareEncodings(previous, member) > 0) {
      throw new Fault("malformed", "name must have the attributes of a set in DER order");
    }
    previous = member;
  }
}

function readAttribute(content: DerReader): NameAttribute {
  const oid = readOid(content);
  const tag = content.nextTag;
  if (tag === undefined) throw new Fault("malformed", "name attribute must have a value");
  return { oid, value: parseString(tag, content.read(tag)) };
}

export function encodeName({ commonName, organizations = [] }: NameTemplate): Uint8Array {
  const relativeNames: Uint8Array[] = [];
  // Go puts all organizations into one set; a reader that takes them one by one sees the same list, in DER order.
  const members = organizations.map((organization) => encodeAttribute(OID_ORGANIZATION, organization));
  if (members.length > 0) relativeNames.push(encodeSetOf(members));
  if (commonName !== undefined) relativeNames.push(encodeSetOf([encodeAttribute(OID_COMMON_NAME, commonName)]));
  return encodeSequence(relativeNames);
}

function encodeAttribute(oid: string, value: string): Uint8Array {
  return encodeSequence([encodeOid(oid), encodeDirectoryString(value)]);
}
