// What the signer's gate asks of a request without evidence, whoever approved it: that the identity of its node permits it. And the one
// such request that leaves an identity behind, the insecure provider's.

import { type CertificateSigningRequest, INSECURE_CLIENT_SIGNER, nodeNameOf } from "../../../api/certificates/index.ts";
import type { Exchange, NodeIdentity } from "../../../api/countersign/index.ts";
import { judgeStanding, unprovenOf } from "../../../attestation/rules/index.ts";
import { encodeHex } from "../../../kernel/bytes/index.ts";
import { sha256 } from "../../../kernel/crypto/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { CertificateRequest } from "../../../kernel/x509/index.ts";
import type { IdentityReader } from "../../judging/index.ts";
import { getIdentity } from "../known/index.ts";
import { pin } from "../pinning/index.ts";
import { describeRequest } from "../requests.ts";
import type { AttestationWorld } from "../world.ts";

/** How requests without evidence are looked at. */
export interface Unattested {
  /** Undefined where it cannot be read: such a request is not signed in any case. */
  readonly requestIn: (csr: CertificateSigningRequest) => CertificateRequest | undefined;
  readonly seeIdentity: IdentityReader;
}

export type Objection =
  | { readonly kind: "Refused"; readonly reason: string; readonly message: string }
  | { readonly kind: "NotYet"; readonly retryAfterMs: number };

const RETRY_UNREAD_MS = 2_000;

/** Also of a certificate for people and programs: one that a person approved for the name of a node makes its holder that node. */
export async function judgeUnattested(
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

export interface PinnedWithoutEnvelope {
  readonly identity: NodeIdentity;
  readonly exchange: Exchange;
  readonly helloName: undefined;
}

/**
 * The form of the insecure provider that has no envelope. Its certificates are not renewed, under any signer: so its node is pinned, as
 * with an envelope. Undefined for every other request, and where NodeIdentity is not served: then nobody was ever attested.
 */
export async function pinWithoutEnvelope(
  world: AttestationWorld,
  csr: CertificateSigningRequest,
  { requestIn }: Pick<Unattested, "requestIn">,
): Promise<PinnedWithoutEnvelope | undefined> {
  const request = csr.spec.signerName === INSECURE_CLIENT_SIGNER ? requestIn(csr) : undefined;
  const nodeName = nodeNameOf(request?.subject.commonName);
  if (request === undefined || nodeName === undefined) return undefined;
  if (world.identities.find(nodeName).kind === "NotRead") return undefined;
  const identity = await getIdentity(world.home, { nodeName, clusterName: world.clusterName });
  const at = new Date(world.clock.now()).toISOString();
  const spkiSha256 = encodeHex(sha256(request.publicKey.spki));
  const { signerName } = csr.spec;
  const exchange: Exchange = { proofUid: csr.metadata.uid ?? "", spkiSha256, signerName, state: "Verified", at };
  const pins = { phase: "Active", provider: "insecure", spkiSha256, attestedAt: at } as const;
  const pinned = await pin(world, { nodeName, intent: "join", identity, ekLabel: undefined, pins, exchange });
  // Somebody has got the name since the request was approved: looked at anew, its identity says so.
  if (pinned.kind === "Refused") throw new Fault("conflict", pinned.message);
  return { identity: pinned.identity, exchange, helloName: undefined };
}
