// How a daemon, or a single renewal, starts: the store put in order, the credentials found, the way to the cluster opened.

import { Fault, isFault } from "../../kernel/outcome/index.ts";
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
import type { Journal } from "./journal.ts";
import type { DaemonOptions } from "./options.ts";
import { requireNoReader } from "./pair-readers.ts";

export type BootOptions = Pick<
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
