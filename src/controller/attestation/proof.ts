// CSR 2 of a TPM's exchange: P1–P11, which a stranger's junk may fail without touching the hello; then the challenge is used up;
// then P13–P18 on live reads. Each step is keyed by the proof's uid, so that whoever comes after a crash goes on where it ended.

import { ekLabelOf } from "../../api/countersign/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import { CONSUMED_BY_ANNOTATION } from "../../attestation/evidence/index.ts";
import {
  clockAlarms,
  judgeOwnedTpmProof,
  judgeTpmProof,
  type OwnedProofFacts,
  planPins,
} from "../../attestation/verifiers/index.ts";
import { isFault, type Judgement, type Seen } from "../../kernel/outcome/index.ts";
import type { Next } from "../loop/index.ts";
import { raise } from "./alarms.ts";
import { approve, exchangeOf, isRecorded } from "./approve.ts";
import { gatherProof, getHello, seeOpenHello } from "./gather-tpm.ts";
import { type ListedHolders, listHolders, pin } from "./pin.ts";
import type { ReadRequest } from "./requests.ts";
import { drop, refusedBy, settle } from "./settle.ts";
import { OWNED_WAIT_MS, removeRequest } from "./tidy.ts";
import type { AttestationWorld, Look } from "./world.ts";

export async function handleProof(world: AttestationWorld, look: Look): Promise<Next> {
  const owned = await ownByCopy(world, look);
  if (owned !== undefined) return await finish(world, look, owned);
  const hello = await getHello(world, look);
  const facts = await gatherProof(world, look, { isLive: false, hello });
  const judgement = judgeTpmProof(facts);
  if (judgement.verdict.kind !== "Allow") return await refuseProof(world, look, judgement);
  if (look.policy?.mode === "Shadow") return await settle(world, look, judgeOwnedTpmProof(facts));
  return await finish(world, look, await own(world, look, { facts, hello }));
}

/**
 * P2 by the copy, which has our own challenge: that the hello can be used up in exactly this state proves that it is what a live read
 * would have shown. Undefined where it cannot, or where there is anything to refuse: then it is read live.
 */
async function ownByCopy(world: AttestationWorld, look: Look): Promise<Owned | undefined> {
  const hello = await seeOpenHello(world, look);
  if (hello === undefined || look.policy?.mode === "Shadow") return undefined;
  const facts = await gatherProof(world, look, { isLive: false, hello });
  if (judgeTpmProof(facts).verdict.kind !== "Allow") return undefined;
  try {
    return await own(world, look, { facts, hello });
  } catch (error) {
    if (isFault(error, "conflict") || isFault(error, "not-found") || isFault(error, "invalid")) return undefined;
    throw error;
  }
}

/** P12, while what P13–P17 rest on is read live. */
async function own(world: AttestationWorld, look: Look, { facts: copied, hello }: Proven): Promise<Owned> {
  // The write first: it takes longest.
  const [, facts, holders] = await Promise.all([
    consume(world, look, hello),
    gatherProof(world, look, { isLive: true, hello }),
    listHolders(world, copied.identity, labelOf(copied)),
  ]);
  return { facts, hello, holders };
}

function labelOf({ keys: { endorsementKey } }: OwnedProofFacts): string | undefined {
  return endorsementKey.ok ? ekLabelOf(endorsementKey.value.hash) : undefined;
}

/** A proof that did not come as far as its challenge: it touches nothing but itself. */
export async function refuseProof(world: AttestationWorld, look: Look, judgement: Judgement): Promise<Next> {
  const helloUid = look.envelope?.hello?.uid;
  // What names no hello is nobody's junk proof: counted together, eight strangers would silence every refusal after them.
  const isTold =
    judgement.verdict.kind !== "Deny" ||
    look.policy?.mode === "Shadow" ||
    helloUid === undefined ||
    world.limits.junk.mayTell(helloUid);
  return isTold ? await settle(world, look, judgement) : await drop(world, look, { judgement, why: "junk-proof" });
}

/** P12. `conflict`: somebody else wrote on the hello; the loop looks again. */
export async function consume(world: AttestationWorld, { object }: Look, hello: Seen<ReadRequest>): Promise<void> {
  if (hello.kind !== "Present" || hello.value.object.annotations[CONSUMED_BY_ANNOTATION] !== undefined) return;
  const { name = "", uid, resourceVersion } = hello.value.csr.metadata;
  const metadata = { uid, resourceVersion, annotations: { [CONSUMED_BY_ANNOTATION]: object.uid } };
  await world.client.patch(CSRS, { name, subresource: "status" }, { metadata }, { type: "merge" });
}

interface Proven {
  readonly facts: OwnedProofFacts;
  readonly hello: Seen<ReadRequest>;
}

interface Owned extends Proven {
  readonly holders: ListedHolders | undefined;
}

async function finish(world: AttestationWorld, look: Look, { facts, hello, holders }: Owned): Promise<Next> {
  if (isRecorded(facts.identity, look)) return await approve(world, look, facts.identity);
  const judgement = judgeOwnedTpmProof(facts);
  if (judgement.verdict.kind === "Wait" && facts.nowMs - look.object.createdMs > OWNED_WAIT_MS) {
    const message = `waited in vain: ${judgement.verdict.reason}: ${judgement.verdict.message}`;
    return await end(
      world,
      look,
      hello,
      refusedBy(judgement, judgement.verdict.rule, { reason: "WaitedTooLong", message }),
    );
  }
  if (judgement.verdict.kind === "Deny") return await end(world, look, hello, judgement);
  if (judgement.verdict.kind !== "Allow") return await settle(world, look, judgement);
  const pinned = await pin(world, {
    nodeName: look.envelope?.node ?? "",
    intent: look.envelope?.intent,
    identity: facts.identity,
    ekLabel: labelOf(facts),
    holders,
    pins: planPins(facts),
    exchange: exchangeOf(look, facts.nowMs),
  });
  if (pinned.kind === "Refused")
    return await end(world, look, hello, refusedBy(judgement, "identity-is-free-to-pin", pinned));
  for (const alarm of clockAlarms(facts)) raise(world, look.csr, { ...alarm, node: look.envelope?.node });
  return await approve(world, look, { kind: "Present", value: pinned.identity }, judgement);
}

/** A refusal after the challenge was used up ends the exchange. */
export async function end(
  world: AttestationWorld,
  look: Look,
  hello: Seen<ReadRequest>,
  judgement: Judgement,
): Promise<Next> {
  const next = await settle(world, look, judgement);
  if (hello.kind === "Present") await removeRequest(world, hello.value.csr);
  return next;
}
