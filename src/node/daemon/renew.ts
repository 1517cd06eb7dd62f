// `countersign node renew`: one rotation now, or only when it is due, with the same boot sequence as the daemon. A
// serving certificate is asked for with the client certificate that is there.

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
import { bootNode, saveKubeconfig } from "./boot.ts";
import { createJournal } from "./journal.ts";
import type { DaemonOptions, ServingOptions } from "./options.ts";

interface RenewOptions
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
    | "evidenceCluster"
    | "recipient"
    | "serving"
    | "sealKeys"
    | "env"
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
  if (options.serving !== undefined) return await renewServing(options, options.serving);
  const certificatePath = storeLayout(options.certDirectory).currentPath;
  const keptUntilMs = options.onlyIfDue ? notDueUntil(options) : undefined;
  if (keptUntilMs !== undefined) return { isRenewed: false, certificatePath, notAfterMs: keptUntilMs };
  const { store, booted } = await boot(options);
  const { access, initial } = booted;
  const manager = createCertificateManager({ ...options, store, access, initial, serving: undefined });
  const { notAfterMs } = await manager.renew(options.signal, options.limitMs);
  await saveKubeconfig(options.kubeconfig, booted, certificatePath);
  return { isRenewed: true, certificatePath, notAfterMs };
}

async function renewServing(options: RenewOptions, { signerName, names }: ServingOptions): Promise<Renewal> {
  const { certDirectory: directory, clock, onNotice } = options;
  const { store: ofClient, booted } = await boot(options);
  const { access, initial } = booted;
  const store = createCertificateStore({ directory, purpose: "server", clock, onNotice });
  const stored = ofClient.load();
  const client = stored === undefined ? initial?.pair : await ofClient.unseal(stored);
  const identity = () => client;
  const manager = createCertificateManager({ ...options, store, access, signerName, serving: names, identity });
  const { notAfterMs } = await manager.renew(options.signal, options.limitMs);
  return { isRenewed: true, certificatePath: store.layout.currentPath, notAfterMs };
}

async function boot(options: RenewOptions) {
  const { certDirectory: directory, clock, onNotice, sealKeys } = options;
  const { keySeal } = options.provider;
  const store = createCertificateStore({ directory, clock, onNotice, keySeal, sealKeys });
  const journal = { ...createJournal(silentLog, 0), notice: (message: string) => onNotice?.(message) };
  return { store, booted: await bootNode({ ...options, rotate: true }, store, journal) };
}

/** The end of a certificate that is not due; undefined when there is something to do. */
function notDueUntil({ certDirectory, nodeName, clock }: RenewOptions): number | undefined {
  const found = loadCurrentPair(certDirectory);
  if (found.kind !== "present" || found.pair.commonName !== commonNameOf(nodeName)) return undefined;
  const current = usefulLife(found.pair, found.storedMs);
  const plan = planCertificate({ current, nowMs: clock.now(), jitter: jitterOf(found.pair.leaf), canRenew: true });
  return plan.kind === "use" ? found.pair.notAfterMs : undefined;
}
