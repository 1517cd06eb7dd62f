// kubelet's certificate store on disk, with its one gap closed: the current link is swung by a single rename, so a reader
// sees the old pair or the new one and never none (differs from upstream: it removes the link first). A pair is written
// beside, synced, read back and checked before the switch. A current file that no kubelet could start with is moved
// aside, with a word.

import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { atomicWriteFile, ensureDirectory, type FileSystem, nodeFileSystem } from "../../platform/files/index.ts";
import { parsePrivateKey } from "../../platform/keys/index.ts";
import { type CertificatePair, encodePair, parsePair } from "../../platform/pair/index.ts";
import { loadCurrentPair } from "./current.ts";
import { type StoreLayout, storeLayout } from "./layout.ts";
import { requirePrivate } from "./private-directory.ts";

const KEY_FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
/** Pairs stored within one second, which only tests and very short certificates come near. */
const MAX_PAIRS_A_SECOND = 100;

export interface StoreOptions {
  /** kubelet's `--cert-dir`. */
  readonly directory: string;
  readonly clock: Clock;
  /** Told what was found damaged and where it went. */
  readonly onNotice?: ((message: string) => void) | undefined;
  readonly fileSystem?: FileSystem | undefined;
}

/** What changes the store is for the holder of its lock (lock.ts). */
export interface CertificateStore {
  readonly layout: StoreLayout;
  /** The current pair; none when it is missing or damaged. */
  load(): CertificatePair | undefined;
  /** Makes the directory, or refuses one that others can write to. The lock stands in it, so this comes before. */
  open(): Promise<void>;
  /** Finishes a switch that a crash cut short, moves a damaged current file aside. */
  repair(): Promise<void>;
  save(certificatePem: string, keyPem: string): Promise<CertificatePair>;
  loadPendingKey(): Promise<string | undefined>;
  savePendingKey(keyPem: string): Promise<void>;
  dropPendingKey(): Promise<void>;
}

export function createCertificateStore(options: StoreOptions): CertificateStore {
  const { clock, onNotice, fileSystem = nodeFileSystem } = options;
  const layout = storeLayout(options.directory);
  const place: Place = { layout, clock, fileSystem, notice: onNotice ?? (() => undefined) };
  return {
    layout,
    load: () => {
      const current = loadCurrentPair(layout.directory);
      return current.kind === "present" ? current.pair : undefined;
    },
    open: async () => {
      await ensureDirectory(layout.directory, DIRECTORY_MODE, fileSystem);
      await requirePrivate(layout.directory);
    },
    repair: () => repair(place),
    save: (certificatePem, keyPem) => save(place, encodePair(certificatePem, keyPem)),
    loadPendingKey: () => loadPendingKey(place),
    savePendingKey: (keyPem) => atomicWriteFile(layout.pendingKeyPath, keyPem, { mode: KEY_FILE_MODE, fileSystem }),
    dropPendingKey: () => removeIfPresent(fileSystem, layout.pendingKeyPath),
  };
}

interface Place {
  readonly layout: StoreLayout;
  readonly clock: Clock;
  readonly fileSystem: FileSystem;
  readonly notice: (message: string) => void;
}

async function repair(place: Place): Promise<void> {
  const { layout, fileSystem } = place;
  if (loadCurrentPair(layout.directory).kind === "absent" && (await isLink(fileSystem, layout.updatedPath))) {
    await fileSystem.rename(layout.updatedPath, layout.currentPath);
  }
  const current = loadCurrentPair(layout.directory);
  if (current.kind === "damaged") await moveAside(place, layout.currentPath, current.why);
}

async function save(place: Place, text: string): Promise<CertificatePair> {
  const { layout, fileSystem } = place;
  const bytes = Buffer.from(text);
  const path = await createPairFile(place, bytes);
  await fileSystem.sync(path);
  const written = await fileSystem.read(path);
  if (!written.equals(bytes)) throw new Fault("io-failed", `${path} does not hold what was written to it`);
  const pair = parsePair(written.toString("utf8"));
  await fileSystem.sync(layout.directory);
  await removeIfPresent(fileSystem, layout.updatedPath);
  await fileSystem.symlink(path, layout.updatedPath);
  await fileSystem.rename(layout.updatedPath, layout.currentPath);
  await fileSystem.sync(layout.directory);
  return pair;
}

/** Exclusive: a file or link that has the name already is left alone, and the next name is taken. */
async function createPairFile({ layout, clock, fileSystem }: Place, bytes: Uint8Array): Promise<string> {
  const nowMs = clock.now();
  for (let copy = 0; copy < MAX_PAIRS_A_SECOND; copy++) {
    const path = layout.pairPath(nowMs, copy);
    try {
      await fileSystem.create(path, bytes, KEY_FILE_MODE);
      return path;
    } catch (error) {
      if (!isFault(error, "already-exists")) throw error;
    }
  }
  throw new Fault("io-failed", `more than ${MAX_PAIRS_A_SECOND} pairs of one second in ${layout.directory}`);
}

/** Unreadable, it is moved aside and the node makes a new one (differs from upstream: kubelet stops until it is removed). */
async function loadPendingKey(place: Place): Promise<string | undefined> {
  const { layout, fileSystem } = place;
  const path = layout.pendingKeyPath;
  if (await isLink(fileSystem, path)) {
    await moveAside(place, path, "it is a link, and a key is never stored behind one");
    return undefined;
  }
  try {
    const pem = (await fileSystem.read(path)).toString("utf8");
    parsePrivateKey(pem);
    return pem;
  } catch (error) {
    if (isFault(error, "not-found")) return undefined;
    if (!isFault(error) || error.code === "io-failed") throw error;
    await moveAside(place, path, error.message);
    return undefined;
  }
}

/** The name goes, the content stays for whoever wants to know; a link is moved itself, its target is not touched. */
async function moveAside({ layout, clock, fileSystem, notice }: Place, path: string, why: string): Promise<void> {
  const aside = `${path}.damaged-${clock.now()}`;
  await fileSystem.rename(path, aside);
  await fileSystem.sync(layout.directory);
  notice(`${path} was unusable and is now ${aside}: ${why}`);
}

async function isLink(fileSystem: FileSystem, path: string): Promise<boolean> {
  try {
    await fileSystem.readLink(path);
    return true;
  } catch (error) {
    if (isFault(error, "not-found") || (isFault(error) && error.detail["errno"] === "EINVAL")) return false;
    throw error;
  }
}

async function removeIfPresent(fileSystem: FileSystem, path: string): Promise<void> {
  try {
    await fileSystem.remove(path);
  } catch (error) {
    if (!isFault(error, "not-found")) throw error;
  }
}
