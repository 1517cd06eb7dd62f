// What a certificate manager takes and gives, and what it says while it works.

import type { Fault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import type { CertificatePair } from "../../../platform/pair/index.ts";
import type { AttestationSettings } from "../attested/claims.ts";
import type { NodeRoots } from "../check.ts";
import type { RequestState } from "../judge.ts";
import type { CertificateStore } from "../store/store.ts";
import type { ServingNames } from "../template.ts";
import type { RotationReason } from "./plan.ts";

/** How the cluster is reached, and with which credential. The caller closes the client. */
export interface ClusterAccess {
  asNode(pair: CertificatePair): KubeClient;
  /** With the credential that may only ask for a first certificate; undefined when there is none. */
  asBootstrapper(): Promise<KubeClient | undefined>;
  /** The CAs that may sign for this cluster's nodes. */
  readonly roots: NodeRoots;
  /** By its CA; what evidence names, unless another id was given. */
  readonly evidenceCluster: string;
  /** Fires when the cluster is reached another way from now on: what is asked of the old place is asked anew. */
  untilMoved?(): AbortSignal;
}

export interface ManagerOptions extends Omit<AttestationSettings, "evidenceCluster"> {
  readonly store: CertificateStore;
  readonly nodeName: string;
  readonly signerName: string;
  /** Default: that of the access. */
  readonly evidenceCluster?: string | undefined;
  readonly access: ClusterAccess;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random?: (() => number) | undefined;
  /** Left out: the node's client certificate. Else the names to serve under now; undefined while there are none. */
  readonly serving?: (() => ServingNames | undefined) | undefined;
  /** The pair that requests. Default: the manager's own. A serving certificate is requested with the client's pair. */
  readonly identity?: (() => CertificatePair | undefined) | undefined;
  /** Used while the store has no pair: the one of a kubeconfig. */
  readonly initial?: InitialPair | undefined;
  /** False: rotation is switched off. Default true. */
  readonly isEnabled?: boolean | undefined;
  /** How long the manager runs without a valid pair before it ends with a retriable `timeout`. Default: for ever. */
  readonly startLimitMs?: number | undefined;
  readonly onEvent?: ((event: ManagerEvent) => void) | undefined;
}

export interface InitialPair {
  readonly pair: CertificatePair;
  /** As kubelet does with pair data in a kubeconfig, which no other program renews. */
  readonly renewAtOnce: boolean;
}

export interface CertificateManager {
  /** The pair to use now. Asked for each use: it may be another one the next time. Undefined when none is valid. */
  current(): CertificatePair | undefined;
  /** Told after each change; answers how to stop that. */
  onChange(listener: (pair: CertificatePair) => void): () => void;
  /** Keeps the pair fresh until the signal fires. Ends with a Fault when `startLimitMs` has passed. */
  run(signal: AbortSignal): Promise<void>;
  /** One rotation now, due or not. */
  renew(signal?: AbortSignal, limitMs?: number): Promise<CertificatePair>;
}

export type ManagerEvent =
  /** A pair is used from now on. `previous` is the one before it in this process. */
  | { readonly kind: "using"; readonly pair: CertificatePair; readonly previous: CertificatePair | undefined }
  /** This manager stored it, after it asked for `why`. */
  | { readonly kind: "stored"; readonly pair: CertificatePair; readonly why: RotationReason }
  | { readonly kind: "asking"; readonly why: RotationReason; readonly as: "node" | "bootstrap" }
  | { readonly kind: "requested"; readonly name: string; readonly reused: boolean }
  | { readonly kind: "request"; readonly state: RequestState }
  | { readonly kind: "failed"; readonly fault: Fault; readonly retryMs: number }
  /** The API server does not know the certificate any more. */
  | { readonly kind: "refused"; readonly pair: CertificatePair }
  /** How far the server's clock is ahead of ours, where that is more than a second's rounding. */
  | { readonly kind: "skew"; readonly skewMs: number }
  | { readonly kind: "waiting"; readonly untilMs: number };
