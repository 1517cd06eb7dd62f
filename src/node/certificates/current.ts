// Reads the current pair. Synchronous and alone in its file: it is the whole work of the exec plugin on most days.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
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
