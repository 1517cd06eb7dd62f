// Certificate revocation lists (RFC 5280 §5): which serial numbers an issuer took back. Whole lists only: one that
// needs another list to be understood (delta, or of another issuer's certificates) is refused, because what it says
// would be misread.
import { encodeHex, equalBytes } from "../bytes/index.ts";
import type { SignatureAlgorithm } from "../crypto/index.ts";
import {
  contextConstructed,
  type DerReader,
  readOctetsInBitString,
  readSmallUnsigned,
  readTimeMs,
  readUnsigned,
  readWholeSequence,
  TAG,
} from "../der/index.ts";
import { Fault } from "../outcome/index.ts";
import { signatureAlgorithmOf } from "./algorithm.ts";
import { readExtensions } from "./extensions/extension.ts";
import { type Name, readName } from "./name.ts";
import type { PublicKey } from "./public-key.ts";

export interface RevocationList {
  /** The bytes under the signature. */
  readonly tbs: Uint8Array;
  readonly issuer: Name;
  readonly thisUpdateMs: number;
  readonly nextUpdateMs: number | undefined;
  readonly signatureAlgorithm: SignatureAlgorithm | "unsupported";
  readonly signature: Uint8Array;
  /** Serial numbers, magnitude in lower-case hex. */
  readonly revoked: ReadonlySet<string>;
}

/** A maker of TPMs lists thousands; this is a hundred times that. */
const MAX_LIST_OCTETS = 8 * 1024 * 1024;

export function parseRevocationList(der: Uint8Array): RevocationList {
  if (der.length > MAX_LIST_OCTETS)
    throw new Fault("limit-exceeded", `revocation list is larger than ${MAX_LIST_OCTETS} octets`);
  return readWholeSequence(der, (content) => {
    const tbs = content.readRaw(TAG.sequence);
    const outerAlgorithm = content.readRaw(TAG.sequence);
    const signature = readOctetsInBitString(content);
    const { innerAlgorithm, ...fields } = readWholeSequence(tbs, readTbs);
    if (!equalBytes(innerAlgorithm, outerAlgorithm))
      throw new Fault("malformed", "revocation list must name the same signature algorithm inside and outside");
    return { tbs, signatureAlgorithm: signatureAlgorithmOf(outerAlgorithm), signature, ...fields };
  });
}

/** Whether the issuer's key signed it. */
export function verifyRevocationListSignature(list: RevocationList, issuerKey: PublicKey): boolean {
  const { signatureAlgorithm: algorithm, tbs: bytes, signature } = list;
  return algorithm !== "unsupported" && issuerKey.verifier.verify({ algorithm, bytes, signature });
}

export function isListed({ revoked }: RevocationList, serialNumber: Uint8Array): boolean {
  return revoked.has(encodeHex(serialNumber));
}

function readTbs(content: DerReader) {
  if (content.nextTag === TAG.integer && readSmallUnsigned(content) !== 1)
    throw new Fault("malformed", "revocation list must be of version 1 or 2");
  const innerAlgorithm = content.readRaw(TAG.sequence);
  const issuer = readName(content);
  const thisUpdateMs = readTimeMs(content);
  const hasNext = content.nextTag === TAG.utcTime || content.nextTag === TAG.generalizedTime;
  const nextUpdateMs = hasNext ? readTimeMs(content) : undefined;
  const revoked = content.nextTag === TAG.sequence ? readEntries(content.enter(TAG.sequence)) : new Set<string>();
  const explicit = content.enterOptional(contextConstructed(0));
  if (explicit !== undefined) {
    refuseCritical(explicit);
    explicit.finish();
  }
  return { innerAlgorithm, issuer, thisUpdateMs, nextUpdateMs, revoked };
}

function readEntries(list: DerReader): ReadonlySet<string> {
  const serials = new Set<string>();
  while (!list.isEmpty) {
    const entry = list.enter(TAG.sequence);
    serials.add(encodeHex(readUnsigned(entry)));
    readTimeMs(entry);
    if (!entry.isEmpty) refuseCritical(entry);
    entry.finish();
  }
  return serials;
}

/** Critical are the extensions that make a list one part of several, or one of several issuers. */
function refuseCritical(content: DerReader): void {
  const critical = readExtensions(content).find((extension) => extension.critical);
  if (critical !== undefined)
    throw new Fault("unsupported", `revocation list has the critical extension ${critical.oid}`);
}
