// Reads the current pair. Synchronous and alone in its file: it is the whole work of the exec plugin on most days.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { type CertificatePair, PAIR_MAX_BYTES, parsePair } from "../../platform/pair/index.ts";
import { currentPathOf } from "./layout.ts";

export type CurrentPair =
  | { readonly kind: "present"; readonly pair: CertificatePair }
  /** No link, or a link to nothing. */
  | { readonly kind: "absent" }
  /** Something is there that no kubelet could start with. */
  | { readonly kind: "damaged"; readonly why: string };

export function loadCurrentPair(directory: string): CurrentPair {
  const text = readSmallFile(currentPathOf(directory));
  if (typeof text !== "string") return text;
  try {
    return { kind: "present", pair: parsePair(text) };
  } catch (error) {
    if (!isFault(error)) throw error;
    return { kind: "damaged", why: error.message };
  }
}

/** Follows the link, but reads regular files of sane size only: a pipe or a device would hold the caller for ever. */
function readSmallFile(path: string): string | CurrentPair {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === "ENOENT") return { kind: "absent" };
    if (code === "ELOOP") return { kind: "damaged", why: "the link leads to itself" };
    throw new Fault("io-failed", `${path} cannot be read`, { cause });
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { kind: "damaged", why: "it is not a regular file" };
    if (stat.size > PAIR_MAX_BYTES) return { kind: "damaged", why: `it is larger than ${PAIR_MAX_BYTES} bytes` };
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}
