// `<provider>/<version>`, the content of the second PEM block, and how both sides agree on a version: "Versions" in
// docs/protocols/attestation.md.

import { encodeUtf8 } from "../../kernel/bytes/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { canon, parseCanonical } from "./canonical.ts";
import { MAX_OFFERED } from "./limits.ts";

export interface Protocol {
  readonly provider: string;
  /** 1 to 999; zero only for the older form without a provider block. */
  readonly version: number;
}

const PROTOCOL = /^([a-z][a-z0-9-]{0,31})\/([1-9][0-9]{0,2})$/;
const PROVIDER = /^[a-z][a-z0-9-]{0,31}$/;

export function parseProtocol(text: string): Protocol {
  const match = PROTOCOL.exec(text);
  if (match === null) throw new Fault("malformed", "protocol must be a provider, a slash and a version from 1 to 999");
  return { provider: match[1] ?? "", version: Number(match[2]) };
}

export function encodeProtocol({ provider, version }: Protocol): string {
  return `${provider}/${version}`;
}

export function isProviderName(text: string): boolean {
  return PROVIDER.test(text);
}

export const SUPPORTED_VERSIONS_ANNOTATION = "countersign.dev/supported-versions";
const MAX_ANNOTATION_CHARACTERS = 1024;

export function encodeSupportedVersions(protocols: readonly Protocol[]): string {
  return canon(protocols.map(encodeProtocol));
}

export function parseSupportedVersions(annotation: string): readonly Protocol[] {
  if (annotation.length > MAX_ANNOTATION_CHARACTERS) throw new Fault("limit-exceeded", "list of versions is too long");
  const value = parseCanonical(encodeUtf8(annotation));
  if (!Array.isArray(value) || value.length > MAX_OFFERED)
    throw new Fault("malformed", "supported versions must be a short list");
  return value.map((entry) => parseProtocol(String(entry)));
}

interface NextVersion {
  /** Best first. */
  readonly offered: readonly Protocol[];
  readonly supported: readonly Protocol[];
  /** Versions that were tried already, the refused one among them. */
  readonly tried: readonly Protocol[];
  readonly minVersion: number;
}

/** The version to try next; undefined: there is no common one left, `NoCommonVersion`. */
export function nextVersion({ offered, supported, tried, minVersion }: NextVersion): Protocol | undefined {
  const lowestTried = Math.min(...tried.map(({ version }) => version));
  const inBoth = offered.filter((own) => supported.some((theirs) => encodeProtocol(theirs) === encodeProtocol(own)));
  return inBoth.find(({ version }) => version < lowestTried && version >= minVersion);
}

/**
 * What the controller takes of a list: the first it supports. A node that was lied to uses a later one: `Downgrade`.
 */
export function bestCommon(offered: readonly string[], supported: readonly Protocol[]): string | undefined {
  const known = new Set(supported.map(encodeProtocol));
  return offered.find((protocol) => known.has(protocol));
}
