// The extensions every reader of a certificate asks for, parsed once. Unknown ones stay in the raw list.

import { readOid, readWholeSequence, TAG } from "../../der/index.ts";
import { Fault } from "../../outcome/index.ts";
import { readGeneralName } from "../general-names.ts";
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
import { parseAuthorityKeyId, parseSubjectKeyId } from "./key-ids.ts";
import { type KeyUsage, parseExtKeyUsage, parseKeyUsage } from "./key-usage.ts";
import { type NameConstraints, parseNameConstraints } from "./name-constraints.ts";
import { parseSubjectAltNames, type SubjectAltNames } from "./subject-alt-names.ts";

// authorityInfoAccess (RFC 5280 §4.2.2.1): where to find the issuer's certificate or its OCSP responder. The product
// never follows it; its form is checked because a certificate with a damaged extension comes from an issuer with a
// defect.

/** Two in practice: one for OCSP, one for the issuer. */
const MAX_DESCRIPTIONS = 64;

export function checkInfoAccess(value: Uint8Array): void {
  readWholeSequence(value, (content) => {
    if (content.isEmpty) throw new Fault("malformed", "authority information access must not be empty");
    for (let count = 0; !content.isEmpty; count++) {
      if (count === MAX_DESCRIPTIONS)
        throw new Fault("limit-exceeded", `more than ${MAX_DESCRIPTIONS} access descriptions`);
      const description = content.enter(TAG.sequence);
      readOid(description);
      readGeneralName(description);
      description.finish();
    }
  });
}

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
