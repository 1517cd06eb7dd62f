// The files of kubelet's certificate store, so that a kubelet can use the directory before and after this program.

import { join, resolve } from "node:path";

/** What a certificate is for: to be the node towards the API server, or to serve the node's own port. */
export type CertificatePurpose = "client" | "server";

export interface StoreLayout {
  readonly directory: string;
  /** A symbolic link with an absolute target; what every reader opens. */
  readonly currentPath: string;
  /** The link that becomes the current one. kubelet finishes or removes a left-over under this name. */
  readonly updatedPath: string;
  /** The key of a request that has not been answered; kept, so that a restart resumes that request. */
  readonly pendingKeyPath: string;
  readonly lockPath: string;
  /** An exchange of hello and proof that is under way, and how often one may be begun. */
  readonly exchangePath: string;
  readonly pacePath: string;
  /** Where a pair of this moment goes; `copy` above 0 for a second one within the same second. */
  pairPath(nowMs: number, copy: number): string;
}

export function storeLayout(certDirectory: string, purpose: CertificatePurpose = "client"): StoreLayout {
  const directory = resolve(certDirectory);
  const prefix = `kubelet-${purpose}`;
  return {
    directory,
    currentPath: currentPathOf(directory, purpose),
    updatedPath: join(directory, `${prefix}-updated.pem`),
    pendingKeyPath: join(directory, `${prefix}.key.tmp`),
    lockPath: join(directory, `${prefix}.lock`),
    exchangePath: join(directory, `${prefix}.exchange`),
    pacePath: join(directory, `${prefix}.pace`),
    pairPath: (nowMs, copy) => join(directory, `${prefix}-${stampOf(nowMs)}${copy === 0 ? "" : `-${copy}`}.pem`),
  };
}

export function currentPathOf(directory: string, purpose: CertificatePurpose = "client"): string {
  return join(directory, `kubelet-${purpose}-current.pem`);
}

/** Local time, as kubelet's, for comparison with the machine's own clock. */
function stampOf(nowMs: number): string {
  const time = new Date(nowMs);
  const date = [time.getFullYear(), time.getMonth() + 1, time.getDate()];
  return [...date, time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join("-");
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
