// What attestation does by the clock: keys rotate, the key for sealed evidence and, where a policy wants it, the beacon
// are published, identities whose Machine and Node are gone are retired, Nodes that call themselves another machine are
// told of, and Cluster API is told which signers there are.

import type { Policy } from "../../api/countersign/index.ts";
import type { Metrics } from "../../platform/report/index.ts";
import type { AttestationWorld } from "../judging/exchange/world.ts";
import type { Feature, Syncing } from "../loop/index.ts";
import { requireOneNamespace } from "../machines/index.ts";
import { createProviderIdWatch } from "./provider-ids.ts";
import { keepBeacon, publishRecipient } from "./publish.ts";
import type { Registration } from "./registration.ts";
import { retire } from "./retire.ts";

const UPKEEP_KEY = "attestation";
/** A fifth of a beacon's epoch. */
const INTERVAL_MS = 60_000;

interface UpkeepOptions {
  readonly attesting: AttestationWorld;
  readonly metrics: Metrics;
  readonly csrs: Syncing;
  readonly nodes: Syncing;
  readonly policies: Syncing & {
    onChange(handler: () => void): void;
    list(): readonly Policy[];
    broken(): readonly string[];
  };
  readonly register: Registration;
  /** The cluster's first id; absent while no CA is known. */
  readonly clusterId: () => string | undefined;
}

export function createUpkeep(options: UpkeepOptions): Feature {
  const { attesting: world, metrics, csrs, nodes, policies, clusterId, register } = options;
  const providerIds = createProviderIdWatch(world);
  const help = "Nodes whose provider ID is not the one with which they were attested.";
  metrics.reading({ name: "countersign_attestation_provider_id_mismatches", help, type: "gauge" }, providerIds.count);
  let told: ReadonlySet<string> = new Set();
  let saidElsewhere = "";
  return {
    name: "attestation",
    needs: [csrs, nodes, policies],
    isPeriodic: true,
    wakesOn: (wake) => {
      wake(UPKEEP_KEY);
      policies.onChange(() => wake(UPKEEP_KEY));
    },
    handle: async () => {
      // Without our kinds there is nothing to keep up, and no key to make in a cluster that attests no node.
      if (!world.identities.hasSynced() || world.identities.find("").kind === "NotRead")
        return { afterMs: INTERVAL_MS };
      requireOwnName(world);
      saidElsewhere = tellElsewhere(world, saidElsewhere);
      await world.keys.upkeep();
      await keepBeacon({ world, clusterId, wantsBeacon: () => wantsBeacon(policies) });
      await publishRecipient(world);
      await world.limits.overflow.sweep();
      told = tellResets(world, told);
      providerIds.look();
      await register();
      if (world.machines.hasSynced() && nodes.hasSynced()) await retire(world);
      return { afterMs: INTERVAL_MS };
    },
  };
}

/** Whether any policy lets renewals go by beacon; undefined while one cannot be read, which may. */
function wantsBeacon({ list, broken }: UpkeepOptions["policies"]): boolean | undefined {
  if (list().some(({ attestation }) => attestation.renewalBeacon === true)) return true;
  return broken().length === 0 ? false : undefined;
}

/** Fault `bad-config`, before anything is written, where Machines of several namespaces have this cluster's name. */
function requireOwnName({ clusterName, machines }: AttestationWorld): void {
  if (clusterName !== undefined) requireOneNamespace({ name: clusterName }, machines.namespaces());
}

/**
 * Once for each set of namespaces, which is what it returns: a cluster of our name, of which nothing else can be seen
 * from here.
 */
function tellElsewhere({ identities, clusterName, log }: AttestationWorld, said: string): string {
  const others = identities.elsewhere();
  const namespaces = [...new Set(others.map(({ status }) => status?.machine?.namespace ?? ""))].sort();
  const words = namespaces.join(", ");
  if (words !== "" && words !== said)
    log.warn("another cluster of this name has its identities here, which are left to it", {
      ...{ cluster: clusterName, namespaces, identities: others.length },
    });
  return words;
}

/** What an operator opened is in the audit trail once; returns what was told and still stands. */
function tellResets({ identities, log }: AttestationWorld, told: ReadonlySet<string>): ReadonlySet<string> {
  const standing = new Set<string>();
  for (const { metadata, spec } of identities.list()) {
    const { reset } = spec;
    if (reset === undefined) continue;
    const words = `${metadata.uid ?? ""} ${JSON.stringify(reset)}`;
    standing.add(words);
    if (told.has(words)) continue;
    const { until, clock = false } = reset;
    log.info("identity opened by an operator", {
      audit: true,
      identity: metadata.name,
      node: spec.nodeName,
      until,
      clock,
    });
  }
  return standing;
}
