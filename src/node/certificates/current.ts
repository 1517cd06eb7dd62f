// Reads the current pair, and tells whether it is another node's. Synchronous and with few imports: it is the whole
// work of the exec plugin on most days.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { NODE_USER_PREFIX } from "../../api/certificates/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { PAIR_MAX_BYTES, parseStoredPair, type StoredPair } from "../../platform/pair/index.ts";
import { type CertificatePurpose, currentPathOf } from "./layout.ts";

export type CurrentPair =
  /** `storedMs`: when the file was written. The key may be sealed: whether it opens is not asked here. */
  | { readonly kind: "present"; readonly pair: StoredPair; readonly storedMs: number }
  /** No link, or a link to nothing. */
  | { readonly kind: "absent" }
  /** Something is there that no kubelet could start with. */
  | { readonly kind: "damaged"; readonly why: string };

export function loadCurrentPair(directory: string, purpose: CertificatePurpose = "client"): CurrentPair {
  return loadPairFile(currentPathOf(directory, purpose));
}

/** A pair in one file, wherever that is. */
export function loadPairFile(path: string): CurrentPair {
  const found = readSmallFile(path);
  if ("kind" in found) return found;
  try {
    return { kind: "present", pair: parseStoredPair(found.text), storedMs: found.storedMs };
  } catch (error) {
    if (!isFault(error)) throw error;
    return { kind: "damaged", why: error.message };
  }
}

interface SmallFile {
  readonly text: string;
  readonly storedMs: number;
}

/** Follows the link, but reads regular files of sane size only: a pipe or a device would hold the caller for ever. */
function readSmallFile(path: string): SmallFile | CurrentPair {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === "ENOENT") return { kind: "absent" };
    if (code === "ELOOP") return { kind: "damaged", why: "the link leads to itself" };
    throw new Fault("io-failed", `${path} cannot be read: ${code}`, { cause });
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { kind: "damaged", why: "it is not a regular file" };
    if (stat.size > PAIR_MAX_BYTES) return { kind: "damaged", why: `it is larger than ${PAIR_MAX_BYTES} bytes` };
    return { text: readFileSync(file, "utf8"), storedMs: stat.mtimeMs };
  } finally {
    closeSync(file);
  }
}

interface OthersPair {
  /** `node worker-7`, or the name in quotes where it is no node's. */
  readonly whose: string;
  readonly until: string;
}

interface OwnName {
  readonly nodeName: string;
  readonly nowMs: number;
}

/**
 * A valid certificate of another node. It is never moved aside for a mistyped name or a wrong directory, because that
 * node would lose its service; an expired one may be.
 */
export function findOthers(found: CurrentPair, { nodeName, nowMs }: OwnName): OthersPair | undefined {
  if (found.kind !== "present") return undefined;
  const { commonName, notAfterMs } = found.pair;
  if (commonName === `${NODE_USER_PREFIX}${nodeName}` || nowMs >= notAfterMs) return undefined;
  return { whose: whoIs(commonName), until: new Date(notAfterMs).toISOString() };
}

export function requireNoOthers(found: CurrentPair, { directory, ...own }: OwnName & { readonly directory: string }) {
  const others = findOthers(found, own);
  if (others === undefined) return;
  const { whose, until } = others;
  const message = `the certificate in ${directory} is ${whose}'s, not ${own.nodeName}'s, and good until ${until}`;
  throw new Fault("bad-config", message, { detail: { todo: "give the --node-name it has, or another directory" } });
}

function whoIs(commonName: string): string {
  if (!commonName.startsWith(NODE_USER_PREFIX)) return JSON.stringify(commonName);
  return `node ${commonName.slice(NODE_USER_PREFIX.length)}`;
}
