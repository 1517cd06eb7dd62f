// Requests of one step: the insecure provider's first and only one, and a TPM's renewal by beacon.

import { ekLabelOf, type NodeIdentityStatus } from "../../api/countersign/index.ts";
import { encodeProtocol } from "../../attestation/evidence/index.ts";
import { judgeInsecure } from "../../attestation/insecure/verifier.ts";
import { type Alarm, type EvidenceFacts, pinsOf } from "../../attestation/rules/index.ts";
import { clockAlarms, judgeTpmBeacon, planPins } from "../../attestation/tpm/verifier.ts";
import { assert } from "../../kernel/outcome/index.ts";
import { pin } from "../identities/pin.ts";
import { raiseAll } from "../judging/alarms.ts";
import type { Judgement } from "../judging/index.ts";
import { auditHolders, refusedBy, settle } from "../judging/settle.ts";
import type { Next } from "../loop/index.ts";
import { approve, exchangeOf, isRecorded } from "./approve.ts";
import { gatherEvidence } from "./gather.ts";
import { gatherBeacon } from "./gather-tpm.ts";
import type { AttestationWorld, Look } from "./world.ts";

export async function handleInsecure(world: AttestationWorld, look: Look): Promise<Next> {
  const facts = await gatherEvidence(world, look, { isLive: true });
  if (look.envelope !== undefined && isRecorded(facts.identity, look))
    return await approve(world, look, facts.identity);
  const judgement = judgeInsecure(facts);
  const isDue = judgement.verdict.kind === "Allow" && look.policy?.mode !== "Shadow";
  if (!isDue) return await settle(world, look, judgement);
  return await pinAndApprove(world, look, {
    facts,
    judgement,
    pins: planInsecurePins(facts, look),
    ekLabel: undefined,
    alarms: [],
  });
}

export async function handleBeacon(world: AttestationWorld, look: Look): Promise<Next> {
  const facts = await gatherBeacon(world, look);
  if (isRecorded(facts.identity, look)) return await approve(world, look, facts.identity);
  const judgement = auditHolders(judgeTpmBeacon(facts), facts.otherHolders);
  const isDue = judgement.verdict.kind === "Allow" && look.policy?.mode !== "Shadow";
  if (!isDue) return await settle(world, look, judgement);
  const { endorsementKey } = facts.keys;
  const ekLabel = endorsementKey.ok ? ekLabelOf(endorsementKey.value.hash) : undefined;
  const [pins, alarms] = [planPins(facts), clockAlarms(facts)];
  return await pinAndApprove(world, look, { facts, judgement, pins, ekLabel, alarms });
}

interface Passed {
  readonly facts: EvidenceFacts;
  readonly judgement: Judgement;
  readonly pins: NodeIdentityStatus;
  readonly ekLabel: string | undefined;
  readonly alarms: readonly Alarm[];
}

async function pinAndApprove(world: AttestationWorld, look: Look, passed: Passed): Promise<Next> {
  const { facts, judgement, pins, ekLabel, alarms } = passed;
  const exchange = exchangeOf(look, facts.nowMs);
  const nodeName = look.envelope?.node ?? "";
  const intent = look.envelope?.intent;
  const pinned = await pin(world, { nodeName, intent, identity: facts.identity, ekLabel, pins, exchange });
  if (pinned.kind === "Refused")
    return await settle(world, look, refusedBy(judgement, "identity-is-free-to-pin", pinned));
  raiseAll(world, look, alarms);
  return await approve(world, look, { kind: "Present", value: pinned.identity }, judgement);
}

/** Trust on first use: node, provider ID and key. */
function planInsecurePins({ machines, nowMs, identity }: EvidenceFacts, look: Look): NodeIdentityStatus {
  const { envelope } = look;
  assert(envelope !== undefined, "pins are planned after every rule passed");
  const machine = machines.kind === "Present" ? machines.value[0] : undefined;
  return {
    phase: "Active",
    provider: envelope.protocol.provider,
    protocolFloor: encodeProtocol(envelope.protocol),
    providerId: envelope.providerId,
    spkiSha256: exchangeOf(look, nowMs).spkiSha256,
    ...(machine === undefined
      ? {}
      : { machine: { namespace: machine.namespace, name: machine.name, uid: machine.uid } }),
    // The hour within which the same key may ask again does not begin anew with every request.
    attestedAt: pinsOf(identity)?.attestedAt ?? new Date(nowMs).toISOString(),
  };
}
