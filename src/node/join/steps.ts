// The steps of a join in their order. Each word is said when its step is done, never before.

export const JOIN_STEPS = [
  /** cluster-info was read and carries the token's signature. */
  "discovered",
  /** The same document came over TLS that the cluster's CA vouches for. */
  "trusted",
  /** The controller's challenge was answered by what this machine proves itself with; the detail names the provider. */
  "attested",
  /** The certificate request is at the API server. */
  "requested",
  "approved",
  "signed",
  /** Checked, on disk and current. */
  "stored",
  /** The Node object exists. */
  "registered",
] as const;

export type JoinStep = (typeof JOIN_STEPS)[number];
