// The way back: the Node object goes if the cluster lets its node remove it, then everything that the join wrote. A
// certificate cannot be called back; it ends by itself, so the key is what must go.

import { readdir, rm, rmdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { NODES } from "../../api/meta/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { waitForLock } from "../../platform/files/index.ts";
import { createKubeClient } from "../../platform/kube/index.ts";
import { type CertificatePair, type KeySeal, openPair, type StoredPair } from "../../platform/pair/index.ts";
import { loadCurrentPair, storeLayout } from "../certificates/index.ts";
import { loadKnownCluster } from "./kubeconfigs.ts";
import { joinPlaces } from "./places.ts";

interface LeaveOptions {
  readonly directory: string;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** For HTTPS_PROXY and NO_PROXY. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Leave the Node object where it is. */
  readonly keepNode?: boolean | undefined;
  /** Opens a sealed key. Leaving never fails for want of one: without it only the Node object stays. */
  readonly keySeal?: KeySeal | undefined;
}

interface LeaveResult {
  /** Of the Node object: `removed`, `absent`, `kept` as asked, or why it was not removed. */
  readonly node: string;
  readonly removed: readonly string[];
}

/** Files of a store, ours and a kubelet's: pairs, links, the key of a pending request, what was moved aside. */
const STORE_FILE = /^\.?kubelet-(client|server)[-.]/;
/** Another process may be storing a certificate this moment; longer it does not take. */
const LOCK_LIMIT_MS = 10_000;
const CALL_LIMIT_MS = 10_000;

export async function leaveCluster(options: LeaveOptions): Promise<LeaveResult> {
  const { certDirectory } = joinPlaces(options.directory);
  if ((await listLeft(options.directory)).length === 0) {
    throw new Fault("not-found", `${options.directory} holds nothing of a joined node`);
  }
  const node = options.keepNode === true ? "kept" : await removeNode(options);
  const { lockPath } = storeLayout(certDirectory);
  const { clock, signal } = options;
  const lock = await lockIfStored(certDirectory, () =>
    waitForLock(lockPath, { clock, signal, limitMs: LOCK_LIMIT_MS }),
  );
  try {
    const removed = await listLeft(options.directory);
    for (const path of removed.filter((each) => each !== lockPath)) await rm(path);
    return { node, removed };
  } finally {
    await lock?.release();
    for (const folder of [certDirectory, options.directory]) await removeIfEmpty(folder);
  }
}

/** Exactly what leaving removes: other files in the directory stay. */
export async function listLeft(directory: string): Promise<readonly string[]> {
  const { certDirectory, ...files } = joinPlaces(directory);
  const names = new Set(Object.values(files).map((path) => basename(path)));
  const beside = (await entriesOf(directory)).filter((name) => names.has(name));
  const stored = (await entriesOf(certDirectory)).filter((name) => STORE_FILE.test(name));
  return [...beside.map((name) => join(directory, name)), ...stored.map((name) => join(certDirectory, name))];
}

/** With the node's own certificate. Most clusters do not let a node remove its object; then an operator must. */
async function removeNode({ directory, nodeName, signal, env, keySeal }: LeaveOptions): Promise<string> {
  const { certDirectory, kubeconfigPath } = joinPlaces(directory);
  const current = loadCurrentPair(certDirectory);
  const cluster = await loadKnownCluster(kubeconfigPath, env);
  if (current.kind !== "present" || cluster === undefined) return "not asked for: there is no certificate to ask with";
  const pair = await openOrSay(current.pair, keySeal);
  if (typeof pair === "string") return `not asked for: ${pair}; ${whereThereIsOne(nodeName)}`;
  const client = createKubeClient({ ...cluster, credentials: credentialsOf(pair), env });
  try {
    await client.delete(NODES, { name: nodeName }, { signal, timeoutMs: CALL_LIMIT_MS });
    return "removed";
  } catch (error) {
    if (!isFault(error) || error.code === "aborted") throw error;
    if (error.code === "not-found") return "absent";
    return `not removed (${error.message}); ${whereThereIsOne(nodeName)}`;
  } finally {
    await client.close();
  }
}

function whereThereIsOne(nodeName: string): string {
  return `where there is one, on a control-plane machine: kubectl delete node ${nodeName}`;
}

/** Why not, where the key does not open. */
async function openOrSay(pair: StoredPair, keySeal: KeySeal | undefined): Promise<CertificatePair | string> {
  try {
    return await openPair(pair, keySeal);
  } catch (error) {
    if (!isFault(error) || error.code === "aborted") throw error;
    return error.message;
  }
}

function credentialsOf({ certificatePem: certPem, keyPem }: CertificatePair) {
  return () => ({ certPem, keyPem });
}

async function lockIfStored<T>(certDirectory: string, lock: () => Promise<T>): Promise<T | undefined> {
  return (await entriesOf(certDirectory)).length === 0 ? undefined : await lock();
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new Fault("io-failed", `cannot read ${folder}`, { cause });
  }
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "ENOTEMPTY" && code !== "ENOENT") throw new Fault("io-failed", `cannot remove ${folder}`, { cause });
  }
}
