// What every authenticator owes: it has a name, says "none" to a request without its credential, never throws at junk,
// and gives the same answer twice. Each implementation brings one good and several bad credentials.

import { describe, expect, it } from "vitest";
import type { Authenticator, Credentials } from "../../src/apiserver/authentication/authenticator.ts";

export interface AuthenticatorSubject {
  readonly authenticator: Authenticator;
  readonly nowMs: number;
  readonly good: Credentials;
  readonly username: string;
  /** Sentence -> a credential that must not make a user. */
  readonly bad: Readonly<Record<string, Credentials>>;
}

const NOTHING: Credentials = { peerCertificates: [], bearerToken: undefined };

const JUNK: Readonly<Record<string, Credentials>> = {
  "an empty certificate": { ...NOTHING, peerCertificates: [new Uint8Array()] },
  "a certificate of zeros": { ...NOTHING, peerCertificates: [new Uint8Array(64)] },
  "an empty token": { ...NOTHING, bearerToken: "" },
  "a long token": { ...NOTHING, bearerToken: "a".repeat(100_000) },
  "a token of control characters": { ...NOTHING, bearerToken: "\u0000\n.\u0000" },
};

export function describeAuthenticator(name: string, create: () => AuthenticatorSubject): void {
  describe(`authenticator contract: ${name}`, () => {
    it("knows the good credential, again and again", () => {
      const { authenticator, good, nowMs, username } = create();
      const first = authenticator.authenticate(good, nowMs);
      expect(first).toMatchObject({ kind: "user", user: { username } });
      expect(authenticator.authenticate(good, nowMs)).toEqual(first);
    });

    it("says none to a request without a credential", () => {
      const { authenticator, nowMs } = create();
      expect(authenticator.authenticate(NOTHING, nowMs)).toEqual({ kind: "none" });
    });

    it("makes no user of junk, and does not throw", () => {
      const { authenticator, nowMs } = create();
      for (const junk of Object.values(JUNK)) expect(authenticator.authenticate(junk, nowMs).kind).not.toBe("user");
    });

    it.each(Object.keys(create().bad))("makes no user of %s", (sentence) => {
      const { authenticator, nowMs, bad } = create();
      expect(authenticator.authenticate(bad[sentence] ?? NOTHING, nowMs).kind).not.toBe("user");
    });
  });
}
