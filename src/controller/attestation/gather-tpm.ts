// What the TPM's rules ask for besides: the keys that were sent or pinned, who vouches for them, and the challenged request.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import { ekLabelOf, type Policy } from "../../api/countersign/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import { CHALLENGE_ANNOTATION, CONSUMED_BY_ANNOTATION, parseChallenge } from "../../attestation/evidence/index.ts";
import { attempt, type EvidenceFacts, type EvidenceReading, type HelloFacts } from "../../attestation/rules/index.ts";
import {
  type BeaconFacts,
  challengedTpm,
  type EndorsementFacts,
  type EndorsementSource,
  type OwnedProofFacts,
  pinnedTpmKeys,
  readTpmKeys,
  type TpmHelloFacts,
  type TpmKeys,
} from "../../attestation/tpm/verifier.ts";
import { isFault, type Seen } from "../../kernel/outcome/index.ts";
import { parsePem } from "../../kernel/pem/index.ts";
import { type Certificate, parseCertificate, parseRevocationList } from "../../kernel/x509/index.ts";
import type { KeyRing } from "../identities/challenge-keys.ts";
import type { ReadRequest } from "../judging/requests.ts";
import { gatherEvidence, type Wanted } from "./gather.ts";
import type { AttestationWorld, Look } from "./world.ts";

/** Firmware, boot loader, and what they were told: what a changed boot changes. */
const USUAL_PCRS: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7];

export function demandedPcrs(policy: Policy | undefined): readonly number[] {
  const select = policy?.attestation.tpm?.pcrs?.select;
  return select === undefined ? USUAL_PCRS : [...select].sort((one, other) => one - other);
}

export async function gatherHello(world: AttestationWorld, look: Look, wanted: Wanted): Promise<TpmHelloFacts> {
  const common = await gatherEvidence(world, look, wanted);
  const keys = keysOfHello(look, common);
  const endorsed = await gatherEndorsement(world, { look, common, keys, annotated: look });
  const ring = await world.keys.ring();
  const limits = { ...common.limits, openOfRequesterAndKey: countOpenOfKey(world, look, ring) };
  return { ...endorsed, limits, challengeKeys: ring.all, challenged: challengedSide(look, keys) };
}

/** The proof, with its hello as it is now. `isLive`: an approval will rest on it. */
export async function gatherProof(
  world: AttestationWorld,
  look: Look,
  options: Wanted & { readonly hello: Seen<ReadRequest> },
): Promise<OwnedProofFacts> {
  const { hello, ...wanted } = options;
  const common = await gatherEvidence(world, look, wanted);
  const helloLook =
    hello.kind === "Present" ? { ...look, ...hello.value, envelope: envelopeOf(hello.value) } : undefined;
  const keys = helloLook === undefined ? NO_KEYS : keysOfHello(helloLook, common);
  const annotation = hello.kind === "Present" ? hello.value.object.annotations[CHALLENGE_ANNOTATION] : undefined;
  const parsed = attempt("ChallengeForged", () => parseChallenge(annotation ?? ""));
  const challenge = parsed.ok ? parsed.value.challenge : undefined;
  const ring = await world.keys.ring(challenge?.kid);
  const endorsed = await gatherEndorsement(world, { look, common, keys, annotated: helloLook ?? look });
  return {
    ...endorsed,
    hello: seenHello(hello),
    challengeKeys: ring.all,
    challenged: helloLook === undefined ? UNCHALLENGED : challengedSide(helloLook, keys),
    demandedPcrs: challenge?.alg === "tpm2-credential" ? challenge.pcrs : [],
  };
}

export async function gatherBeacon(world: AttestationWorld, look: Look): Promise<BeaconFacts> {
  const common = await gatherEvidence(world, look, { isLive: true });
  const keys = pinnedTpmKeys(common.identity);
  const endorsed = await gatherEndorsement(world, { look, common, keys, annotated: look });
  const ring = await world.keys.ring(look.envelope?.beacon?.kid);
  return { ...endorsed, challengeKeys: ring.all, challenged: UNCHALLENGED, demandedPcrs: demandedPcrs(look.policy) };
}

const UNREAD = { ok: false, reason: "EnvelopeMalformed", message: "the evidence has no TPM keys" } as const;
const NO_KEYS: TpmKeys = { endorsementKey: UNREAD, attestationKey: UNREAD };
const UNCHALLENGED = { ok: false, reason: "ChallengeUnknown", message: "nothing was challenged" } as const;

function keysOfHello({ envelope }: Look, { identity }: EvidenceFacts): TpmKeys {
  return envelope === undefined ? NO_KEYS : readTpmKeys(envelope, identity);
}

/** The head of a challenge names the cluster as the machine does: one of ours, or a rule has refused it. */
function challengedSide({ envelope, object }: Look, keys: TpmKeys): TpmHelloFacts["challenged"] {
  if (envelope === undefined) return UNCHALLENGED;
  return challengedTpm({ cluster: envelope.cluster, request: object.request, uid: object.uid }, keys);
}

function seenHello(hello: Seen<ReadRequest>): Seen<HelloFacts> {
  if (hello.kind !== "Present") return hello;
  const { object, reading } = hello.value;
  return { kind: "Present", value: { object, reading } };
}

interface Endorsed {
  readonly look: Look;
  readonly common: EvidenceFacts;
  readonly keys: TpmKeys;
  /** The request that may carry the platform's annotation: the hello. */
  readonly annotated: Look;
}

async function gatherEndorsement(world: AttestationWorld, about: Endorsed): Promise<EndorsementFacts> {
  const { look, common, keys } = about;
  const { roots, intermediates, revocationLists } = makersOf(look.policy);
  return {
    ...common,
    keys,
    sources: await askSources(world, about),
    // From the copy also where an approval rests on it: whose own identity is revoked is read live (H13), and the key of another that
    // was revoked in this moment is that other's claim (P17).
    deniedKeys: [...(common.policy.tpm?.deniedEndorsementKeys ?? []), ...world.identities.revokedKeys()],
    roots,
    intermediates,
    revocationLists,
    otherHolders: seeOtherHolders(world, about),
  };
}

function seeOtherHolders({ identities }: AttestationWorld, { look, keys }: Endorsed): EndorsementFacts["otherHolders"] {
  if (!keys.endorsementKey.ok) return { kind: "Absent" };
  return identities.holdersOf(ekLabelOf(keys.endorsementKey.value.hash), look.envelope?.node ?? "");
}

async function askSources(
  world: AttestationWorld,
  { common, annotated }: Endorsed,
): Promise<readonly EndorsementSource[]> {
  // Of an instance without a Machine a platform's inventory knows nothing.
  const machines = common.machines.kind === "Present" ? common.machines.value.slice(0, 1) : [];
  const statements = machines.flatMap((machine) =>
    world.sources.map(async (source): Promise<EndorsementSource> => {
      return { name: source.name, statement: await source.keyOf(machine, annotated.signal) };
    }),
  );
  return await Promise.all([...statements, ...(await world.guard.annotationOf(annotated))]);
}

/**
 * Other open hellos of this requester with this endorsement key. Asked for a hello alone: H19 limits what is challenged. A proof
 * belongs to a challenge that was counted when it was given, and a renewal by beacon opens none, so neither is held to it. With one
 * token for a thousand machines this looks at a thousand hellos, each of which is read once (`keyOfHello`).
 */
function countOpenOfKey(world: AttestationWorld, look: Look, { recipients }: KeyRing): number {
  const own = keyOfHello(look);
  if (own === NO_KEY) return 0;
  return world
    .openHellos(look.object.requester.username)
    .filter(({ metadata }) => metadata.uid !== look.object.uid)
    .filter((csr) => keyOfHello(world.readRequest(csr, recipients)) === own).length;
}

const NO_KEY = "";
/** A renewal shows no key. Its requester is the node itself (H12), so those of one requester are of one key. */
const PINNED_KEY = "pinned";
const keysOfHellos = new WeakMap<EvidenceReading, string>();

/** The endorsement key that a hello speaks of, in one word; it is kept with what was read. */
function keyOfHello({ reading }: Pick<ReadRequest, "reading">): string {
  const known = keysOfHellos.get(reading);
  if (known !== undefined) return known;
  const envelope = envelopeOf({ reading });
  const { endorsementKey } = envelope === undefined ? NO_KEYS : readTpmKeys(envelope, { kind: "Absent" });
  const shown = endorsementKey.ok ? endorsementKey.value.hash : NO_KEY;
  const word = envelope?.intent === "renew" ? PINNED_KEY : shown;
  keysOfHellos.set(reading, word);
  return word;
}

interface Makers {
  readonly roots: readonly Certificate[];
  readonly intermediates: readonly Certificate[];
  readonly revocationLists: EndorsementFacts["revocationLists"];
}

const NO_MAKERS: Makers = { roots: [], intermediates: [], revocationLists: [] };
const makers = new WeakMap<Policy, Makers>();

/** The makers' CAs of a policy, parsed once for each reading of it. */
function makersOf(policy: Policy | undefined): Makers {
  if (policy === undefined) return NO_MAKERS;
  const known = makers.get(policy);
  if (known !== undefined) return known;
  const { roots = "", intermediates = "", revocationLists = "" } = policy.attestation.tpm ?? {};
  const made = {
    roots: certificatesOf(roots),
    intermediates: certificatesOf(intermediates),
    revocationLists: listsOf(revocationLists),
  };
  makers.set(policy, made);
  return made;
}

/** A certificate that cannot be parsed vouches for nobody. */
function certificatesOf(pem: string): readonly Certificate[] {
  return parsePem(pem).flatMap(({ bytes }) => {
    const parsed = attempt("", () => parseCertificate(bytes));
    return parsed.ok ? [parsed.value] : [];
  });
}

/** What is no list, or cannot be parsed, is kept as such: nobody is certified past it. */
function listsOf(pem: string): EndorsementFacts["revocationLists"] {
  const blocks = parsePem(pem);
  if (pem !== "" && blocks.length === 0) return [attempt("", () => parseRevocationList(new Uint8Array()))];
  return blocks.map(({ bytes }) => attempt("", () => parseRevocationList(bytes)));
}

export function envelopeOf({ reading }: Pick<ReadRequest, "reading">) {
  return reading.envelope.ok ? reading.envelope.value.parsed : undefined;
}

/** The request that a proof names, read live: a copy may not have its challenge yet, or not know that it was used up. */
export async function getHello(world: AttestationWorld, { envelope, signal }: Look): Promise<Seen<ReadRequest>> {
  const name = envelope?.hello?.name;
  if (name === undefined) return { kind: "Absent" };
  try {
    const csr = await world.client.get<CertificateSigningRequest>(CSRS, { name }, { signal });
    const { recipients } = await world.keys.ring();
    return { kind: "Present", value: world.readRequest(csr, recipients) };
  } catch (error) {
    if (isFault(error, "not-found")) return { kind: "Absent" };
    throw error;
  }
}

/** The same from the copy, while nobody has used its challenge up there. */
export async function seeOpenHello(
  world: AttestationWorld,
  { envelope }: Look,
): Promise<Seen<ReadRequest> | undefined> {
  const csr = world.getRequest(envelope?.hello?.name ?? "");
  if (csr === undefined || csr.metadata.annotations?.[CONSUMED_BY_ANNOTATION] !== undefined) return undefined;
  const { recipients } = await world.keys.ring();
  return { kind: "Present", value: world.readRequest(csr, recipients) };
}
