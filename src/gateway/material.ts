// The certificates, keys and CA bundles of a gateway: read from files, checked as a whole, and read again when one of
// them changes. What cannot be read or does not belong together is told, and the last good ones stay: two files are
// never replaced in one step.

import { createSecureContext } from "node:tls";
import { Fault, isFault } from "../kernel/outcome/index.ts";
import { type Certificate, parseCertificates } from "../kernel/x509/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import { followFile, loadText } from "../platform/files/index.ts";
import type { ServingCertificate } from "../platform/http/index.ts";
import type { Log } from "../platform/report/index.ts";

interface PairFiles {
  readonly cert: string;
  readonly key: string;
}

/** Paths. */
export interface MaterialFiles {
  readonly serving: PairFiles;
  /** How to know the server behind. */
  readonly backendCa?: string | undefined;
  /** Whose client certificates are believed, and with which pair they are vouched for to the server behind. */
  readonly clients?: { readonly ca: string; readonly pair: PairFiles } | undefined;
  /** The CAs of clients that may ask the webhook. */
  readonly webhookCallers?: string | undefined;
}

/** Contents, checked. */
export interface Material {
  readonly serving: ServingCertificate;
  readonly backendCaPem?: string | undefined;
  readonly clientRoots?: readonly Certificate[] | undefined;
  readonly frontProxy?: ServingCertificate | undefined;
  readonly webhookCallers?: readonly Certificate[] | undefined;
}

/** Fault `bad-config`, or one of the file, that names the path. */
export async function loadMaterial(files: MaterialFiles): Promise<Material> {
  const { serving, backendCa, clients, webhookCallers } = files;
  return {
    serving: await loadPair(serving),
    ...(backendCa === undefined ? {} : { backendCaPem: (await loadBundle(backendCa)).pem }),
    ...(clients === undefined
      ? {}
      : { clientRoots: (await loadBundle(clients.ca)).roots, frontProxy: await loadPair(clients.pair) }),
    ...(webhookCallers === undefined ? {} : { webhookCallers: (await loadBundle(webhookCallers)).roots }),
  };
}

async function loadPair({ cert, key }: PairFiles): Promise<ServingCertificate> {
  const [certPem, keyPem] = await Promise.all([loadText(cert), loadText(key)]);
  try {
    createSecureContext({ cert: certPem, key: keyPem });
  } catch (cause) {
    throw new Fault("bad-config", `${cert} and ${key} are unreadable or do not belong together`, { cause });
  }
  return { certPem, keyPem };
}

async function loadBundle(path: string): Promise<{ readonly pem: string; readonly roots: readonly Certificate[] }> {
  const pem = await loadText(path);
  try {
    const roots = parseCertificates(pem);
    if (roots.length > 0) return { pem, roots };
  } catch (cause) {
    if (!isFault(cause)) throw cause;
    throw new Fault("bad-config", `${path} holds something that is no certificate`, { cause });
  }
  throw new Fault("bad-config", `${path} holds no certificate`);
}

interface FollowMaterialOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly use: (material: Material) => Promise<void>;
}

/** Runs until the signal fires. */
export async function followMaterial(files: MaterialFiles, options: FollowMaterialOptions): Promise<void> {
  const { clock, log, signal, use } = options;
  const reload = async () => {
    try {
      await use(await loadMaterial(files));
      log.info("certificates loaded again");
    } catch (error) {
      if (!isFault(error)) throw error;
      log.warn("certificates cannot be loaded, the last ones stay", { error });
    }
  };
  // One after the other: of two changes at once, the last reading is the last to be used.
  let turn = Promise.resolve();
  const onChange = () => {
    turn = turn.then(reload);
  };
  const known = await Promise.all(pathsOf(files).map(async (path) => ({ path, content: await loadText(path) })));
  const following = { clock, signal, onChange, onTrouble: () => undefined };
  await Promise.all(known.map(({ path, content }) => followFile(path, content, following)));
  await turn;
}

function pathsOf({ serving, backendCa, clients, webhookCallers }: MaterialFiles): readonly string[] {
  const optional = [backendCa, webhookCallers, clients?.ca, clients?.pair.cert, clients?.pair.key];
  return [serving.cert, serving.key, ...optional.filter((path) => path !== undefined)];
}
