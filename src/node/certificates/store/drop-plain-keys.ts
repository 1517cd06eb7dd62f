// No plain key stays where keys are sealed: this program reads none of them, but a copy of the disk would show them.
// Called after each sealed pair that became current, and at each repair, because power may have been lost between the
// two. Files that were moved aside are removed too: a damaged file often holds a whole key, and its notice has said
// what was wrong with it.

import { constants, type FileHandle, open } from "node:fs/promises";
import { basename, join } from "node:path";
import { isFault } from "../../../kernel/outcome/index.ts";
import { removeIfPresent } from "../../../platform/files/index.ts";
import { isSealed, PAIR_MAX_BYTES } from "../../../platform/pair/index.ts";
import { loadCurrentPair } from "../current.ts";
import { isMovedAside, type Place } from "./place.ts";

/** Files read at one time, newest first: pairs from before sealing come before hundreds of sealed ones. */
const MAX_FILES = 500;

/**
 * By its text, because damaged files do not parse. One of the two lines is enough: a torn file may have lost one and
 * kept the key.
 */
const PLAIN_KEY = /-----(?:BEGIN|END) (?:EC |RSA )?PRIVATE KEY-----/;

/** For the holder of the lock. Without a sealed pair that is current it does nothing: the plain one is still in use. */
export async function dropPlainKeys(place: Place): Promise<void> {
  const { layout, purpose, fileSystem } = place;
  const current = loadCurrentPair(layout.directory, purpose);
  if (current.kind !== "present" || !isSealed(current.pair)) return;
  const plain = await listPlain(place, current.pair.sealedKey.trim());
  if (plain.length === 0) return;
  await fileSystem.sync(layout.directory); // the sealed pair is durable before the plain ones are removed
  for (const path of plain) await drop(place, path);
  await fileSystem.sync(layout.directory);
}

/** The current file, which holds the sealed key, is never listed, whatever else is written in it. */
async function listPlain(place: Place, sealedKey: string): Promise<readonly string[]> {
  const { layout, fileSystem } = place;
  const names = (await fileSystem.list(layout.directory)).filter((name) => isOurs(place, name));
  const plain: string[] = [];
  for (const name of names.sort().reverse().slice(0, MAX_FILES)) {
    const path = join(layout.directory, name);
    const text = await readBeginning(path);
    if (text !== undefined && PLAIN_KEY.test(text) && !text.includes(sealedKey)) plain.push(path);
  }
  return plain;
}

/** Pairs by their date; what else may hold a key, under its own name, moved aside, or on its way there. */
function isOurs({ layout, purpose }: Place, name: string): boolean {
  if (new RegExp(`^kubelet-${purpose}-\\d[-\\d]*\\.pem$`).test(name)) return true;
  const { currentPath, updatedPath, pendingKeyPath, exchangePath } = layout;
  return [currentPath, updatedPath, pendingKeyPath, exchangePath]
    .map((path) => basename(path))
    .some((base) => {
      const isTemporary = name.startsWith(`.${base}.`) && name.endsWith(".tmp");
      return name === base || isTemporary || (name.startsWith(base) && isMovedAside(name));
    });
}

/**
 * Of a regular file: links are not followed, pipes not waited for. Undefined for these, and for what cannot be read.
 */
async function readBeginning(path: string): Promise<string | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = await file.stat();
    if (!stat.isFile()) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(stat.size, PAIR_MAX_BYTES)));
    return buffer.toString("latin1", 0, bytesRead);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === undefined) throw cause;
    return undefined;
  } finally {
    await file?.close();
  }
}

/** A file that cannot be removed does not stop a certificate, but it is reported. */
async function drop({ fileSystem, notice }: Place, path: string): Promise<void> {
  try {
    await removeIfPresent(path, fileSystem);
    if (isMovedAside(path)) notice(`${path} was removed: it held a plain key, and keys are sealed here`, "plain-key");
  } catch (error) {
    if (!isFault(error, "io-failed")) throw error;
    notice(`${path} holds a plain key, although keys are sealed here: ${error.message}`, "plain-key");
  }
}
