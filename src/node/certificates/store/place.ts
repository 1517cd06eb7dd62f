// What every step of the store works with, and the two small steps that several of them take.

import { isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import type { FileSystem } from "../../../platform/files/index.ts";
import type { KeySeal } from "../../../platform/pair/index.ts";
import type { CertificatePurpose, StoreLayout } from "../layout.ts";

export const KEY_FILE_MODE = 0o600;

/** What was moved aside, or that a plain key was found where keys are sealed. */
export type Notice = (message: string, about: "moved-aside" | "plain-key") => void;

export interface Place {
  readonly layout: StoreLayout;
  readonly purpose: CertificatePurpose;
  readonly clock: Clock;
  readonly fileSystem: FileSystem;
  readonly notice: Notice;
  /** By which sealed keys are opened; absent where nothing here can. */
  readonly keySeal: KeySeal | undefined;
}

const ASIDE = /\.damaged-[^/]+$/;

/**
 * Renames the file, so that its content can be inspected; a plain key stays only until keys are sealed
 * (drop-plain-keys.ts). A link is renamed itself, its target is not touched.
 */
export async function moveAside(
  { layout, clock, fileSystem, notice }: Place,
  path: string,
  why: string,
): Promise<void> {
  const aside = `${path}.damaged-${clock.now()}`;
  await fileSystem.rename(path, aside);
  await fileSystem.sync(layout.directory);
  notice(`${path} was unusable and is now ${aside}: ${why}`, "moved-aside");
}

export function isMovedAside(path: string): boolean {
  return ASIDE.test(path);
}

type Entry = "absent" | "link" | "other";

export async function entryAt({ fileSystem }: Place, path: string): Promise<Entry> {
  try {
    await fileSystem.readLink(path);
    return "link";
  } catch (error) {
    if (isFault(error, "not-found")) return "absent";
    if (isFault(error) && error.detail["errno"] === "EINVAL") return "other";
    throw error;
  }
}
