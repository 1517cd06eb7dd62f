// kubelet's certificate store on disk. What changes it is for the holder of its lock (lock.ts); reading needs none. Keys are plain, as
// a kubelet reads them, or sealed by the machine's TPM, for a machine whose every reader is ours (docs/decisions/0011-sealed-keys.md).

import { Fault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import {
  ensureDirectory,
  type FileSystem,
  nodeFileSystem,
  removeIfPresent,
  requirePrivate,
} from "../../../platform/files/index.ts";
import {
  type CertificatePair,
  isSealed,
  type KeySeal,
  openPair,
  type StoredPair,
} from "../../../platform/pair/index.ts";
import { type CurrentPair, loadCurrentPair } from "../current.ts";
import { type CertificatePurpose, type StoreLayout, storeLayout } from "../layout.ts";
import { dropPlainKeys } from "./drop-plain-keys.ts";
import { loadPendingKey, savePendingKey } from "./pending-key.ts";
import type { Notice, Place } from "./place.ts";
import { repairStore } from "./repair.ts";
import { savePair } from "./save-pair.ts";

const DIRECTORY_MODE = 0o700;

export interface StoreOptions {
  /** kubelet's `--cert-dir`. */
  readonly directory: string;
  /** Default: the client certificate. */
  readonly purpose?: CertificatePurpose | undefined;
  readonly clock: Clock;
  /** Told what was found damaged and where it went, and which plain key of an earlier time was found where keys are sealed. */
  readonly onNotice?: Notice | undefined;
  /** The provider's, where it has one: without it a sealed key is read by nobody. */
  readonly keySeal?: KeySeal | undefined;
  /** Whether keys are sealed from now on. Left out: as the present pair is. Serving keys never are: a kubelet reads them itself. */
  readonly sealKeys?: boolean | undefined;
  readonly fileSystem?: FileSystem | undefined;
}

export interface CertificateStore {
  readonly layout: StoreLayout;
  /** The current pair; none when it is missing or damaged. */
  load(): StoredPair | undefined;
  /** Its key too: a sealed one is opened by the TPM. Fault `untrusted` where another TPM sealed it; accidents change nothing here. */
  unseal(pair: StoredPair): Promise<CertificatePair>;
  /** How a key is written at this moment; undefined: plain. */
  sealNow(): KeySeal | undefined;
  /** The same, with when it was stored or what is wrong with it. */
  look(): CurrentPair;
  /** Makes the directory, or refuses one that others can write to. The lock stands in it, so this comes before. */
  open(): Promise<void>;
  /** Finishes what a crash cut short; moves aside what is damaged, or is not of the common name `owner`; no plain key stays beside a sealed pair. */
  repair(owner?: string): Promise<void>;
  save(certificatePem: string, keyPem: string): Promise<CertificatePair>;
  loadPendingKey(): Promise<string | undefined>;
  savePendingKey(keyPem: string): Promise<void>;
  dropPendingKey(): Promise<void>;
}

export function createCertificateStore(options: StoreOptions): CertificateStore {
  const { clock, onNotice, purpose = "client", fileSystem = nodeFileSystem, keySeal } = options;
  const layout = storeLayout(options.directory, purpose);
  const place: Place = { layout, purpose, clock, fileSystem, notice: onNotice ?? (() => undefined), keySeal };
  const look = () => loadCurrentPair(layout.directory, purpose);
  const load = () => {
    const current = look();
    return current.kind === "present" ? current.pair : undefined;
  };
  const sealNow = () => (purpose === "client" && wantsSeal(options, load) ? requireSeal(keySeal) : undefined);
  return {
    layout,
    look,
    load,
    unseal: (pair) => openPair(pair, keySeal),
    sealNow,
    open: async () => {
      await ensureDirectory(layout.directory, DIRECTORY_MODE, fileSystem);
      await requirePrivate(layout.directory);
    },
    repair: async (owner) => {
      await repairStore(place, owner);
      if (options.sealKeys !== false) await dropPlainKeys(place); // false: the next key is a plain one, and may be on its way
    },
    save: async (certificatePem, keyPem) => savePair(place, { certificatePem, keyPem, keySeal: sealNow() }),
    loadPendingKey: async () => loadPendingKey(place, sealNow()),
    savePendingKey: async (keyPem) => savePendingKey(place, keyPem, sealNow()),
    dropPendingKey: async () => {
      await removeIfPresent(layout.pendingKeyPath, fileSystem);
      await fileSystem.sync(layout.directory);
    },
  };
}

/** Whoever was not told otherwise keeps to what is there: a tool that knows nothing of sealing must not undo it. */
function wantsSeal({ sealKeys }: StoreOptions, load: () => StoredPair | undefined): boolean {
  if (sealKeys !== undefined) return sealKeys;
  const present = load();
  return present !== undefined && isSealed(present);
}

function requireSeal(keySeal: KeySeal | undefined): KeySeal {
  if (keySeal !== undefined) return keySeal;
  throw new Fault("bad-config", "keys are sealed here, and nothing is named that can: give --provider tpm", {
    detail: { todo: "or join again without --seal-key" },
  });
}
