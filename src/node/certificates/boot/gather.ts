// Reads what the boot sequence decides on: the store, kubelet's older files, the kubeconfig and what it refers to.

import { dirname, join, resolve } from "node:path";
import { type KubeconfigUser, parseKubeconfig, selectContext } from "../../../api/kubeconfig/index.ts";
import { parseBase64, parseUtf8 } from "../../../kernel/bytes/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import { loadText, nodeFileSystem } from "../../../platform/files/index.ts";
import { type CertificatePair, encodePair, parsePair } from "../../../platform/pair/index.ts";
import { type CurrentPair, loadCurrentPair, loadPairFile } from "../current.ts";
import { storeLayout } from "../layout.ts";
import { commonNameOf } from "../template.ts";
import type { BootFacts, FoundKubeconfig, FoundPair, PairSource } from "./plan.ts";

export interface BootPlaces {
  readonly nodeName: string;
  readonly certDirectory: string;
  readonly kubeconfig: string | undefined;
  readonly bootstrapKubeconfig: string | undefined;
}

interface Gathered {
  readonly facts: BootFacts;
  /** The pairs behind the facts. */
  readonly pairs: Partial<Record<PairSource, CertificatePair>>;
}

export async function gatherBoot(places: BootPlaces, nowMs: number): Promise<Gathered> {
  const { currentPath, directory } = storeLayout(places.certDirectory);
  const store = loadCurrentPair(directory);
  const oldFiles = await readPair(join(directory, "kubelet-client.crt"), join(directory, "kubelet-client.key"));
  const read = places.kubeconfig === undefined ? ABSENT : await readKubeconfig(resolve(places.kubeconfig), currentPath);
  const facts: BootFacts = {
    commonName: commonNameOf(places.nodeName),
    nowMs,
    store: worthOf(store),
    oldFiles: worthOf(oldFiles),
    kubeconfig: read.found,
    hasBootstrapKubeconfig: places.bootstrapKubeconfig !== undefined,
  };
  const found = { store, "old-files": oldFiles, "kubeconfig-data": read.inData, "kubeconfig-files": read.inFiles };
  return { facts, pairs: presentOf(found) };
}

interface ReadKubeconfig {
  readonly found: FoundKubeconfig;
  readonly inData: CurrentPair;
  readonly inFiles: CurrentPair;
}

const NOTHING: CurrentPair = { kind: "absent" };
const ABSENT: ReadKubeconfig = { found: { kind: "absent" }, inData: NOTHING, inFiles: NOTHING };

async function readKubeconfig(path: string, currentPath: string): Promise<ReadKubeconfig> {
  try {
    const { user = {} } = selectContext(parseKubeconfig(await loadText(path)));
    const inData = readData(user);
    const inFiles = await readFiles(user, dirname(path), currentPath);
    const hasToken = Boolean(user.token) || Boolean(user.tokenFile);
    return { found: { kind: "read", inData: worthOf(inData), inFiles: worthOf(inFiles), hasToken }, inData, inFiles };
  } catch (error) {
    if (isFault(error, "not-found")) return ABSENT;
    if (isFault(error)) return { ...ABSENT, found: { kind: "unusable", why: error.message } };
    throw error;
  }
}

function readData(user: KubeconfigUser): CurrentPair {
  const [certificate, key] = [user["client-certificate-data"], user["client-key-data"]];
  if (!certificate || !key) return NOTHING;
  return pairOf(() => encodePair(decode(certificate), decode(key)));
}

async function readFiles(user: KubeconfigUser, directory: string, currentPath: string): Promise<CurrentPair> {
  const [certificate, key] = [user["client-certificate"], user["client-key"]];
  if (!certificate || !key) return NOTHING;
  const [certificatePath, keyPath] = [resolve(directory, certificate), resolve(directory, key)];
  if (certificatePath === currentPath) return NOTHING; // the store's own, which was looked at before
  return certificatePath === keyPath ? loadPairFile(keyPath) : readPair(certificatePath, keyPath);
}

async function readPair(certificatePath: string, keyPath: string): Promise<CurrentPair> {
  try {
    const [certificate, key] = await Promise.all([certificatePath, keyPath].map((path) => nodeFileSystem.read(path)));
    return pairOf(() => encodePair(String(certificate), String(key)));
  } catch (error) {
    if (isFault(error, "not-found")) return NOTHING;
    if (isFault(error)) return { kind: "damaged", why: error.message };
    throw error;
  }
}

/** When it was stored is not known; its life then counts from notBefore. */
function pairOf(read: () => string): CurrentPair {
  try {
    return { kind: "present", pair: parsePair(read()), storedMs: 0 };
  } catch (error) {
    if (isFault(error)) return { kind: "damaged", why: error.message };
    throw error;
  }
}

function decode(text: string): string {
  return parseUtf8(parseBase64(text.replace(/\s/g, "")));
}

function worthOf(found: CurrentPair): FoundPair {
  if (found.kind !== "present") return found;
  return { kind: "present", commonName: found.pair.commonName, notAfterMs: found.pair.notAfterMs };
}

function presentOf(found: Record<PairSource, CurrentPair>): Gathered["pairs"] {
  const pairs = Object.entries(found).flatMap(([source, one]) => (one.kind === "present" ? [[source, one.pair]] : []));
  return Object.fromEntries(pairs) as Gathered["pairs"];
}
