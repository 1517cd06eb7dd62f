// What goes wrong below HTTP, as Faults: the server is away (try again), or it is not the one we know (do not).

import { Fault, isFault } from "../../../kernel/outcome/index.ts";

/** TLS verification as OpenSSL and Node name it: the server is not who it should be. Trying again does not help. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

const TIMEOUTS: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
]);

/** TLS alerts by which a server refuses our certificate. */
const CERTIFICATE_ALERT = /^ERR_SSL_.*ALERT.*(CERTIFICATE|UNKNOWN_CA)/;

/** A failure of the connection: everything that is neither named here nor already a Fault may pass by itself. */
export function faultFromConnection(cause: unknown, server: string): Fault {
  if (isFault(cause)) return cause;
  const errorCode = codeOfError(cause);
  const why = cause instanceof Error && cause.message !== "" ? cause.message : errorCode;
  if (UNTRUSTED.has(errorCode)) return new Fault("untrusted", `server ${server} is not trusted: ${why}`, { cause });
  if (TIMEOUTS.has(errorCode)) return new Fault("timeout", `server ${server} did not answer in time`, { cause });
  if (CERTIFICATE_ALERT.test(errorCode)) {
    return new Fault("unauthorized", `server ${server} refused the client certificate`, { cause });
  }
  return new Fault("unavailable", `no connection to server ${server}: ${why}`, { cause, detail: { error: errorCode } });
}

/** Several addresses of one name fail as an AggregateError, whose first member tells why. */
function codeOfError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOfError(error.errors[0]);
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "unknown";
}
