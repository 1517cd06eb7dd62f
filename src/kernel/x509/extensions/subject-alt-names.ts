// subjectAltName (RFC 5280 §4.2.1.6): the names a certificate speaks for beside its subject.
import { encodeSequence, readWholeSequence } from "../../der/index.ts";
import { Fault } from "../../outcome/index.ts";
import { encodeIpName, encodeTextName, type GeneralName, readGeneralNames } from "../general-names.ts";
import { formatIpAddress, parseIpAddress } from "../ip-address.ts";
import { OID_SUBJECT_ALT_NAME } from "../oids.ts";
import type { Extension } from "./extension.ts";

export interface SubjectAltNames {
  readonly dnsNames: readonly string[];
  /** Canonical text: dotted quads, RFC 5952. */
  readonly ipAddresses: readonly string[];
  readonly uris: readonly string[];
  readonly emails: readonly string[];
  /** How many names of any other kind there are: a rule that forbids names must not overlook them. */
  readonly others: number;
}

export function parseSubjectAltNames(value: Uint8Array): SubjectAltNames {
  const names = parseGeneralNames(value);
  const texts = (kind: "dns" | "uri" | "email") => names.flatMap((name) => (name.kind === kind ? [name.text] : []));
  return {
    dnsNames: texts("dns"),
    ipAddresses: names.flatMap((name) => (name.kind === "ip" ? [formatIpAddress(name.octets)] : [])),
    uris: texts("uri"),
    emails: texts("email"),
    others: names.filter(({ kind }) => kind === "directory" || kind === "other").length,
  };
}

/** Every name in order, for those who must look at all kinds: name constraints. */
export function parseGeneralNames(value: Uint8Array): readonly GeneralName[] {
  return readWholeSequence(value, readGeneralNames);
}

export interface SubjectAltNameTemplate {
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  readonly uris?: readonly string[];
  readonly emails?: readonly string[];
}

/** In Go's order: DNS names, e-mail addresses, IP addresses, URIs. */
export function subjectAltNameExtension(
  names: SubjectAltNameTemplate,
  options: { readonly critical?: boolean } = {},
): Extension {
  const { dnsNames = [], ipAddresses = [], uris = [], emails = [] } = names;
  const encoded = [
    ...dnsNames.map((name) => encodeTextName("dns", name)),
    ...emails.map((email) => encodeTextName("email", email)),
    ...ipAddresses.map(encodeIpText),
    ...uris.map((uri) => encodeTextName("uri", uri)),
  ];
  if (encoded.length === 0) throw new Fault("invalid", "subject alternative name must have at least one name");
  return { oid: OID_SUBJECT_ALT_NAME, critical: options.critical ?? false, value: encodeSequence(encoded) };
}

function encodeIpText(text: string): Uint8Array {
  const octets = parseIpAddress(text);
  if (octets === undefined) throw new Fault("invalid", `alternative name must be an IP address, got ${text}`);
  return encodeIpName(octets);
}
