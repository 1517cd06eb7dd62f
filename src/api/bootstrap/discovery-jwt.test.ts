import { describe, expect, it } from "vitest";
import { signHs256Jwt } from "../../kernel/jose/index.ts";
import { DISCOVERY_JWT_LEEWAY_MS, DISCOVERY_JWT_MAX_MS } from "./discovery-jwt.ts";
import { discoveryUser, parseDiscoveryJwt, refuseDiscoveryJwt, signDiscoveryJwt } from "./index.ts";

const NOW_MS = Date.parse("2026-05-01T12:00:00Z");
const NOW = NOW_MS / 1_000;
const TOKEN = { id: "ae23dc", secret: "faddc87f5a5ab458" };

const judged = (text: string, facts: { nowMs?: number; secret?: string; clusterId?: string } = {}) => {
  const jwt = parseDiscoveryJwt(text);
  return jwt === undefined
    ? "no JWT of ours"
    : refuseDiscoveryJwt(jwt, { nowMs: NOW_MS, secret: TOKEN.secret, ...facts });
};
const signed = (claims: Readonly<Record<string, unknown>>, keyId = TOKEN.id) =>
  signHs256Jwt({ keyId, secret: TOKEN.secret, claims });
const GOOD = { sub: TOKEN.id, iat: NOW, exp: NOW + 60 };

describe("the JWT of a client with a bootstrap token", () => {
  it("is what the seed says, and never holds the secret", () => {
    const [header = "", claims = ""] = signDiscoveryJwt(TOKEN, { nowMs: NOW_MS, audience: "cluster-1" }).split(".");
    const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
    expect(read(header)).toEqual({ typ: "JWT", alg: "HS256", kid: TOKEN.id });
    expect(read(claims)).toEqual({ sub: TOKEN.id, aud: "cluster-1", iat: NOW, exp: NOW + 60 });
  });

  it("is believed where the token is known", () => {
    expect(judged(signDiscoveryJwt(TOKEN, { nowMs: NOW_MS }))).toBeUndefined();
    expect(judged(signDiscoveryJwt(TOKEN, { nowMs: NOW_MS, audience: "c" }), { clusterId: "c" })).toBeUndefined();
    expect(judged(signed({ sub: TOKEN.id, exp: NOW + 120 })), "without iat, which is optional").toBeUndefined();
    expect(judged(signed({ ...GOOD, aud: ["other", "c"] }), { clusterId: "c" })).toBeUndefined();
  });

  it.each([-59_000, -30_000, 0, 30_000, 59_000])("is believed when the clocks differ by %d ms", (offMs) => {
    // iat is the client's present: a clock that is ahead by more than the leeway leaves it out of our client's claims.
    const claims = { sub: TOKEN.id, exp: Math.floor((NOW_MS + offMs + 60_000) / 1_000) };
    expect(judged(signed(claims))).toBeUndefined();
  });

  it.each<[string, string, string]>([
    ["with another secret", signHs256Jwt({ keyId: TOKEN.id, secret: "0000000000000000", claims: GOOD }), "signature"],
    ["whose subject is another token", signed({ ...GOOD, sub: "ffffff" }), "subject"],
    ["without a subject", signed({ exp: NOW + 60 }), "subject"],
    ["without an end", signed({ sub: TOKEN.id, iat: NOW }), "no end"],
    ["whose end is a text", signed({ ...GOOD, exp: `${NOW + 60}` }), "no end"],
    ["whose end is null", signed({ ...GOOD, exp: null }), "no end"],
    ["whose end is far beyond any clock", signed({ ...GOOD, exp: 1e300 }), "no end"],
    ["that has expired", signed({ ...GOOD, exp: NOW - DISCOVERY_JWT_LEEWAY_MS / 1_000 }), "expired"],
    [
      "that ends later than two minutes from now",
      signed({ ...GOOD, exp: NOW + (DISCOVERY_JWT_MAX_MS + DISCOVERY_JWT_LEEWAY_MS) / 1_000 + 1 }),
      "two minutes",
    ],
    ["that was made in the future", signed({ ...GOOD, iat: NOW + 11 }), "iat is in the future"],
    ["that is not valid yet", signed({ ...GOOD, nbf: NOW + 11 }), "nbf is in the future"],
    ["whose iat is no number", signed({ ...GOOD, iat: "now" }), "iat is no time"],
    ["for another cluster", signed({ ...GOOD, aud: "other" }), "another cluster"],
    ["for several other clusters", signed({ ...GOOD, aud: ["a", "b"] }), "another cluster"],
  ])("is refused %s", (_what, text, reason) => {
    expect(judged(text, { clusterId: "c" })).toContain(reason);
  });

  it("that names a cluster is refused where the cluster's id is not known", () => {
    expect(judged(signed({ ...GOOD, aud: "c" }))).toContain("another cluster");
  });

  it.each<[string, string]>([
    ["the token itself", `${TOKEN.id}.${TOKEN.secret}`],
    ["an unsigned JWT", `${btoa('{"alg":"none","typ":"JWT","kid":"ae23dc"}')}.${btoa(JSON.stringify(GOOD))}.`],
    ["a JWT whose key is no token id", signed(GOOD, "AE23DC")],
    ["a JWT whose key is longer than an id", signed(GOOD, "ae23dc0")],
    ["an empty text", ""],
  ])("is not %s", (_what, text) => {
    expect(judged(text)).toBe("no JWT of ours");
  });

  it("makes its holder a user without any group of the token", () => {
    expect(discoveryUser(TOKEN.id)).toEqual({
      username: "countersign:discovery:ae23dc",
      groups: ["countersign:discovery"],
    });
  });
});
