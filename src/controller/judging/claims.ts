// Who holds which node name: an index over the approved requests, fed by the watch and, before the watch can tell, by
// our own approvals. Together they are never behind our own writes, which is what the race of two keys for one name
// needs; a claim is monotone (the API server forbids to take an approval or a certificate back), so a late, older state
// cannot undo it. It goes when its request is deleted, denied, or fails without a certificate. An unknown signer may
// give certificates of any CA: what was approved there is no claim until a certificate of this cluster's CA came of it.
// Else a user who may approve for such a signer, or has requests approved by a careless one, could shut a node out of
// its own name; and a signer that does sign with the cluster's CA is heard as soon as it has signed.
//
//   reserve ──▶ Reserved ──observe(approved)──▶ Approved ──forget, denied, failed──▶ gone
//                  └──────release (surely not written)──▶ gone

import {
  type CertificateSigningRequest,
  findCondition,
  isIssued,
  nodeNameOf,
  purposeOf,
} from "../../api/certificates/index.ts";
import { parsePemField } from "../../api/pem/index.ts";
import { providerIdOf } from "../../attestation/evidence/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import {
  type Certificate,
  type CertificateRequest,
  parseCertificate,
  parseCertificateRequest,
} from "../../kernel/x509/index.ts";
import type { Claim } from "./facts.ts";
import { credentialFor, credentialOf, isRenewal, keyDigestOf } from "./facts.ts";

export interface Claims {
  /** Every claim on this node name. */
  of(nodeName: string): readonly Claim[];
  /** Every claim whose request carries this provider ID. */
  ofProvider(providerId: string): readonly Claim[];
  /** A request as the watch or an answer of the API server shows it. Returns the node name that became free by it. */
  observe(csr: CertificateSigningRequest): string | undefined;
  /**
   * Our approval is about to be sent. False when an earlier attempt may already have been written. `request`: what the
   * approver has read, so that it is not read again.
   */
  reserve(csr: CertificateSigningRequest, request?: CertificateRequest): boolean;
  /** Our approval was surely not written. */
  release(csrUid: string): void;
  /** The request was deleted. Returns the node name that it held. */
  forget(csrUid: string): string | undefined;
}

interface ClaimsOptions {
  /** Whether the cluster's CA has signed it. Left out: certificates of unknown signers are no claim. */
  readonly isOfCluster?: ((certificate: Certificate) => boolean) | undefined;
}

/** A claim as it is kept. Its certificate is read when it is asked for, which for most nodes is once in its life. */
interface Held extends Omit<Claim, "notAfterMs" | "credential"> {
  /** As in the status of the request; empty while there is none. */
  readonly certificate: string;
}

export function createClaims(options: ClaimsOptions = {}): Claims {
  const byUid = new Map<string, Held>();
  const byNode = new Map<string, Map<string, Held>>();
  const byProvider = new Map<string, Map<string, Held>>();

  function put(claim: Held): void {
    byUid.set(claim.csrUid, claim);
    putUnder(byNode, claim.nodeName, claim);
    if (claim.providerId !== undefined) putUnder(byProvider, claim.providerId, claim);
  }

  function forget(csrUid: string): string | undefined {
    const claim = byUid.get(csrUid);
    if (claim === undefined) return undefined;
    byUid.delete(csrUid);
    dropUnder(byNode, claim.nodeName, csrUid);
    if (claim.providerId !== undefined) dropUnder(byProvider, claim.providerId, csrUid);
    return claim.nodeName;
  }

  function record(csr: CertificateSigningRequest, standing: Claim["standing"], request?: CertificateRequest): void {
    const known = byUid.get(csr.metadata.uid ?? "");
    // Written once and never changed, so what has none is an older state: the answer to our approval may come after the
    // watch has told both the approval and the certificate.
    const certificate = csr.status?.certificate || (known?.certificate ?? "");
    if (known?.standing === standing && known.certificate === certificate) return;
    const claim = known ?? readClaim(csr, request ?? parseFirstBlock(csr.spec.request, parseCertificateRequest));
    const approvedMs = approvalMs(csr) ?? known?.approvedMs;
    if (claim !== undefined) put({ ...claim, standing, approvedMs, certificate });
  }

  const listed = (index: Index, word: string) =>
    Array.from(index.get(word)?.values() ?? []).flatMap((held) => readHeld(held, options));

  return {
    of: (nodeName) => listed(byNode, nodeName),
    ofProvider: (providerId) => listed(byProvider, providerId),
    observe: (csr) => {
      if (cameToNothing(csr)) return forget(csr.metadata.uid ?? "");
      if (isClientApproval(csr)) record(csr, "Approved");
      return undefined;
    },
    reserve: (csr, request) => {
      const isNew = !byUid.has(csr.metadata.uid ?? "");
      if (isNew) record(csr, "Reserved", request);
      return isNew;
    },
    release: (csrUid) => {
      if (byUid.get(csrUid)?.standing === "Reserved") forget(csrUid);
    },
    forget,
  };
}

type Index = Map<string, Map<string, Held>>;

function putUnder(index: Index, word: string, claim: Held): void {
  index.set(word, (index.get(word) ?? new Map<string, Held>()).set(claim.csrUid, claim));
}

function dropUnder(index: Index, word: string, csrUid: string): void {
  const claims = index.get(word);
  claims?.delete(csrUid);
  if (claims?.size === 0) index.delete(word);
}

function isClientApproval(csr: CertificateSigningRequest): boolean {
  return findCondition(csr, "Approved") !== undefined && csr.spec.usages.includes("client auth");
}

function approvalMs(csr: CertificateSigningRequest): number | undefined {
  const ms = Date.parse(findCondition(csr, "Approved")?.lastUpdateTime ?? "");
  return Number.isFinite(ms) ? ms : undefined;
}

function cameToNothing(csr: CertificateSigningRequest): boolean {
  return findCondition(csr, "Denied") !== undefined || (findCondition(csr, "Failed") !== undefined && !isIssued(csr));
}

/**
 * More lenient than the rules: whatever was approved counts, even a request that we would have refused, because its
 * holder may have been given a certificate all the same. So the first PEM block is taken, as every signer takes it.
 */
function readClaim(
  csr: CertificateSigningRequest,
  request: CertificateRequest | undefined,
): Omit<Held, "standing" | "approvedMs" | "certificate"> | undefined {
  const nodeName = nodeNameOf(request?.subject.commonName);
  if (request === undefined || nodeName === undefined) return undefined;
  return {
    csrName: csr.metadata.name ?? "",
    csrUid: csr.metadata.uid ?? "",
    nodeName,
    signerName: csr.spec.signerName,
    isFirst: !isRenewal(request, { username: csr.spec.username ?? "" }),
    keyDigest: keyDigestOf(request.publicKey),
    providerId: providerIdOf(request),
    requesterCredential: credentialOf(csr.spec.extra),
  };
}

/** A certificate that cannot be read has no known end, so its claim stands until the request is cleaned away. */
function readHeld({ certificate: text, ...claim }: Held, { isOfCluster }: ClaimsOptions): readonly Claim[] {
  const certificate = text === "" ? undefined : parseFirstBlock(text, parseCertificate);
  const isKnownSigner = purposeOf(claim.signerName) !== undefined;
  if (certificate === undefined)
    return isKnownSigner ? [{ ...claim, notAfterMs: undefined, credential: undefined }] : [];
  if (!isKnownSigner && isOfCluster?.(certificate) !== true) return [];
  return [{ ...claim, notAfterMs: certificate.notAfterMs, credential: credentialFor(certificate.raw) }];
}

function parseFirstBlock<T>(base64: string, parse: (der: Uint8Array) => T): T | undefined {
  try {
    const [block] = parsePemField(base64).blocks;
    return block === undefined ? undefined : parse(block.bytes);
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}
