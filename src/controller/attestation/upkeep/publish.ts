// ConfigMaps by which the controller tells others something: made where they are missing, written anew where they say something else.
// They are a courtesy: where nobody gave the right, that is told, and everything else goes on without them.

import type { ConfigMap } from "../../../api/core/index.ts";
import { CONFIG_MAPS } from "../../../api/meta/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import type { Log } from "../../../platform/report/index.ts";

export interface Publisher {
  readonly client: Pick<KubeClient, "get" | "create" | "update">;
  readonly log: Log;
}

export interface Publication {
  readonly namespace: string;
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
  /** What is said where it may not be written. */
  readonly unpublished: string;
}

export async function publishConfigMap({ client, log }: Publisher, wanted: Publication): Promise<void> {
  const { namespace, name, data } = wanted;
  try {
    const present = await getConfigMap(client, wanted);
    if (present === undefined) {
      const made: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data };
      await client.create(CONFIG_MAPS, made);
    } else if (Object.entries(data).some(([key, value]) => present.data?.[key] !== value)) {
      await client.update(CONFIG_MAPS, { ...present, data });
    }
  } catch (error) {
    if (!isFault(error, "forbidden")) throw error;
    log.warn(wanted.unpublished, { namespace, configMap: name, error });
  }
}

/** Undefined where there is none. */
export async function getConfigMap(
  client: Publisher["client"],
  { namespace, name }: Pick<Publication, "namespace" | "name">,
): Promise<ConfigMap | undefined> {
  try {
    return await client.get<ConfigMap>(CONFIG_MAPS, { namespace, name });
  } catch (error) {
    if (isFault(error, "not-found")) return undefined;
    throw error;
  }
}
