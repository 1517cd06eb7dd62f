// The two features that decide about requests, approval and signing, with all that they know of the cluster. They share the
// readings of requests, so that each is parsed and verified once.

import type { CertificateSigningRequest } from "../api/certificates/index.ts";
import { isFault } from "../kernel/outcome/index.ts";
import { encodePem } from "../kernel/pem/index.ts";
import { type Certificate, verifyCertificateSignature } from "../kernel/x509/index.ts";
import {
  type Approval,
  type Claims,
  createAccessReviews,
  createAct,
  createApproval,
  createClaims,
  createPending,
  createRequestReader,
  type Pending,
  type Surroundings,
  wantedNode,
} from "./approval/index.ts";
import { createAttestation, createCustody, createIdentityReader, createSignerGate } from "./attestation/index.ts";
import { ANY_REQUEST, type AttestingWorld, createAttestationUpkeep, createAttestationWorld } from "./attesting.ts";
import { createNetwork } from "./dialling/index.ts";
import { type Informers, NODES_BY_ADDRESS, NODES_BY_PROVIDER, PENDING_BY_REQUESTER } from "./informers.ts";
import type { Handler } from "./loop/index.ts";
import { longestLifeMs } from "./signers.ts";
import { type Authorities, createSigning, type Signing } from "./signing/index.ts";

export interface DecisionWorld extends AttestingWorld {
  /** URL of the API server, where it is known. */
  readonly server?: string | undefined;
  readonly lifetimeMs?: number | undefined;
  /** Stricter rules that do not hold here, by id: docs/rules.md. */
  readonly switchedOff?: readonly string[] | undefined;
}

export interface Decisions {
  readonly claims: Claims;
  readonly pending: Pending;
  readonly approval: Approval;
  readonly signing: Signing;
  readonly upkeep: Handler;
}

export function createDecisions(world: DecisionWorld): Decisions {
  const { client, clock, log, informers, metrics, signers } = world;
  const claims = createClaims({ isOfCluster: (certificate) => isSignedByCluster(world.authorities, certificate) });
  const pending = createPending();
  const getCsr = (name: string) => informers.csrs.get(name);
  const hasSynced = () => informers.csrs.hasSynced() && informers.nodes.hasSynced();
  const shared = { client, clock, log, getCsr, servedSigners: signers, readRequest: createRequestReader() };
  const act = createAct({ client, claims, clock, log, metrics, identity: world.identity });
  const attesting = createAttestationWorld(world, act);
  const attestation = createAttestation({ world: attesting, getCsr, pending });
  const seeIdentity = createIdentityReader(attesting);
  const isElsewhere = world.attestation?.home !== undefined;
  const seeBeforeSigning = isElsewhere ? createIdentityReader({ ...attesting, isAlwaysLive: true }) : seeIdentity;
  const nodeNameIn = ({ spec }: CertificateSigningRequest) => wantedNode(shared.readRequest(spec.request));
  const requestIn = ({ spec }: CertificateSigningRequest) => {
    const reading = shared.readRequest(spec.request);
    return reading.kind === "Readable" ? reading.request : undefined;
  };
  const approval = createApproval({
    writer: act,
    seeIdentity,
    seeEvidence: createCustody({ ...attesting, nowMs: clock.now }),
    ...{ ...shared, metrics, identity: world.identity, claims, pending, hasSynced },
    switchedOff: world.switchedOff,
    access: createAccessReviews(client, clock),
    surroundings: surroundingsOf(informers),
    network: createNetwork({ client, clock, server: world.server, caPemFor: (csr) => caPemOf(world.authorities, csr) }),
  });
  /** Without policies, which is how most clusters are, the request is not read for this. One in Shadow changes nothing here. */
  const enforcedOn = (csr: CertificateSigningRequest) => {
    if (informers.policies.list().length === 0) return undefined;
    const policy = informers.policies.of(csr.spec.signerName, nodeNameIn(csr));
    return policy?.mode === "Enforce" ? policy : undefined;
  };
  const signing = createSigning({
    ...shared,
    gate: createSignerGate(attesting, { requestIn, seeIdentity: seeBeforeSigning }),
    randomBytes: world.randomBytes,
    authorities: world.authorities,
    switchedOffFor: (csr) => [...(world.switchedOff ?? []), ...(enforcedOn(csr)?.disabledRules ?? [])],
    lifetimeMsOf: (csr) =>
      longestLifeMs(csr.spec.signerName, { configuredMs: world.lifetimeMs, policy: enforcedOn(csr) }),
  });
  const handle: Handler = async (key, signal) => {
    const csr = getCsr(key);
    const isAttested = csr !== undefined && attestation.takes(csr, () => nodeNameIn(csr));
    if (!isAttested) return approval.handle(key, signal);
    return (await approval.vetNames(csr, signal)) ?? attestation.handle(key, signal);
  };
  return {
    claims,
    pending,
    approval: { ...approval, handle },
    signing,
    upkeep: createAttestationUpkeep(world, attesting),
  };
}

function surroundingsOf({ csrs, nodes, machines, policies }: Informers): Surroundings {
  return {
    getNode: (name) => nodes.get(name),
    nodesNamed: (name) => nodes.byIndex(NODES_BY_ADDRESS, name),
    nodesOfProvider: (providerId) => nodes.byIndex(NODES_BY_PROVIDER, providerId),
    countNodes: nodes.size,
    pendingOf: (username) => csrs.byIndex(PENDING_BY_REQUESTER, username),
    machines,
    policies,
  };
}

/** While there is no CA nobody can say; then it may be. */
function isSignedByCluster(authorities: Authorities, certificate: Certificate): boolean {
  try {
    return verifyCertificateSignature(certificate, authorities.of(ANY_REQUEST).certificate.publicKey);
  } catch (error) {
    if (isFault(error, "bad-config")) return true;
    throw error;
  }
}

function caPemOf(authorities: Authorities, csr: CertificateSigningRequest): string {
  return encodePem("CERTIFICATE", authorities.of(csr).certificate.raw);
}
