// Everything that a check of this node's health may know.

import type { Seen } from "../../kernel/outcome/index.ts";
import type { RequestState } from "../certificates/judge.ts";

export interface HealthFacts {
  readonly nowMs: number;
  readonly directory: string;
  /** Undefined: there is no directory. Else what is wrong with the modes and owners in it, a sentence each. */
  readonly permissions: readonly string[] | undefined;
  readonly certificate: CertificateFact;
  /** `https://host:port`; undefined when nothing in the directory names a cluster. */
  readonly server: string | undefined;
  /** The kubeconfig names no CA: the roots of this machine must vouch for the server. */
  readonly usesSystemRoots?: boolean | undefined;
  readonly reach: Reach;
  /** Why the certificate's key does not open, and what to do about it; undefined where it does, or lies there plain. */
  readonly closedKey?: ClosedKey | undefined;
  /** The user name by which the API server knows the certificate. */
  readonly identity: Seen<string>;
  /** The program that a kubeconfig here calls for the credential; undefined where none does. */
  readonly plugin?: PluginFact | undefined;
  /** The user name by which it knows the credential of the bootstrap kubeconfig, if one is kept. */
  readonly hasBootstrap: boolean;
  readonly bootstrap: Seen<string>;
  readonly pending: Seen<PendingRequest>;
  /** Whether the credential that would ask for the next certificate may create requests. */
  readonly mayRequest?: Seen<RequestRight> | undefined;
}

export interface RequestRight {
  /** The user who has the right, as the API server knows it. */
  readonly user: string;
  readonly allowed: boolean;
}

export interface ClosedKey {
  readonly why: string;
  readonly todo: string;
}

export interface PluginFact {
  readonly command: string;
  /** Where PATH leads; undefined: nowhere. */
  readonly path: string | undefined;
  /** The kubeconfig that calls it. */
  readonly calledBy: string;
  /** It is the node's own kubeconfig: there is no other way to the credential. */
  readonly isNeeded: boolean;
}

export type CertificateFact =
  | { readonly kind: "absent" }
  | { readonly kind: "damaged"; readonly why: string }
  | {
      readonly kind: "present";
      readonly nodeUser: string;
      readonly notBeforeMs: number;
      readonly notAfterMs: number;
      /** Its key is sealed by the TPM. */
      readonly isSealed: boolean;
    };

export type Reach =
  | { readonly kind: "unread" }
  | { readonly kind: "no-name"; readonly host: string; readonly why: string }
  | { readonly kind: "unreachable"; readonly why: string }
  /** A server answers, but no known CA vouches for it. */
  | { readonly kind: "untrusted"; readonly why: string; readonly serverMs: number | undefined }
  | { readonly kind: "answers"; readonly serverMs: number | undefined };

export interface PendingRequest {
  readonly name: string;
  readonly state: RequestState;
}
