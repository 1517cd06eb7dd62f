// How a daemon, or a single renewal, starts: repairs the store, finds the credentials, opens the way to the cluster.

import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { atomicWriteFile, ensureDirectory, nodeFileSystem } from "../../platform/files/index.ts";
import {
  type BootPlan,
  type CertificateStore,
  commonNameOf,
  gatherBoot,
  type InitialPair,
  type OpenAccess,
  openClusterAccess,
  planBoot,
  repairWhenFree,
  requireNoOthers,
} from "../certificates/index.ts";
import { fileKubeconfig } from "../join/kubeconfigs.ts";
import type { Journal } from "./journal.ts";
import type { DaemonOptions } from "./options.ts";

type BootOptions = Pick<
  DaemonOptions,
  "nodeName" | "certDirectory" | "kubeconfig" | "bootstrapKubeconfig" | "clientCaPem" | "rotate" | "env" | "clock"
>;

export interface Booted {
  readonly plan: BootPlan;
  readonly access: OpenAccess;
  readonly initial: InitialPair | undefined;
}

export async function bootNode(options: BootOptions, store: CertificateStore, journal: Journal): Promise<Booted> {
  const { nodeName, clock, rotate } = options;
  await requireNoReader(options.kubeconfig, store);
  if (rotate) await repairStore(options, store, journal);
  const { facts, pairs } = await gatherBoot(options, clock.now());
  const plan = planBoot(facts);
  journal.boot(plan);
  if (plan.kind === "stop" || (plan.kind === "bootstrap" && !rotate)) {
    throw new Fault(
      "bad-config",
      `node ${nodeName} has no valid certificate and ${rotate ? "no credential to ask for one" : "rotation is off"}: ${plan.why}`,
    );
  }
  const asksWithKubeconfig = plan.kind === "bootstrap" && plan.with === "kubeconfig";
  const access = await openClusterAccess({ ...options, asksWithKubeconfig });
  const found = plan.kind === "use" && plan.source !== "store" ? pairs[plan.source] : undefined;
  const pair = found && (await store.unseal(found));
  return { plan, access, initial: pair && { pair, renewAtOnce: plan.kind === "use" && plan.renewAtOnce } };
}

/** A directory that cannot be written to is no reason not to use what is in it. */
async function repairStore({ nodeName, clock }: BootOptions, store: CertificateStore, journal: Journal): Promise<void> {
  requireNoOthers(store.look(), { nodeName, directory: store.layout.directory, nowMs: clock.now() });
  try {
    await repairWhenFree(store, commonNameOf(nodeName), clock);
  } catch (error) {
    if (!isFault(error, "io-failed")) throw error;
    journal.notice(`the store cannot be put in order: ${error.message}`);
  }
}

/**
 * Writes the kubeconfig of a kubelet that uses files once the first certificate is stored. It names the store's current
 * pair, so that a rotation needs no new one. A working kubeconfig is never touched: only after a bootstrap with the
 * bootstrap kubeconfig was the node's own missing or unusable.
 */
export async function saveKubeconfig(path: string | undefined, booted: Booted, currentPath: string): Promise<void> {
  const { plan, access } = booted;
  if (path === undefined || plan.kind !== "bootstrap" || plan.with !== "bootstrap-kubeconfig") return;
  const target = resolve(path);
  if (await mentions(target, currentPath)) return;
  await ensureDirectory(dirname(target), 0o755);
  await atomicWriteFile(target, fileKubeconfig(access, currentPath), { mode: 0o600 });
}

/**
 * Sealed keys are for clients that call the plugin. A kubeconfig that names the pair itself, or would have to be
 * written so, belongs to a kubelet or another client that needs a plain key: refuse to start rather than break that
 * client at the next rotation.
 */
export async function requireNoReader(path: string | undefined, store: CertificateStore): Promise<void> {
  if (store.sealNow() === undefined) return;
  const { currentPath } = store.layout;
  const target = path === undefined ? undefined : resolve(path);
  if (target !== undefined && existsSync(target) && !(await mentions(target, currentPath))) return;
  throw new Fault(
    "bad-config",
    target === undefined || !existsSync(target)
      ? "a key that is sealed needs a kubeconfig that calls the plugin, and there is none"
      : `${target} reads the key from ${currentPath}, which a sealed one does not allow`,
    { detail: { todo: "countersign node join --provider tpm --seal-key writes one; or leave --seal-key out" } },
  );
}

async function mentions(path: string, currentPath: string): Promise<boolean> {
  try {
    return (await nodeFileSystem.read(path)).includes(currentPath);
  } catch (error) {
    if (isFault(error, "not-found")) return false;
    throw error;
  }
}
