// The key to which evidence may be sealed (protocol 2.9), published at home for whoever writes bootstrap data: the public half, as
// `--evidence-recipient` takes it. The private half stays beside the challenge keys.

import type { ConfigMap } from "../../../api/core/index.ts";
import { EVIDENCE_RECIPIENT } from "../../../api/countersign/index.ts";
import { CONFIG_MAPS } from "../../../api/meta/index.ts";
import { encodeRecipient } from "../../../attestation/evidence/index.ts";
import { publicPointOf } from "../../../kernel/crypto/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import type { AttestationWorld } from "../world.ts";

type Publisher = Pick<AttestationWorld, "home" | "keys" | "namespace" | "nameAtHome" | "log">;

/** A courtesy: without the right to it, everything else goes on. */
export async function publishRecipient(world: Publisher): Promise<void> {
  try {
    await publish(world);
  } catch (error) {
    if (!isFault(error, "forbidden")) throw error;
    world.log.warn("the key for sealed evidence is not published", { error });
  }
}

async function publish({ home, keys, namespace, nameAtHome }: Publisher): Promise<void> {
  const [recipient] = (await keys.ring()).recipients;
  if (recipient === undefined) return;
  const { key } = EVIDENCE_RECIPIENT;
  const name = nameAtHome(EVIDENCE_RECIPIENT.name);
  const data = { [key]: encodeRecipient({ id: recipient.id, point: publicPointOf("P-256", recipient.scalar) }) };
  const wanted: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data };
  try {
    const present = await home.get<ConfigMap>(CONFIG_MAPS, { namespace, name });
    if (present.data?.[key] !== data[key]) await home.update(CONFIG_MAPS, { ...present, data });
  } catch (error) {
    if (!isFault(error, "not-found")) throw error;
    await home.create(CONFIG_MAPS, wanted);
  }
}
