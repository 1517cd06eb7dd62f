// kubelet's certificate store on disk. Changes need its lock, reads do not. Keys are plain, as a kubelet reads them, or
// sealed by the machine's TPM where only this product reads them (docs/decisions/0011-sealed-keys.md).

import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import {
  ensureDirectory,
  type FileSystem,
  nodeFileSystem,
  removeIfPresent,
  requirePrivate,
  waitForLock,
} from "../../../platform/files/index.ts";
import {
  type CertificatePair,
  isLostKey,
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
import { savePair } from "./write-pair.ts";

const DIRECTORY_MODE = 0o700;

export interface StoreOptions {
  /** kubelet's `--cert-dir`. */
  readonly directory: string;
  /** Default: the client certificate. */
  readonly purpose?: CertificatePurpose | undefined;
  readonly clock: Clock;
  /** Called for a damaged file that was moved aside, and for an old plain key found where keys are sealed. */
  readonly onNotice?: Notice | undefined;
  /** The provider's, where it has one. A sealed key cannot be read without it. */
  readonly keySeal?: KeySeal | undefined;
  /**
   * Whether keys are sealed from now on. Left out: as the present pair is. Serving keys never are, because a kubelet
   * reads them.
   */
  readonly sealKeys?: boolean | undefined;
  readonly fileSystem?: FileSystem | undefined;
}

export interface CertificateStore {
  readonly layout: StoreLayout;
  /** The current pair; none when it is missing or damaged. */
  load(): StoredPair | undefined;
  /**
   * The pair with its key, which the TPM opens if it is sealed. Fault `untrusted` if another TPM sealed it; a failure
   * changes nothing.
   */
  unseal(pair: StoredPair): Promise<CertificatePair>;
  /** How a key is written at this moment; undefined: plain. */
  sealNow(): KeySeal | undefined;
  /** The same, with when it was stored or what is wrong with it. */
  look(): CurrentPair;
  /** Makes the directory, or refuses one that others can write to. The lock stands in it, so this comes before. */
  open(): Promise<void>;
  /**
   * Finishes an interrupted switch; moves aside what is damaged or not of the common name `owner`; removes plain keys
   * beside a sealed pair.
   */
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
      // false: the next key is a plain one, and may be pending
      if (options.sealKeys !== false) await dropPlainKeys(place);
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

/** Without an instruction the present pair decides: a tool that does not know of sealing must not undo it. */
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

/**
 * The pair with its key, for a join that could keep it. Undefined if another TPM sealed the key; if the key is plain
 * and keys are to be sealed, because sealing does not take back what the disk has shown; and if it is sealed and a
 * plain one is wanted. Fault if the TPM does not answer, which is no reason to request another certificate.
 */
export async function openFit(store: CertificateStore, pair: StoredPair): Promise<CertificatePair | undefined> {
  if (isSealed(pair) !== (store.sealNow() !== undefined)) return undefined;
  try {
    return await store.unseal(pair);
  } catch (error) {
    if (isLostKey(error)) return undefined;
    throw error;
  }
}

/** The repair at a start: under the lock, and not at all while another process holds it, since that one repairs. */
export async function repairWhenFree(store: CertificateStore, owner: string, clock: Clock): Promise<void> {
  await store.open();
  try {
    const lock = await waitForLock(store.layout.lockPath, { clock, limitMs: 0 });
    try {
      await store.repair(owner);
    } finally {
      await lock.release();
    }
  } catch (error) {
    if (!isFault(error, "timeout")) throw error;
  }
}
