// The signer's gate: under our signers an Approved condition alone proves nothing. What is signed is an exchange that
// the identity records; and a certificate is recorded before it leaves, so that no node ever shows one we do not know.
// Under every other signer too, the node's identity must permit what is signed in its name.

import {
  type CertificateSigningRequest,
  INSECURE_CLIENT_SIGNER,
  nodeNameOf,
  purposeOf,
} from "../../api/certificates/index.ts";
import {
  type Exchange,
  type ExchangeState,
  type IssuedCertificate,
  NODE_IDENTITIES,
  type NodeIdentity,
  type NodeIdentityStatus,
} from "../../api/countersign/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import { parsePemField } from "../../api/pem/index.ts";
import { envelopeIn, isRetired, judgeStanding, RETRY_UNREAD_MS, unprovenOf } from "../../attestation/rules/index.ts";
import { encodeHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { Fault, isFault, type Seen } from "../../kernel/outcome/index.ts";
import type { Certificate, CertificateRequest } from "../../kernel/x509/index.ts";
import { getIdentity } from "../identities/known.ts";
import { pin } from "../identities/pin.ts";
import { isOver } from "../judging/exchange/approve.ts";
import type { AttestationWorld } from "../judging/exchange/world.ts";
import type { IdentityReader } from "../judging/look.ts";
import { carriesEvidence, describeRequest, recipientsOf } from "../judging/reading.ts";

/** What a signer asks before it signs. */
export type SignerGate = (csr: CertificateSigningRequest) => Promise<GateAnswer>;

export type GateAnswer =
  | Objection
  | {
      readonly kind: "Admitted";
      /** Before the certificate leaves. */
      record(certificate: Certificate): Promise<void>;
    };

/** The current certificate, those before it, and some of other purposes; the schema allows 64. */
const CERTIFICATES_KEPT = 16;

export function createSignerGate(world: AttestationWorld, unattested: Unattested): SignerGate {
  return async (csr) => {
    if (!carriesEvidence(csr)) {
      const objection = await judgeUnattested(unattested, csr);
      return objection ?? { kind: "Admitted", record: (made) => recordUnattested(world, csr, { made, unattested }) };
    }
    const found = await findExchange(world, csr);
    return found === undefined || isOver(found.identity) ? NOT_ATTESTED : admit(world, csr, found);
  };
}

interface Made {
  readonly made: Certificate;
  readonly unattested: Unattested;
}

/** Nothing is pinned before there is a certificate: the request may break its signer's rules. */
async function recordUnattested(
  world: AttestationWorld,
  csr: CertificateSigningRequest,
  { made, unattested }: Made,
): Promise<void> {
  const described = describeCertificate(csr, made, world.clock.now());
  const pinned = await pinWithoutEnvelope(world, csr, unattested);
  if (pinned !== undefined) await record(world, csr, pinned, described);
  else await recordSuccessor(world, nodeNameOf(unattested.requestIn(csr)?.subject.commonName), described);
}

/**
 * A node that joins under a retired name without proof: only what is recorded here is renewed, because of other
 * certificates of the name nobody knows whether they are older than the retirement.
 */
async function recordSuccessor(
  { management, identities, clusterName }: AttestationWorld,
  nodeName: string | undefined,
  made: IssuedCertificate,
): Promise<void> {
  // Most nodes without proof have no identity: for them nothing is read.
  if (nodeName === undefined || made.purpose !== "Client" || identities.find(nodeName).kind !== "Present") return;
  const identity = await getIdentity(management, { nodeName, clusterName });
  if (identity.kind !== "Present" || !isRetired(identity.value)) return;
  const before = identity.value.status;
  const ended = (before?.certificates ?? []).map((one) => (one.unproven === true ? one : { ...one, revoked: true }));
  const certificates = withCertificate({ ...before, certificates: ended }, { ...made, unproven: true });
  // With the phase, so that the round of upkeep does not end this certificate with those of before.
  const status = { ...before, phase: "Retired", certificates } as const;
  await management.update<NodeIdentity>(NODE_IDENTITIES, { ...identity.value, status }, { subresource: "status" });
}

function admit(world: AttestationWorld, csr: CertificateSigningRequest, found: Found): GateAnswer {
  return {
    kind: "Admitted",
    record: (certificate) => record(world, csr, found, describeCertificate(csr, certificate, world.clock.now())),
  };
}

const NOT_ATTESTED = {
  kind: "Refused",
  reason: "ApprovalWithoutAttestation",
  message:
    "the request was approved, and no exchange of this request, key and signer is recorded, or its node was revoked or retired since",
} as const;

interface Found {
  readonly identity: NodeIdentity;
  readonly exchange: Exchange;
  readonly helloName: string | undefined;
}

/**
 * From the copy, which is shown our own answers, else from the server. What is found in a copy is written on in exactly
 * that state, or looked for anew: nothing is delivered, and nothing refused, on the word of a copy alone.
 */
async function findExchange(world: AttestationWorld, csr: CertificateSigningRequest): Promise<Found | undefined> {
  const copied = await findIn(world, csr, async (nodeName) => world.identities.find(nodeName));
  return copied === undefined || isOver(copied.identity) ? await findLive(world, csr) : copied;
}

async function findLive(world: AttestationWorld, csr: CertificateSigningRequest): Promise<Found | undefined> {
  const { management, clusterName } = world;
  return await findIn(world, csr, (nodeName) => getIdentity(management, { nodeName, clusterName }));
}

async function findIn(
  world: AttestationWorld,
  csr: CertificateSigningRequest,
  see: (nodeName: string) => Promise<Seen<NodeIdentity>>,
): Promise<Found | undefined> {
  const { reading, object } = world.readRequest(csr, await recipientsOf(world.keys, csr));
  const request = reading.request.ok ? reading.request.value.parsed : undefined;
  const nodeName = nodeNameOf(request?.subject.commonName);
  if (request === undefined || nodeName === undefined) return undefined;
  const identity = await see(nodeName);
  if (identity.kind !== "Present") return undefined;
  const spki = encodeHex(sha256(request.publicKey.spki));
  const exchange = (identity.value.status?.exchanges ?? []).find(
    ({ proofUid, spkiSha256, signerName, state }) =>
      proofUid === object.uid && spkiSha256 === spki && signerName === object.signerName && state !== "Issued",
  );
  if (exchange === undefined) return undefined;
  return { identity: identity.value, exchange, helloName: envelopeIn({ reading })?.hello?.name };
}

async function record(
  world: AttestationWorld,
  csr: CertificateSigningRequest,
  found: Found,
  made: IssuedCertificate,
): Promise<void> {
  await write(world, found, {
    progressOf: (identity) => ({ state: "Approved", certificates: withCertificate(identity.status, made) }),
    findAgain: async () => {
      const live = await findLive(world, csr);
      return live === undefined || isOver(live.identity) ? undefined : live;
    },
  });
}

/**
 * A request that has its certificate: the hello goes, and of the certificates that were made for the exchange the
 * delivered one stays. The record comes last: while it is missing, the request is looked at again.
 */
export async function completeIssued(world: AttestationWorld, csr: CertificateSigningRequest): Promise<void> {
  const found = await findExchange(world, csr);
  const delivered = hashOfCertificate(csr);
  if (found === undefined || delivered === undefined) return;
  const { exchange, helloName } = found;
  const isKept = ({ proofUid, sha256: hash }: IssuedCertificate) =>
    proofUid !== exchange.proofUid || hash === delivered;
  await removeHello(world, exchange, helloName);
  await write(world, found, {
    progressOf: ({ status }) => ({ state: "Issued", certificates: (status?.certificates ?? []).filter(isKept) }),
    findAgain: () => findLive(world, csr),
  });
}

function hashOfCertificate({ status }: CertificateSigningRequest): string | undefined {
  const [block] = parsePemField(status?.certificate ?? "").blocks;
  return block === undefined ? undefined : encodeHex(sha256(block.bytes));
}

interface Progress {
  readonly state: ExchangeState;
  readonly certificates: readonly IssuedCertificate[];
}

interface Writing {
  readonly progressOf: (identity: NodeIdentity) => Progress;
  readonly findAgain: () => Promise<Found | undefined>;
}

/**
 * In the state in which the exchange was found; where it was written meanwhile, in the present one, if the exchange
 * still stands.
 */
async function write(world: AttestationWorld, found: Found, { progressOf, findAgain }: Writing): Promise<void> {
  try {
    await writeOn(world, found, progressOf(found.identity));
  } catch (error) {
    const again = isFault(error, "conflict") ? await findAgain() : undefined;
    if (again === undefined) throw error;
    await writeOn(world, again, progressOf(again.identity));
  }
}

async function writeOn(
  { management }: AttestationWorld,
  { identity, exchange }: Found,
  progress: Progress,
): Promise<void> {
  const { state, certificates } = progress;
  const exchanges = (identity.status?.exchanges ?? []).map((one) =>
    one.proofUid === exchange.proofUid ? { ...one, state } : one,
  );
  const status = { ...identity.status, exchanges, certificates };
  await management.update<NodeIdentity>(NODE_IDENTITIES, { ...identity, status }, { subresource: "status" });
}

function describeCertificate(
  { metadata, spec }: CertificateSigningRequest,
  { raw, serialNumber, notAfterMs }: Certificate,
  nowMs: number,
): IssuedCertificate {
  return {
    sha256: encodeHex(sha256(raw)),
    serialNumber: encodeHex(serialNumber),
    notAfter: new Date(notAfterMs).toISOString(),
    purpose: purposeOf(spec.signerName) === "NodeServing" ? "Serving" : "Client",
    proofUid: metadata.uid ?? "",
    issuedAt: new Date(nowMs).toISOString(),
  };
}

function withCertificate(
  status: NodeIdentityStatus | undefined,
  made: IssuedCertificate,
): readonly IssuedCertificate[] {
  const before = (status?.certificates ?? []).map((one) =>
    one.purpose === made.purpose && one.superseded !== true ? { ...one, superseded: true } : one,
  );
  return [...before, made].slice(-CERTIFICATES_KEPT);
}

/** Tidying: what ended the challenge is that it was used up. */
async function removeHello(world: AttestationWorld, { helloUid }: Exchange, name: string | undefined): Promise<void> {
  if (name === undefined || helloUid === undefined) return;
  try {
    await world.client.delete(CSRS, { name }, { uid: helloUid });
  } catch (error) {
    if (!isFault(error, "not-found") && !isFault(error, "conflict")) throw error;
  }
}

// What the signer's gate asks of a request without evidence, also of an approved one: that the identity of its node
// permits it. And the one such request that leaves an identity behind, the insecure provider's.
/** How requests without evidence are looked at. */
interface Unattested {
  /** Undefined where it cannot be read: such a request is not signed in any case. */
  readonly requestIn: (csr: CertificateSigningRequest) => CertificateRequest | undefined;
  readonly seeIdentity: IdentityReader;
}

type Objection =
  | { readonly kind: "Refused"; readonly reason: string; readonly message: string }
  | { readonly kind: "NotYet"; readonly retryAfterMs: number };

/**
 * Also of a certificate for people and programs: one that a person approved for the name of a node makes its holder
 * that node.
 */
async function judgeUnattested(
  { requestIn, seeIdentity }: Unattested,
  csr: CertificateSigningRequest,
): Promise<Objection | undefined> {
  const nodeName = nodeNameOf(requestIn(csr)?.subject.commonName);
  if (nodeName === undefined) return undefined;
  const asked = unprovenOf(csr.spec.signerName, describeRequest(csr).requester);
  const identity = await seeIdentity(nodeName, asked);
  if (identity.kind === "NotRead") return { kind: "NotYet", retryAfterMs: RETRY_UNREAD_MS };
  const finding = identity.kind === "Present" ? judgeStanding(identity.value, asked) : undefined;
  return finding?.kind === "Deny" ? { ...finding, kind: "Refused" } : undefined;
}

interface PinnedWithoutEnvelope {
  readonly identity: NodeIdentity;
  readonly exchange: Exchange;
  readonly helloName: undefined;
}

/**
 * The form of the insecure provider that has no envelope. Its certificates are not renewed, under any signer: so its
 * node is pinned, as with an envelope. Undefined for every other request, and where NodeIdentity is not served: then no
 * node was ever attested.
 */
async function pinWithoutEnvelope(
  world: AttestationWorld,
  csr: CertificateSigningRequest,
  { requestIn }: Pick<Unattested, "requestIn">,
): Promise<PinnedWithoutEnvelope | undefined> {
  const request = csr.spec.signerName === INSECURE_CLIENT_SIGNER ? requestIn(csr) : undefined;
  const nodeName = nodeNameOf(request?.subject.commonName);
  if (request === undefined || nodeName === undefined) return undefined;
  if (world.identities.find(nodeName).kind === "NotRead") return undefined;
  const identity = await getIdentity(world.management, { nodeName, clusterName: world.clusterName });
  const at = new Date(world.clock.now()).toISOString();
  const spkiSha256 = encodeHex(sha256(request.publicKey.spki));
  const { signerName } = csr.spec;
  const exchange: Exchange = { proofUid: csr.metadata.uid ?? "", spkiSha256, signerName, state: "Verified", at };
  const pins = { phase: "Active", provider: "insecure", spkiSha256, attestedAt: at } as const;
  const pinned = await pin(world, { nodeName, intent: "join", identity, ekLabel: undefined, pins, exchange });
  // Another machine got the name since the request was approved: looked at anew, its identity says so.
  if (pinned.kind === "Refused") throw new Fault("conflict", pinned.message);
  return { identity: pinned.identity, exchange, helloName: undefined };
}
