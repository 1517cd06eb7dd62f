// The extensions every reader of a certificate asks for, parsed once. Unknown ones stay in the raw list.
import {
  OID_AUTHORITY_INFO_ACCESS,
  OID_AUTHORITY_KEY_ID,
  OID_BASIC_CONSTRAINTS,
  OID_EXT_KEY_USAGE,
  OID_KEY_USAGE,
  OID_NAME_CONSTRAINTS,
  OID_SUBJECT_ALT_NAME,
  OID_SUBJECT_KEY_ID,
} from "../oids.ts";
import { type BasicConstraints, parseBasicConstraints } from "./basic-constraints.ts";
import { type Extension, findExtension } from "./extension.ts";
import { checkInfoAccess } from "./info-access.ts";
import { parseAuthorityKeyId, parseSubjectKeyId } from "./key-ids.ts";
import { type KeyUsage, parseExtKeyUsage, parseKeyUsage } from "./key-usage.ts";
import { type NameConstraints, parseNameConstraints } from "./name-constraints.ts";
import { parseSubjectAltNames, type SubjectAltNames } from "./subject-alt-names.ts";

export interface KnownExtensions {
  readonly basicConstraints: BasicConstraints | undefined;
  readonly keyUsage: readonly KeyUsage[] | undefined;
  /** OIDs. */
  readonly extKeyUsage: readonly string[] | undefined;
  readonly subjectAltNames: SubjectAltNames | undefined;
  readonly subjectKeyId: Uint8Array | undefined;
  readonly authorityKeyId: Uint8Array | undefined;
  readonly nameConstraints: NameConstraints | undefined;
}

export function parseKnownExtensions(extensions: readonly Extension[]): KnownExtensions {
  const parsed = <T>(oid: string, parse: (value: Uint8Array) => T): T | undefined => {
    const extension = findExtension(extensions, oid);
    return extension === undefined ? undefined : parse(extension.value);
  };
  parsed(OID_AUTHORITY_INFO_ACCESS, checkInfoAccess);
  return {
    basicConstraints: parsed(OID_BASIC_CONSTRAINTS, parseBasicConstraints),
    keyUsage: parsed(OID_KEY_USAGE, parseKeyUsage),
    extKeyUsage: parsed(OID_EXT_KEY_USAGE, parseExtKeyUsage),
    subjectAltNames: parsed(OID_SUBJECT_ALT_NAME, parseSubjectAltNames),
    subjectKeyId: parsed(OID_SUBJECT_KEY_ID, parseSubjectKeyId),
    authorityKeyId: parsed(OID_AUTHORITY_KEY_ID, parseAuthorityKeyId),
    nameConstraints: parsed(OID_NAME_CONSTRAINTS, parseNameConstraints),
  };
}
