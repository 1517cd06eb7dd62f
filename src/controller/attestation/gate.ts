// The signer's gate (protocol 3.8): under our signers an Approved condition is nobody's word but its writer's. What is signed is an
// exchange that the identity records; and a certificate is recorded before it leaves, so that no node ever shows one we do not know.

import { type CertificateSigningRequest, nodeNameOf, purposeOf } from "../../api/certificates/index.ts";
import {
  type Exchange,
  type ExchangeState,
  type IssuedCertificate,
  identityName,
  NODE_IDENTITIES,
  type NodeIdentity,
} from "../../api/countersign/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import { parsePemField } from "../../api/pem/index.ts";
import { encodeHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { isFault, type Seen } from "../../kernel/outcome/index.ts";
import type { Certificate } from "../../kernel/x509/index.ts";
import { isOver } from "./approve.ts";
import { envelopeOf } from "./gather-tpm.ts";
import { getIdentity } from "./known/index.ts";
import { carriesEvidence, recipientsOf } from "./requests.ts";
import type { AttestationWorld } from "./world.ts";

/** What a signer asks before it signs; undefined: the request is none of attestation's. */
export type SignerGate = (csr: CertificateSigningRequest) => Promise<GateAnswer | undefined>;

export type GateAnswer =
  | { readonly kind: "Refused"; readonly reason: string; readonly message: string }
  | {
      readonly kind: "Admitted";
      /** Before the certificate leaves. */
      record(certificate: Certificate): Promise<void>;
      /** After it left. */
      delivered(): Promise<void>;
    };

/** The current certificate, those before it, and some of other purposes; the schema allows 64. */
const CERTIFICATES_KEPT = 16;

export function createSignerGate(world: AttestationWorld): SignerGate {
  return async (csr) => {
    if (!carriesEvidence(csr)) return undefined;
    const found = await findExchange(world, csr);
    if (found === undefined || isOver(found.identity)) return NOT_ATTESTED;
    const { exchange, helloName } = found;
    let { identity } = found;
    return {
      kind: "Admitted",
      record: async (certificate) => {
        identity = await record(world, csr, found, describeCertificate(csr, certificate, world.clock.now()));
      },
      delivered: async () => {
        await Promise.all([complete(world, csr, { identity, exchange }), removeHello(world, exchange, helloName)]);
      },
    };
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
 * From the copy, which is shown our own answers, else from the server. What is found in a copy is written on in exactly that state, or
 * looked for anew: nothing is delivered, and nothing refused, on the word of a copy alone.
 */
async function findExchange(world: AttestationWorld, csr: CertificateSigningRequest): Promise<Found | undefined> {
  const { identities, clusterName } = world;
  const copied = await findIn(world, csr, async (nodeName) => identities.find(nodeName, clusterName));
  return copied === undefined || isOver(copied.identity) ? await findLive(world, csr) : copied;
}

async function findLive(world: AttestationWorld, csr: CertificateSigningRequest): Promise<Found | undefined> {
  return await findIn(world, csr, (nodeName) => getIdentity(world.home, identityName(nodeName, world.clusterName)));
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
  return { identity: identity.value, exchange, helloName: envelopeOf({ reading })?.hello?.name };
}

/** In the state in which the exchange was found; where somebody wrote it meanwhile, in that of now, if the exchange still stands. */
async function record(
  world: AttestationWorld,
  csr: CertificateSigningRequest,
  { identity, exchange }: Found,
  made: IssuedCertificate,
): Promise<NodeIdentity> {
  const on = (known: NodeIdentity) =>
    write(world, known, { exchange, state: "Approved", certificates: withCertificate(known, made) });
  try {
    return await on(identity);
  } catch (error) {
    const live = isFault(error, "conflict") ? await findLive(world, csr) : undefined;
    if (live === undefined || isOver(live.identity)) throw error;
    return await on(live.identity);
  }
}

/**
 * An issued request whose exchange is not recorded as issued: whoever delivered the certificate stopped before it said so. What is
 * left of the exchange is done.
 */
export async function completeIssued(world: AttestationWorld, csr: CertificateSigningRequest): Promise<void> {
  const found = await findLive(world, csr);
  if (found === undefined) return;
  await recordDelivered(world, found, csr);
  await removeHello(world, found.exchange, found.helloName);
}

type Recorded = Pick<Found, "identity" | "exchange">;

/** The usual case is one certificate and no other writer; else the request itself says which of them was delivered. */
async function complete(world: AttestationWorld, csr: CertificateSigningRequest, recorded: Recorded): Promise<void> {
  const { identity, exchange } = recorded;
  const made = (identity.status?.certificates ?? []).filter(({ proofUid }) => proofUid === exchange.proofUid);
  if (made.length === 1) {
    try {
      await write(world, identity, { exchange, state: "Issued" });
      return;
    } catch (error) {
      if (!isFault(error, "conflict")) throw error;
    }
  }
  const { name = "" } = csr.metadata;
  const live = await world.client.get<CertificateSigningRequest>(CSRS, { name });
  const found = await findLive(world, live);
  if (found !== undefined) await recordDelivered(world, found, live);
}

/** Of the certificates that were made for the exchange, the one that the request bears stays. */
async function recordDelivered(
  world: AttestationWorld,
  { identity, exchange }: Recorded,
  csr: CertificateSigningRequest,
): Promise<void> {
  const delivered = hashOfCertificate(csr);
  if (delivered === undefined) return;
  const certificates = (identity.status?.certificates ?? []).filter(
    ({ proofUid, sha256: hash }) => proofUid !== exchange.proofUid || hash === delivered,
  );
  await write(world, identity, { exchange, state: "Issued", certificates });
}

function hashOfCertificate({ status }: CertificateSigningRequest): string | undefined {
  const [block] = parsePemField(status?.certificate ?? "").blocks;
  return block === undefined ? undefined : encodeHex(sha256(block.bytes));
}

interface Progress {
  readonly exchange: Exchange;
  readonly state: ExchangeState;
  readonly certificates?: readonly IssuedCertificate[];
}

async function write(world: AttestationWorld, identity: NodeIdentity, progress: Progress): Promise<NodeIdentity> {
  const { exchange, state, certificates } = progress;
  const exchanges = (identity.status?.exchanges ?? []).map((one) =>
    one.proofUid === exchange.proofUid ? { ...one, state } : one,
  );
  const status = { ...identity.status, exchanges, ...(certificates === undefined ? {} : { certificates }) };
  return await world.home.update<NodeIdentity>(NODE_IDENTITIES, { ...identity, status }, { subresource: "status" });
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

function withCertificate({ status }: NodeIdentity, made: IssuedCertificate): readonly IssuedCertificate[] {
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
