// Everything a rule of approval may know, as one value. "Absent" (looked, and it is not there) and "not read" (not
// looked, or could not) are different facts, so no rule can mistake a missing look for a missing object.

import type { UserInfo } from "../../api/access/index.ts";
import { BOOTSTRAP_USER_PREFIX, BOOTSTRAPPERS_GROUP } from "../../api/certificates/index.ts";
import type { NodeAddress } from "../../api/core/index.ts";
import { canonicalDns, canonicalIp, type NodeIdentity, type Policy } from "../../api/countersign/index.ts";
import type { Machine } from "../../api/foreign/index.ts";
import { encodeHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import type { CertificateRequest, PublicKey } from "../../kernel/x509/index.ts";

/** `spec.request` after parsing. Nothing in it is proven but, where `signatureHolds`, the possession of the key. */
export type RequestReading =
  | { readonly kind: "Unreadable"; readonly reason: string; readonly message: string }
  | {
      readonly kind: "Readable";
      readonly request: CertificateRequest;
      readonly signatureHolds: boolean;
      /** What stands around the request and might be read as another one. */
      readonly surroundings: {
        readonly beginnings: number;
        readonly hasHeaders: boolean;
        readonly bytes: number;
        /** Labels of the blocks behind the request: the evidence of an attestation provider comes that way. */
        readonly labels: readonly string[];
      };
    };

/** What the rules of a signer need: the request and nothing of the cluster's state. */
export interface RequestFacts {
  readonly signerName: string;
  readonly usages: readonly string[];
  readonly request: RequestReading;
  /** Ids of stricter rules that the operator does not want. */
  readonly switchedOff?: readonly string[] | undefined;
}

/** A request for a node's client certificate that was approved, or that we are approving this moment, for some key. */
export interface Claim {
  readonly csrName: string;
  readonly csrUid: string;
  readonly nodeName: string;
  readonly signerName: string;
  /** Whether it is the node's first certificate, and not a renewal by the node. */
  readonly isFirst: boolean;
  /** Lower-case hex of the SHA-256 of the public key (SPKI): enough to say "another key". */
  readonly keyDigest: string;
  /** As the request says it, which by itself proves nothing. */
  readonly providerId: string | undefined;
  /** `Reserved`: our approval was sent and no answer has come; it may or may not have been written. */
  readonly standing: "Approved" | "Reserved";
  /** When it was approved; absent where that is not recorded. */
  readonly approvedMs: number | undefined;
  /** End of the issued certificate; absent while none is issued. */
  readonly notAfterMs: number | undefined;
  /** `X509SHA256=<hex>` of the issued certificate, as the API server names the credential of who presents it. */
  readonly credential: string | undefined;
  /** The credential with which the request was made; absent for a bootstrap token. */
  readonly requesterCredential: string | undefined;
}

/** The answer of the cluster's authorizer about the two virtual rights that let a request be approved by rule. */
export interface Access {
  readonly right: "selfnodeclient" | "nodeclient";
  readonly isAllowed: boolean;
}

export interface NodeFacts {
  readonly uid: string;
  /** By its label, which a kubelet may not set on itself. */
  readonly isControlPlane: boolean;
  readonly addresses: readonly NodeAddress[];
}

/** The Machine of the node that asks, or why there is not exactly one. */
export type MachineMatch =
  | { readonly kind: "One"; readonly machine: Machine }
  | {
      readonly kind: "Several";
      readonly names: readonly string[];
      /** The nodes that they are, where they are any yet. */
      readonly nodeNames: readonly string[];
    }
  | { readonly kind: "OtherProviderId"; readonly machine: Machine; readonly providerId: string }
  | { readonly kind: "ClusterIsUnsaid"; readonly clusters: readonly string[] };

/** Another name under which the same Machine was given away. */
export interface MachineHolder {
  readonly nodeName: string;
  /** The object that says so. */
  readonly by: string;
}

/** Of a node that renews, and writes a provider ID into its request. */
export interface ProviderIdFacts {
  readonly asked: string;
  /** As the Node says it. */
  readonly ofNode: string | undefined;
  /** Other Nodes that say it, in words. */
  readonly nodes: readonly string[];
  readonly machines: Seen<MachinesOfProvider>;
}

/** Machines of a provider ID that are not the node's own, in words. */
export interface MachinesOfProvider {
  /** Those that are another node by their own word. */
  readonly taken: readonly string[];
  /** Those that may become one, or a Machine of the node with another ID. */
  readonly waiting: readonly string[];
}

/** What the provider's verifier says about the evidence in the request; its own rule puts its id on it. */
export type EvidenceFinding =
  | { readonly kind: "Pass"; readonly note?: string }
  | { readonly kind: "Deny"; readonly reason: string; readonly message: string }
  | { readonly kind: "Wait"; readonly reason: string; readonly message: string; readonly retryAfterMs: number };

/** How this request stands among the pending ones of its requester. */
export interface Standing {
  /** Older ones, counted no further than to the limit. */
  readonly older: number;
  readonly limit: number;
}

/** The names in the certificate that the node's kubelet serves with now. */
export interface PresentNames {
  readonly commonName: string | undefined;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

/** Under what the API server is reached, in canonical form. */
export interface ApiServerNames {
  /** Of its Service: no node has them. */
  readonly service: ReadonlySet<string>;
  /** Of the machines behind it, and of the endpoint that the controller talks to. */
  readonly hosts: ReadonlySet<string>;
}

/** What only a serving request is judged by. */
export interface ServingFacts {
  readonly apiServer: Seen<ApiServerNames>;
  readonly present: Seen<PresentNames>;
  /** For each DNS name that was asked for, in canonical form: its addresses. */
  readonly resolved: ReadonlyMap<string, Seen<readonly string[]>>;
  /**
   * Names and addresses, in canonical form, that other Machines have or other Nodes are registered under, with whose
   * they are.
   */
  readonly foreign: Seen<ReadonlyMap<string, string>>;
  /**
   * Those that only another Node's own status claims, with that Node's name: its kubelet writes it as it likes.
   */
  readonly disputed: ReadonlyMap<string, string>;
}

export interface ApprovalFacts extends RequestFacts {
  readonly nowMs: number;
  readonly csrUid: string;
  readonly createdMs: number;
  readonly expirationSeconds: number | undefined;
  readonly servedSigners: readonly string[];
  /** The one policy that covers the request. */
  readonly policy: Policy | undefined;
  /** Of policies that cannot be read, until they are corrected: what they would say is unknown. */
  readonly brokenPolicies: readonly string[];
  /** Stamped by the API server from the authenticated user; the requester cannot choose it. */
  readonly requester: UserInfo;
  readonly access: Seen<Access>;
  /** The Node with the name that the subject asks for. A renewal does not need it. */
  readonly node: Seen<NodeFacts>;
  /** All claims on that name, this request's own included. */
  readonly claims: Seen<readonly Claim[]>;
  readonly machine: Seen<MachineMatch>;
  /** Of that Machine; absent where there is not exactly one. */
  readonly holders: Seen<readonly MachineHolder[]>;
  /** Absent: a first request, or one without. */
  readonly providerId: Seen<ProviderIdFacts>;
  readonly evidence: Seen<EvidenceFinding>;
  /** Of the node that the subject names. */
  readonly identity: Seen<NodeIdentity>;
  readonly standing: Seen<Standing>;
  readonly serving: ServingFacts;
  /** Our own refusal of this very request because its name was taken, from its annotation. */
  readonly earlierRefusal: { readonly reason: string; readonly message: string } | undefined;
}

// Who asks, with which key: the readings that rules and indexes share. Pure.
const TOKEN_ID = /^[a-z0-9]{6}$/;

/** The id of the bootstrap token that asks; undefined when the requester has none. */
export function bootstrapTokenId({ username, groups }: UserInfo): string | undefined {
  if (!username.startsWith(BOOTSTRAP_USER_PREFIX) || !groups.includes(BOOTSTRAPPERS_GROUP)) return undefined;
  const id = username.slice(BOOTSTRAP_USER_PREFIX.length);
  return TOKEN_ID.test(id) ? id : undefined;
}

/**
 * A node asks for its own name again; anything else is a first certificate. Kubernetes' recognizers draw the same line.
 */
export function isRenewal({ subject }: CertificateRequest, requester: Pick<UserInfo, "username">): boolean {
  return requester.username === subject.commonName;
}

const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";

/** With which certificate the requester came: `X509SHA256=<hex>`, stamped by the API server. */
export function credentialOf(extra: UserInfo["extra"]): string | undefined {
  return extra?.[CREDENTIAL_ID]?.find((id) => id.startsWith("X509SHA256="));
}

/** What `credentialOf` returns for a requester with this certificate. */
export function credentialFor(certificateDer: Uint8Array): string {
  return `X509SHA256=${encodeHex(sha256(certificateDer))}`;
}

/** Lower-case hex of the SHA-256 of the public key (SPKI): enough to say "another key". */
export function keyDigestOf(key: PublicKey): string {
  return encodeHex(sha256(key.spki));
}

// Addresses of a Machine or a Node as a set of names in canonical form. An empty list is no list: addresses come after
// the object, and "none yet" must not read as "none of these". Pure.
export function addressesOfMachine(seen: Seen<MachineMatch>): Seen<ReadonlySet<string>> {
  if (seen.kind === "NotRead") return seen;
  if (seen.kind === "Absent") return { kind: "NotRead", why: "the node has no Machine yet" };
  if (seen.value.kind !== "One") return { kind: "NotRead", why: "it is not clear which Machine is the node's" };
  const { machine } = seen.value;
  if (machine.addresses.length === 0)
    return { kind: "NotRead", why: `Machine ${machine.namespace}/${machine.name} has no addresses yet` };
  return { kind: "Present", value: namesOf(machine.addresses) };
}

export function addressesOfNode(seen: Seen<NodeFacts>): Seen<ReadonlySet<string>> {
  if (seen.kind === "NotRead") return seen;
  if (seen.kind === "Absent") return { kind: "NotRead", why: "the Node is not registered yet" };
  if (seen.value.addresses.length === 0) return { kind: "NotRead", why: "the Node has no addresses yet" };
  return { kind: "Present", value: namesOf(seen.value.addresses) };
}

/** Of all five types: hostnames and DNS names as names, addresses as addresses; a Hostname may be an address too. */
export function namesOf(addresses: readonly NodeAddress[]): ReadonlySet<string> {
  return new Set(addresses.map(({ address }) => canonicalIp(address) ?? canonicalDns(address)));
}
