// The key to which evidence may be sealed (protocol 2.9), published at home for whoever writes bootstrap data: the public half, as
// `--evidence-recipient` takes it. The private half stays beside the challenge keys.

import { EVIDENCE_RECIPIENT } from "../../../api/countersign/index.ts";
import { encodeRecipient } from "../../../attestation/evidence/index.ts";
import { publicPointOf } from "../../../kernel/crypto/index.ts";
import type { AttestationWorld } from "../world.ts";
import { publishConfigMap } from "./publish.ts";

type RecipientWorld = Pick<AttestationWorld, "home" | "keys" | "namespace" | "nameAtHome" | "log">;

export async function publishRecipient({ home, keys, namespace, nameAtHome, log }: RecipientWorld): Promise<void> {
  const [recipient] = (await keys.ring()).recipients;
  if (recipient === undefined) return;
  const words = encodeRecipient({ id: recipient.id, point: publicPointOf("P-256", recipient.scalar) });
  await publishConfigMap(
    { client: home, log },
    {
      namespace,
      name: nameAtHome(EVIDENCE_RECIPIENT.name),
      data: { [EVIDENCE_RECIPIENT.key]: words },
      unpublished: "the key for sealed evidence is not published",
    },
  );
}
