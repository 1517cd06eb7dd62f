// The cluster's offer of a short renewal (protocol 3.9): a beacon that nodes may read. Whatever keeps it from being read (no such
// object, no right to it, a server that is away, words that are no beacon) means that the renewal goes the full way.

import type { ConfigMap } from "../../../api/core/index.ts";
import { CONFIG_MAPS } from "../../../api/meta/index.ts";
import { BEACON_CONFIG_MAP, type Beacon, parseBeacon } from "../../../attestation/evidence/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";

export async function readBeacon(client: KubeClient, signal: AbortSignal): Promise<Beacon | undefined> {
  const { namespace, name, key } = BEACON_CONFIG_MAP;
  try {
    const { data } = await client.get<ConfigMap>(CONFIG_MAPS, { namespace, name }, { signal });
    return parseBeacon(data?.[key] ?? "");
  } catch (failure) {
    if (!isFault(failure) || failure.code === "aborted") throw failure;
    return undefined;
  }
}
