// The beacon of short renewals (protocol 3.9), where nodes may read it: renewed with its epoch while a policy lets renewals go by it,
// and taken away when none does any more, because each node that finds one spends a request on it that is refused.

import { CONFIG_MAPS } from "../../../api/meta/index.ts";
import { BEACON_CONFIG_MAP, beaconEpoch, beaconNonce, encodeBeacon } from "../../../attestation/evidence/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import type { AttestationWorld } from "../world.ts";
import { getConfigMap, publishConfigMap } from "./publish.ts";

export interface BeaconOptions {
  readonly world: Pick<AttestationWorld, "client" | "clock" | "keys" | "log">;
  /** Whether any policy lets renewals go by beacon; undefined while one cannot be read, which may. */
  readonly wantsBeacon: () => boolean | undefined;
  /** The cluster's first id; absent while no CA is known. */
  readonly clusterId: () => string | undefined;
}

export async function keepBeacon(options: BeaconOptions): Promise<void> {
  const isWanted = options.wantsBeacon();
  if (isWanted === true) await publish(options);
  if (isWanted === false) await empty(options);
}

async function publish({ world, clusterId }: BeaconOptions): Promise<void> {
  const cluster = clusterId();
  if (cluster === undefined) return;
  const { current } = await world.keys.ring();
  const epoch = beaconEpoch(world.clock.now());
  const beacon = encodeBeacon({ epoch, kid: current.kid, nonce: beaconNonce(current, epoch, cluster) });
  const { namespace, name, key } = BEACON_CONFIG_MAP;
  const unpublished = "the beacon is not published: nodes renew by a full exchange";
  await publishConfigMap(world, { namespace, name, data: { [key]: beacon }, unpublished });
}

/** Emptied, not deleted: the right to write this one object is all that it takes. Who has no right to it never published one. */
async function empty({ world: { client } }: BeaconOptions): Promise<void> {
  try {
    const present = await getConfigMap(client, BEACON_CONFIG_MAP);
    if (present?.data?.[BEACON_CONFIG_MAP.key] !== undefined)
      await client.update(CONFIG_MAPS, { ...present, data: {} });
  } catch (error) {
    if (!isFault(error, "forbidden")) throw error;
  }
}
