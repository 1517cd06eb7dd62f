// `countersign node renew`: one rotation now, or only when it is due, with the same boot sequence as the daemon.

import { silentLog } from "../../platform/report/index.ts";
import {
  commonNameOf,
  createCertificateManager,
  createCertificateStore,
  jitterOf,
  loadCurrentPair,
  type ManagerEvent,
  planCertificate,
  storeLayout,
  usefulLife,
} from "../certificates/index.ts";
import { bootNode } from "./boot.ts";
import { createJournal } from "./journal.ts";
import { saveKubeconfig } from "./kubeconfig-file.ts";
import type { DaemonOptions } from "./options.ts";

export interface RenewOptions
  extends Pick<
    DaemonOptions,
    | "nodeName"
    | "certDirectory"
    | "kubeconfig"
    | "bootstrapKubeconfig"
    | "clientCaPem"
    | "signerName"
    | "provider"
    | "providerId"
    | "clusterId"
    | "recipient"
    | "clock"
    | "signal"
  > {
  /** Ask only when the certificate's time has come: for timers. */
  readonly onlyIfDue: boolean;
  readonly limitMs: number;
  readonly onEvent?: ((event: ManagerEvent) => void) | undefined;
  readonly onNotice?: ((message: string) => void) | undefined;
}

export interface Renewal {
  readonly isRenewed: boolean;
  readonly certificatePath: string;
  readonly notAfterMs: number;
}

export async function renewCertificate(options: RenewOptions): Promise<Renewal> {
  const certificatePath = storeLayout(options.certDirectory).currentPath;
  const keptUntilMs = options.onlyIfDue ? notDueUntil(options) : undefined;
  if (keptUntilMs !== undefined) return { isRenewed: false, certificatePath, notAfterMs: keptUntilMs };
  const { clock, onNotice } = options;
  const store = createCertificateStore({ directory: options.certDirectory, clock, onNotice });
  const journal = { ...createJournal(silentLog, 0), notice: (message: string) => onNotice?.(message) };
  const booted = await bootNode({ ...options, rotate: true }, store, journal);
  const { access, initial } = booted;
  const manager = createCertificateManager({ ...options, store, access, initial });
  const { notAfterMs } = await manager.renew(options.signal, options.limitMs);
  await saveKubeconfig(options.kubeconfig, booted, certificatePath);
  return { isRenewed: true, certificatePath, notAfterMs };
}

/** The end of a certificate whose time has not come; undefined when there is something to do. */
function notDueUntil({ certDirectory, nodeName, clock }: RenewOptions): number | undefined {
  const found = loadCurrentPair(certDirectory);
  if (found.kind !== "present" || found.pair.commonName !== commonNameOf(nodeName)) return undefined;
  const current = usefulLife(found.pair, found.storedMs);
  const plan = planCertificate({ current, nowMs: clock.now(), jitter: jitterOf(found.pair.leaf), canRenew: true });
  return plan.kind === "use" ? found.pair.notAfterMs : undefined;
}
