// Writes cluster-info. The resourceVersion travels along in the object: whoever wrote in between wins, and we look again.

import type { ConfigMap } from "../../api/core/index.ts";
import { CONFIG_MAPS } from "../../api/meta/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";

export interface ActOptions {
  readonly client: KubeClient;
  readonly log: Log;
}

export async function saveClusterInfo({ client, log }: ActOptions, configMap: ConfigMap): Promise<void> {
  const isNew = configMap.metadata.resourceVersion === undefined;
  await (isNew ? client.create(CONFIG_MAPS, configMap) : client.update(CONFIG_MAPS, configMap));
  const signatures = Object.keys(configMap.data ?? {}).filter((key) => key.startsWith("jws-kubeconfig-")).length;
  log.info("cluster-info signed", { signatures, isNew });
}
