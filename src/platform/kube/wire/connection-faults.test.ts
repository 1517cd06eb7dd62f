import { describe, expect, it } from "vitest";
import { faultFromConnection } from "./connection-faults.ts";

describe("a failed connection", () => {
  const error = (code: string, message = "words") => Object.assign(new Error(message), { code });
  const table: Record<string, [cause: unknown, code: string]> = {
    "refused is unavailable": [error("ECONNREFUSED"), "unavailable"],
    "refused at every address is unavailable": [new AggregateError([error("ECONNREFUSED")]), "unavailable"],
    "timed out at every address is a timeout": [new AggregateError([error("ETIMEDOUT")]), "timeout"],
    "reset is unavailable": [error("ECONNRESET"), "unavailable"],
    "without a name in DNS is unavailable": [error("ENOTFOUND"), "unavailable"],
    "that took too long is a timeout": [error("UND_ERR_CONNECT_TIMEOUT"), "timeout"],
    "to a foreign CA is untrusted": [error("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), "untrusted"],
    "to another name is untrusted": [error("ERR_TLS_CERT_ALTNAME_INVALID"), "untrusted"],
    "to an expired certificate is untrusted": [error("CERT_HAS_EXPIRED"), "untrusted"],
    "that refuses our certificate is unauthorized": [
      error("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"),
      "unauthorized",
    ],
    "that speaks no TLS is unavailable": [error("ERR_SSL_WRONG_VERSION_NUMBER"), "unavailable"],
    "for no known reason is unavailable": [undefined, "unavailable"],
  };
  for (const [sentence, [cause, code]] of Object.entries(table)) {
    it(sentence, () => expect(faultFromConnection(cause, "https://h:1")).toMatchObject({ code }));
  }
});
