// Keeps kube-public/cluster-info in step with the bootstrap tokens and, where the operator says so, with the cluster's address
// and CA: gather → plan → act. There is one object and so one key; a change of any token brings it back, and so does the end
// of the next token.

import type { ConfigMap, Secret } from "../../api/core/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";
import { type Handler, UNTIL_CHANGED } from "../loop/index.ts";
import { saveClusterInfo } from "./act.ts";
import type { WantedLocation } from "./kubeconfig.ts";
import { planClusterInfo } from "./plan.ts";

export type { WantedLocation } from "./kubeconfig.ts";
export { type LocationSource, loadLocation } from "./location.ts";
export { createTokenCleaner, type TokenCleanerOptions } from "./token-cleaner.ts";

export const CLUSTER_INFO_NAMESPACE = "kube-public";
export const CLUSTER_INFO_NAME = "cluster-info";

/** Timers do not reach beyond 24 days, and nothing is lost by looking twice a day. */
const MAX_WAIT_MS = 12 * 3_600_000;

export interface ClusterInfoOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly getConfigMap: () => ConfigMap | undefined;
  readonly listTokens: () => readonly Secret[];
  /** Left out: the kubeconfig is somebody else's, and a missing cluster-info stays missing. */
  readonly location?: (() => WantedLocation | undefined) | undefined;
}

export function createClusterInfoSigner(options: ClusterInfoOptions): Handler {
  const { getConfigMap, listTokens, location, clock, client, log } = options;
  return async () => {
    const configMap = getConfigMap();
    const nowMs = clock.now();
    const facts = { nowMs, configMap, secrets: listTokens(), location: location?.() };
    const { data, nextExpiryMs } = planClusterInfo(facts);
    if (data !== undefined) await saveClusterInfo({ client, log }, { ...(configMap ?? NEW_CLUSTER_INFO), data });
    return nextExpiryMs === undefined ? UNTIL_CHANGED : { afterMs: Math.min(nextExpiryMs - nowMs, MAX_WAIT_MS) };
  };
}

const NEW_CLUSTER_INFO: ConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: CLUSTER_INFO_NAME, namespace: CLUSTER_INFO_NAMESPACE },
};
