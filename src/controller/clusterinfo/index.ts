// Keeps kube-public/cluster-info in step with the bootstrap tokens and, where the operator says so, with the cluster's
// address and CA: gather → plan → act. There is one object and so one key; a change of any token brings it back, and so
// does the end of the next token.

import type { ConfigMap, Secret } from "../../api/core/index.ts";
import { CONFIG_MAPS } from "../../api/meta/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { Informer, KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";
import { type Feature, UNTIL_CHANGED } from "../loop/index.ts";
import type { LocationSource } from "./location.ts";
import { planClusterInfo } from "./plan.ts";

export { type LocationSource, loadLocation } from "./location.ts";
export { createTokenCleaner } from "./token-cleaner.ts";

export const CLUSTER_INFO_NAMESPACE = "kube-public";
export const CLUSTER_INFO_NAME = "cluster-info";

/** Timers do not reach beyond 24 days, and nothing is lost by looking twice a day. */
const MAX_WAIT_MS = 12 * 3_600_000;

interface ClusterInfoOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly clusterInfo: Informer<ConfigMap>;
  readonly tokens: Informer<Secret>;
  /** Left out: the kubeconfig is another writer's, and a missing cluster-info stays missing. */
  readonly location?: LocationSource | undefined;
}

export function createClusterInfoSigner(options: ClusterInfoOptions): Feature {
  const { clusterInfo, tokens, location, clock } = options;
  return {
    name: "cluster-info",
    needs: [clusterInfo, tokens],
    wakesOn: (wake) => {
      wake(CLUSTER_INFO_NAME);
      for (const source of [clusterInfo, tokens, location]) source?.onChange(() => wake(CLUSTER_INFO_NAME));
    },
    handle: async () => {
      const configMap = clusterInfo.list().find(({ metadata }) => metadata.name === CLUSTER_INFO_NAME);
      const nowMs = clock.now();
      const facts = { nowMs, configMap, secrets: tokens.list(), location: location?.current() };
      const { data, nextExpiryMs } = planClusterInfo(facts);
      if (data !== undefined) await saveClusterInfo(options, { ...(configMap ?? NEW_CLUSTER_INFO), data });
      return nextExpiryMs === undefined ? UNTIL_CHANGED : { afterMs: Math.min(nextExpiryMs - nowMs, MAX_WAIT_MS) };
    },
  };
}

const NEW_CLUSTER_INFO: ConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: CLUSTER_INFO_NAME, namespace: CLUSTER_INFO_NAMESPACE },
};

/** The resourceVersion travels along in the object: a write in between wins, and the loop looks again. */
async function saveClusterInfo({ client, log }: ClusterInfoOptions, configMap: ConfigMap): Promise<void> {
  const isNew = configMap.metadata.resourceVersion === undefined;
  await (isNew ? client.create(CONFIG_MAPS, configMap) : client.update(CONFIG_MAPS, configMap));
  const signatures = Object.keys(configMap.data ?? {}).filter((key) => key.startsWith("jws-kubeconfig-")).length;
  log.info("cluster-info signed", { signatures, isNew });
}
