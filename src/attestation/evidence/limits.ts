// Sizes of what any sender may send: "Limits" in docs/protocols/attestation.md. Each is judged before anything is
// parsed.

/**
 * `spec.request`: a TPM hello with an RSA EK certificate and one issuer has 5.6 kB; the API server would take 1.1 MiB.
 */
export const MAX_REQUEST_OCTETS = 65_536;
/** The DATA block after base64. */
export const MAX_DATA_OCTETS = 40_960;
/** The EK certificate and its issuers. */
export const MAX_EK_CHAIN_CERTIFICATES = 5;
export const MAX_EK_CERTIFICATE_OCTETS = 4_096;
/** 716 octets with an RSA-2048 endorsement key; all annotations of an object together may have 262144. */
export const MAX_CHALLENGE_OCTETS = 8_192;
/** Objects in objects: the envelope needs four levels, a provider's own object a few more. */
export const MAX_JSON_DEPTH = 6;
/** Versions of one protocol that a node may list: the controller keeps two back, a node some more. */
export const MAX_OFFERED = 16;
export const MAX_PROVIDER_ID_CHARACTERS = 512;
/** `sha256:` and 64 digits, or an id from the bootstrap data. */
export const MAX_CLUSTER_CHARACTERS = 253;
