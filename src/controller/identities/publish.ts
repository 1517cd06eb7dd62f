// ConfigMaps by which the controller tells others something: made where they are missing, written anew where they say
// something else. They are a courtesy: where the right is missing, that is logged, and everything else goes on without
// them.

import type { ConfigMap } from "../../api/core/index.ts";
import { EVIDENCE_RECIPIENT } from "../../api/countersign/index.ts";
import { CONFIG_MAPS } from "../../api/meta/index.ts";
import {
  BEACON_CONFIG_MAP,
  beaconEpoch,
  beaconNonce,
  encodeBeacon,
  encodeRecipient,
} from "../../attestation/evidence/index.ts";
import { publicPointOf } from "../../kernel/crypto/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";
import type { AttestationWorld } from "../judging/exchange/world.ts";

interface Publisher {
  readonly client: Pick<KubeClient, "get" | "create" | "update">;
  readonly log: Log;
}

interface Publication {
  readonly namespace: string;
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
  /** What is said where it may not be written. */
  readonly unpublished: string;
}

async function publishConfigMap({ client, log }: Publisher, wanted: Publication): Promise<void> {
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
async function getConfigMap(
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

// The beacon of short renewals (Renewal by beacon), where nodes may read it: renewed with its epoch while a policy lets
// renewals go by it, and taken away when none does any more, because each node that finds one spends a request on it
// that is refused.
interface BeaconOptions {
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

/**
 * Emptied, not deleted: the right to write this one object is all that it takes. Who has no right to it never published
 * one.
 */
async function empty({ world: { client } }: BeaconOptions): Promise<void> {
  try {
    const present = await getConfigMap(client, BEACON_CONFIG_MAP);
    if (present?.data?.[BEACON_CONFIG_MAP.key] !== undefined)
      await client.update(CONFIG_MAPS, { ...present, data: {} });
  } catch (error) {
    if (!isFault(error, "forbidden")) throw error;
  }
}

// The key to which evidence may be sealed (Messages), published in the management cluster for writers of bootstrap
// data: the public half, as `--evidence-recipient` takes it. The private half stays beside the challenge keys.
type RecipientWorld = Pick<AttestationWorld, "management" | "keys" | "namespace" | "nameInManagement" | "log">;

export async function publishRecipient({
  management,
  keys,
  namespace,
  nameInManagement,
  log,
}: RecipientWorld): Promise<void> {
  const [recipient] = (await keys.ring()).recipients;
  if (recipient === undefined) return;
  const words = encodeRecipient({ id: recipient.id, point: publicPointOf("P-256", recipient.scalar) });
  await publishConfigMap(
    { client: management, log },
    {
      namespace,
      name: nameInManagement(EVIDENCE_RECIPIENT.name),
      data: { [EVIDENCE_RECIPIENT.key]: words },
      unpublished: "the key for sealed evidence is not published",
    },
  );
}
