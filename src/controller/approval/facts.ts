// Everything a rule of approval may know, as one value. "Absent" (looked, and it is not there) and "not read" (nobody
// looked, or could not) are different facts, so no rule can mistake a missing look for a missing object.

import type { UserInfo } from "../../api/access/index.ts";
import type { CertificateRequest } from "../../kernel/x509/index.ts";

/** A thing that gather may not have been able to look at. */
export type Seen<T> =
  | { readonly kind: "NotRead"; readonly why: string }
  | { readonly kind: "Absent" }
  | { readonly kind: "Present"; readonly value: T };

/** `spec.request` after parsing. Nothing in it is proven but, where `signatureHolds`, the possession of the key. */
export type RequestReading =
  | { readonly kind: "Unreadable"; readonly reason: string; readonly message: string }
  | { readonly kind: "Readable"; readonly request: CertificateRequest; readonly signatureHolds: boolean };

/** What the rules of a signer need: the request and nothing of the cluster's state. */
export interface RequestFacts {
  readonly signerName: string;
  readonly usages: readonly string[];
  readonly request: RequestReading;
}

/** A request for a node's client certificate that was approved, or that we are approving this moment, for some key. */
export interface Claim {
  readonly csrName: string;
  readonly csrUid: string;
  readonly nodeName: string;
  /** Lower-case hex of the SHA-256 of the public key (SPKI): enough to say "another key". */
  readonly keyDigest: string;
  /** `Reserved`: our approval was sent and no answer has come; it may or may not have been written. */
  readonly standing: "Approved" | "Reserved";
  /** End of the issued certificate; absent while none is issued. */
  readonly notAfterMs: number | undefined;
  /** `X509SHA256=<hex>` of the issued certificate, as the API server names the credential of who presents it. */
  readonly credential: string | undefined;
  /** The credential with which the request was made; absent for a bootstrap token. */
  readonly requesterCredential: string | undefined;
}

export interface ApprovalFacts extends RequestFacts {
  readonly nowMs: number;
  readonly csrUid: string;
  readonly servedSigners: readonly string[];
  /** Stamped by the API server from the authenticated user; the requester cannot choose it. */
  readonly requester: UserInfo;
  /** The Node with the name that the subject asks for. Read only for a first request: a renewal does not need it. */
  readonly node: Seen<{ readonly uid: string }>;
  /** All claims on that name, this request's own included. For a first request read together with the Node. */
  readonly claims: Seen<readonly Claim[]>;
  /**
   * Our own refusal of this very request because its name was taken, from its annotation. Anybody can write that when the
   * request is made, but gains only a refusal by it.
   */
  readonly earlierRefusal: { readonly reason: string; readonly message: string } | undefined;
}
