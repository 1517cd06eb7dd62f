// kubelet's certificate store on disk. What changes it is for the holder of its lock (lock.ts); reading needs none.

import type { Clock } from "../../../platform/clock/index.ts";
import {
  atomicWriteFile,
  ensureDirectory,
  type FileSystem,
  nodeFileSystem,
  removeIfPresent,
  requirePrivate,
} from "../../../platform/files/index.ts";
import { type CertificatePair, encodePair } from "../../../platform/pair/index.ts";
import { type CurrentPair, loadCurrentPair } from "../current.ts";
import { type CertificatePurpose, type StoreLayout, storeLayout } from "../layout.ts";
import { loadPendingKey } from "./pending-key.ts";
import { KEY_FILE_MODE, type Place } from "./place.ts";
import { repairStore } from "./repair.ts";
import { writePair } from "./write-pair.ts";

const DIRECTORY_MODE = 0o700;

export interface StoreOptions {
  /** kubelet's `--cert-dir`. */
  readonly directory: string;
  /** Default: the client certificate. */
  readonly purpose?: CertificatePurpose | undefined;
  readonly clock: Clock;
  /** Told what was found damaged and where it went. */
  readonly onNotice?: ((message: string) => void) | undefined;
  readonly fileSystem?: FileSystem | undefined;
}

export interface CertificateStore {
  readonly layout: StoreLayout;
  /** The current pair; none when it is missing or damaged. */
  load(): CertificatePair | undefined;
  /** The same, with when it was stored or what is wrong with it. */
  look(): CurrentPair;
  /** Makes the directory, or refuses one that others can write to. The lock stands in it, so this comes before. */
  open(): Promise<void>;
  /** Finishes what a crash cut short; moves aside what is damaged, or is not of the common name `owner`. */
  repair(owner?: string): Promise<void>;
  save(certificatePem: string, keyPem: string): Promise<CertificatePair>;
  loadPendingKey(): Promise<string | undefined>;
  savePendingKey(keyPem: string): Promise<void>;
  dropPendingKey(): Promise<void>;
}

export function createCertificateStore(options: StoreOptions): CertificateStore {
  const { clock, onNotice, purpose = "client", fileSystem = nodeFileSystem } = options;
  const layout = storeLayout(options.directory, purpose);
  const place: Place = { layout, purpose, clock, fileSystem, notice: onNotice ?? (() => undefined) };
  const look = () => loadCurrentPair(layout.directory, purpose);
  return {
    layout,
    look,
    load: () => {
      const current = look();
      return current.kind === "present" ? current.pair : undefined;
    },
    open: async () => {
      await ensureDirectory(layout.directory, DIRECTORY_MODE, fileSystem);
      await requirePrivate(layout.directory);
    },
    repair: (owner) => repairStore(place, owner),
    save: (certificatePem, keyPem) => writePair(place, encodePair(certificatePem, keyPem)),
    loadPendingKey: () => loadPendingKey(place),
    savePendingKey: (keyPem) => atomicWriteFile(layout.pendingKeyPath, keyPem, { mode: KEY_FILE_MODE, fileSystem }),
    dropPendingKey: async () => {
      await removeIfPresent(layout.pendingKeyPath, fileSystem);
      await fileSystem.sync(layout.directory);
    },
  };
}
