// Keeps the signatures of kube-public/cluster-info in step with the bootstrap tokens: gather → plan → act. There is one
// object and so one key; a change of any token brings it back, and so does the end of the next token.

import type { ConfigMap, Secret } from "../../api/core/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";
import { type Handler, UNTIL_CHANGED } from "../loop/index.ts";
import { saveClusterInfo } from "./act.ts";
import { planClusterInfo } from "./plan.ts";

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
}

export function createClusterInfoSigner({ getConfigMap, listTokens, clock, client, log }: ClusterInfoOptions): Handler {
  return async () => {
    const configMap = getConfigMap();
    const nowMs = clock.now();
    const { data, nextExpiryMs } = planClusterInfo({ nowMs, configMap, secrets: listTokens() });
    if (configMap !== undefined && data !== undefined) await saveClusterInfo({ client, log }, { ...configMap, data });
    return nextExpiryMs === undefined ? UNTIL_CHANGED : { afterMs: Math.min(nextExpiryMs - nowMs, MAX_WAIT_MS) };
  };
}
