// CSR 2 of a TPM's exchange: P1–P11, which a stranger's junk may fail without touching the hello; then the challenge is used up;
// then P13–P18 on live reads. Each step is keyed by the proof's uid, so that whoever comes after a crash goes on where it ended.

import { setImmediate as nextTurn } from "node:timers/promises";
import { ekLabelOf, type NodeIdentity } from "../../api/countersign/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import { CONSUMED_BY_ANNOTATION } from "../../attestation/evidence/index.ts";
import {
  clockAlarms,
  judgeOwnedTpmProof,
  judgeTpmProof,
  type OwnedProofFacts,
  planPins,
} from "../../attestation/tpm/verifier.ts";
import { isFault, type Seen } from "../../kernel/outcome/index.ts";
import { type ListedHolders, listHolders, type Pinned, pin } from "../identities/pin.ts";
import { raiseAll } from "../judging/alarms.ts";
import type { Judgement } from "../judging/index.ts";
import type { ReadRequest } from "../judging/requests.ts";
import { auditHolders, drop, refusedBy, settle } from "../judging/settle.ts";
import { OWNED_WAIT_MS, removeRequest } from "../judging/tidy.ts";
import type { Next } from "../loop/index.ts";
import { approve, exchangeOf, isRecorded } from "./approve.ts";
import type { Wanted } from "./gather.ts";
import { gatherProof, getHello, seeOpenHello } from "./gather-tpm.ts";
import { judgeBeforeRefusing } from "./judge-again.ts";
import type { AttestationWorld, Look } from "./world.ts";

export async function handleProof(world: AttestationWorld, look: Look): Promise<Next> {
  const done = await finishByCopies(world, look);
  if (done !== undefined) return done;
  const hello = await getHello(world, look);
  const gather = (wanted: Wanted) => gatherProof(world, look, { ...wanted, hello });
  const copied = await gather({ isLive: false });
  const { facts, judgement } = await judgeBeforeRefusing(world, { gather, judge: judgeTpmProof }, copied);
  if (judgement.verdict.kind !== "Allow") return await refuseProof(world, look, judgement);
  if (look.policy?.mode === "Shadow") return await settle(world, look, judgeOwnedTpmProof(facts));
  return await finish(world, look, await own(world, look, { facts, hello }));
}

/**
 * P2 and P16 by our copies of hello and identity: that the one can be used up and the other be written in exactly these states proves
 * that they are what a live read would have shown. Undefined where they cannot, or where there is anything to refuse: then both are
 * read live.
 */
async function finishByCopies(world: AttestationWorld, look: Look): Promise<Next | undefined> {
  const hello = await seeOpenHello(world, look);
  if (hello === undefined || look.policy?.mode === "Shadow") return undefined;
  const copied = await gatherProof(world, look, { isLive: false, hello });
  const { identity } = copied;
  if (judgeTpmProof(copied).verdict.kind !== "Allow" || isRecorded(identity, look)) return undefined;
  try {
    const owned = await own(world, look, { facts: copied, hello }, identity);
    const judgement = judgeOwnedTpmProof(owned.facts);
    if (judgement.verdict.kind !== "Allow") return undefined;
    const pinned = await pinProven(world, look, owned);
    return pinned.kind === "Refused" ? undefined : await approvePinned(world, look, { ...pinned, ...owned, judgement });
  } catch (error) {
    if (isFault(error) && OVERTAKEN.has(error.code)) return undefined;
    throw error;
  }
}

/** What a write says of a state that is not the one that was judged. */
const OVERTAKEN: ReadonlySet<string> = new Set(["already-exists", "conflict", "invalid", "not-found"]);

interface Judged {
  readonly facts: OwnedProofFacts;
  readonly hello: Seen<ReadRequest>;
}

/** P12, while what P13–P17 rest on is read live; but for the identity, where it is given. */
async function own(
  world: AttestationWorld,
  look: Look,
  { facts: judged, hello }: Judged,
  identity?: Seen<NodeIdentity>,
): Promise<Owned> {
  const read = async () => {
    // The write takes longest: it is on its way before the reads are made.
    await nextTurn();
    return await Promise.all([
      gatherProof(world, look, { isLive: true, hello, identity }),
      listHolders(world, judged.identity, labelOf(judged)),
    ]);
  };
  const [, [facts, holders]] = await Promise.all([consume(world, look, hello), read()]);
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

interface Owned extends Judged {
  readonly holders: ListedHolders | undefined;
}

async function finish(world: AttestationWorld, look: Look, owned: Owned): Promise<Next> {
  const { facts, hello } = owned;
  if (isRecorded(facts.identity, look)) return await approve(world, look, facts.identity);
  const judgement = auditHolders(judgeOwnedTpmProof(facts), facts.otherHolders);
  const { verdict } = judgement;
  if (verdict.kind === "Wait" && facts.nowMs - look.object.createdMs > OWNED_WAIT_MS) {
    const message = `waited in vain: ${verdict.reason}: ${verdict.message}`;
    return await end(world, look, hello, refusedBy(judgement, verdict.rule, { reason: "WaitedTooLong", message }));
  }
  if (verdict.kind === "Deny") return await end(world, look, hello, judgement);
  if (verdict.kind !== "Allow") return await settle(world, look, judgement);
  const pinned = await pinProven(world, look, owned);
  if (pinned.kind === "Refused")
    return await end(world, look, hello, refusedBy(judgement, "identity-is-free-to-pin", pinned));
  return await approvePinned(world, look, { ...pinned, facts, judgement });
}

/** P17. */
async function pinProven(world: AttestationWorld, look: Look, { facts, holders }: Owned): Promise<Pinned> {
  return await pin(world, {
    nodeName: look.envelope?.node ?? "",
    intent: look.envelope?.intent,
    identity: facts.identity,
    ekLabel: labelOf(facts),
    holders,
    pins: planPins(facts),
    exchange: exchangeOf(look, facts.nowMs),
  });
}

interface Proven {
  readonly facts: OwnedProofFacts;
  readonly identity: NodeIdentity;
  readonly judgement: Judgement;
}

/** P18. */
async function approvePinned(
  world: AttestationWorld,
  look: Look,
  { facts, identity, judgement }: Proven,
): Promise<Next> {
  raiseAll(world, look, clockAlarms(facts));
  return await approve(world, look, { kind: "Present", value: identity }, judgement);
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
