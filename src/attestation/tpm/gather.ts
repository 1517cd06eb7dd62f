// What the TPM's rules ask for in addition: the keys that were sent or pinned, and what is known about them.

import { type AttestationPolicy, ekLabelOf } from "../../api/countersign/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import { parsePem } from "../../kernel/pem/index.ts";
import { type Certificate, parseCertificate, parseRevocationList } from "../../kernel/x509/index.ts";
import type { Asked, SeenRequest } from "../provider.ts";
import {
  attempt,
  type ChallengeFacts,
  challengeOf,
  type EvidenceFacts,
  type EvidenceReading,
  envelopeIn,
  type HelloFacts,
  type ProofFacts,
} from "../rules/index.ts";
import type { SdkKeySource } from "../sdk/key-source.ts";
import { demandedPcrs } from "./challenge.ts";
import {
  challengedTpm,
  type EndorsementFacts,
  type EndorsementSource,
  type KeyHolder,
  NO_TPM_KEYS,
  pinnedTpmKeys,
  readTpmKeys,
  type TpmHelloFacts,
  type TpmKeys,
} from "./facts.ts";
import type { BeaconFacts, OwnedProofFacts } from "./judge.ts";

/** What the controller knows of TPMs. */
export interface TpmSurroundings {
  /** Inventories of platforms: which endorsement key a Machine has. */
  readonly sources: readonly SdkKeySource[];
  readonly guard: {
    /** The platform's annotation on a request; empty where there is none, or where its creator may have written it. */
    annotationOf(request: Pick<SeenRequest, "csr" | "object">): Promise<readonly EndorsementSource[]>;
  };
  readonly identities: {
    /** Hashes of the endorsement keys of revoked identities. */
    revokedKeys(): readonly string[];
    /** Other live identities with this label. */
    holdersOf(ekLabel: string, nodeName: string): Seen<readonly KeyHolder[]>;
  };
  /** Hellos of a requester whose challenge is not answered yet. */
  readOpenHellos(username: string): Promise<readonly HelloFacts[]>;
}

export async function gatherHello(
  known: TpmSurroundings,
  common: ChallengeFacts,
  { request, signal }: Asked,
): Promise<TpmHelloFacts> {
  const keys = keysOfHello(common.reading, common.identity);
  const endorsed = await gatherEndorsement(known, { common, keys, annotated: request, signal });
  const limits = { ...common.limits, openOfRequesterAndKey: await countOpenOfKey(known, common) };
  return { ...common, ...endorsed, limits, challenged: challengedSide(common, keys) };
}

export async function gatherProof(
  known: TpmSurroundings,
  common: ProofFacts,
  { request, hello, signal }: Asked,
): Promise<OwnedProofFacts> {
  const keys = hello.kind === "Present" ? keysOfHello(hello.value.reading, common.identity) : NO_TPM_KEYS;
  const annotated = hello.kind === "Present" ? hello.value : request;
  const endorsed = await gatherEndorsement(known, { common, keys, annotated, signal });
  const parsed = hello.kind === "Present" ? challengeOf(hello.value) : undefined;
  const challenge = parsed?.ok === true ? parsed.value.challenge : undefined;
  return {
    ...common,
    ...endorsed,
    challenged: challengedSide(common, keys),
    demandedPcrs: challenge?.alg === "tpm2-credential" ? challenge.pcrs : [],
  };
}

export async function gatherBeacon(
  known: TpmSurroundings,
  common: ProofFacts,
  { request, signal, challengeKeys }: Asked,
): Promise<BeaconFacts & ProofFacts> {
  const keys = pinnedTpmKeys(common.identity);
  const endorsed = await gatherEndorsement(known, { common, keys, annotated: request, signal });
  return {
    ...common,
    ...endorsed,
    challengeKeys: await challengeKeys(envelopeIn(common)?.beacon?.kid),
    demandedPcrs: demandedPcrs(common.policy),
  };
}

function keysOfHello(reading: EvidenceReading, identity: EvidenceFacts["identity"]): TpmKeys {
  const envelope = envelopeIn({ reading });
  return envelope === undefined ? NO_TPM_KEYS : readTpmKeys(envelope, identity);
}

function challengedSide({ challenged }: ChallengeFacts, keys: TpmKeys): ChallengeFacts["challenged"] {
  if (!challenged.ok) return challenged;
  const { cluster, helloRequest: request, helloUid: uid } = challenged.value;
  return challengedTpm({ cluster, request, uid }, keys);
}

interface Endorsed extends Pick<Asked, "signal"> {
  readonly common: EvidenceFacts;
  readonly keys: TpmKeys;
  /** The request that may carry the platform's annotation: the hello. */
  readonly annotated: SeenRequest;
}

async function gatherEndorsement(known: TpmSurroundings, about: Endorsed): Promise<EndorsementFacts> {
  const { common, keys } = about;
  const { endorsementKey } = keys;
  return {
    ...common,
    keys,
    sources: await askSources(known, about),
    // From the copy also where an approval rests on it: the node's own identity is read live, and a key of another
    // identity that was revoked in this moment is found by its label, when the claim on it is written.
    deniedKeys: [...(common.policy.tpm?.deniedEndorsementKeys ?? []), ...known.identities.revokedKeys()],
    ...makersOf(common.policy),
    otherHolders: endorsementKey.ok
      ? known.identities.holdersOf(ekLabelOf(endorsementKey.value.hash), envelopeIn(common)?.node ?? "")
      : { kind: "Absent" },
  };
}

async function askSources(
  { sources, guard }: TpmSurroundings,
  { common, annotated, signal }: Endorsed,
): Promise<readonly EndorsementSource[]> {
  // A platform's inventory knows nothing of an instance without a Machine.
  const machines = common.machines.kind === "Present" ? common.machines.value.slice(0, 1) : [];
  const statements = machines.flatMap((machine) =>
    sources.map(async (source): Promise<EndorsementSource> => {
      return { name: source.name, statement: await source.keyOf(machine, signal) };
    }),
  );
  return await Promise.all([...statements, ...(await guard.annotationOf(annotated))]);
}

/**
 * Other open hellos of this requester with this endorsement key. Counted for a hello alone: a proof belongs to a
 * challenge that was counted when it was given, and a renewal by beacon opens none. With one token for a thousand
 * machines this looks at a thousand hellos, each of which is read once.
 */
async function countOpenOfKey(
  { readOpenHellos }: TpmSurroundings,
  { object, reading }: EvidenceFacts,
): Promise<number> {
  const own = keyOfHello(reading);
  if (own === NO_KEY) return 0;
  const open = await readOpenHellos(object.requester.username);
  return open.filter((hello) => hello.object.uid !== object.uid && keyOfHello(hello.reading) === own).length;
}

const NO_KEY = "";
/**
 * A renewal shows no key. Its requester is the node itself (`requester-may-ask`), so those of one requester are of one
 * key.
 */
const PINNED_KEY = "pinned";
const keysOfHellos = new WeakMap<EvidenceReading, string>();

/** The hash of the endorsement key in a hello; kept with what was read. */
function keyOfHello(reading: EvidenceReading): string {
  const known = keysOfHellos.get(reading);
  if (known !== undefined) return known;
  const { endorsementKey } = keysOfHello(reading, { kind: "Absent" });
  const shown = endorsementKey.ok ? endorsementKey.value.hash : NO_KEY;
  const key = envelopeIn({ reading })?.intent === "renew" ? PINNED_KEY : shown;
  keysOfHellos.set(reading, key);
  return key;
}

type Makers = Pick<EndorsementFacts, "roots" | "intermediates" | "revocationLists">;
const makers = new WeakMap<AttestationPolicy, Makers>();

/** CAs of TPM makers in a policy, parsed once for each reading of it. */
function makersOf(policy: AttestationPolicy): Makers {
  const known = makers.get(policy);
  if (known !== undefined) return known;
  const { roots = "", intermediates = "", revocationLists = "" } = policy.tpm ?? {};
  const made = {
    roots: certificatesOf(roots),
    intermediates: certificatesOf(intermediates),
    revocationLists: listsOf(revocationLists),
  };
  makers.set(policy, made);
  return made;
}

/** A certificate that cannot be parsed certifies nothing. */
function certificatesOf(pem: string): readonly Certificate[] {
  return parsePem(pem).flatMap(({ bytes }) => {
    const parsed = attempt("", () => parseCertificate(bytes));
    return parsed.ok ? [parsed.value] : [];
  });
}

/** A list that cannot be parsed is kept as such: no TPM is genuine while it may be listed there. */
function listsOf(pem: string): EndorsementFacts["revocationLists"] {
  const blocks = parsePem(pem);
  if (pem !== "" && blocks.length === 0) return [attempt("", () => parseRevocationList(new Uint8Array()))];
  return blocks.map(({ bytes }) => attempt("", () => parseRevocationList(bytes)));
}
