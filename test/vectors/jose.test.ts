// JSON Web Signatures against Wycheproof and the examples of RFC 7515: shared secrets (HS256, whole and detached) and
// the asymmetric algorithms of service accounts. What Wycheproof calls valid is accepted and everything else refused;
// where we take less than it does, the list below says so, and why.
import { createPublicKey, type JsonWebKeyInput } from "node:crypto";
import { describe, expect, it } from "vitest";
import { encodeBase64Url, parseBase64Url, parseUtf8 } from "../../src/kernel/bytes/index.ts";
import { parseCompactHs256, verifyHs256 } from "../../src/kernel/jose/hs256.ts";
import { parseDetachedHs256, verifyJwt, verifyParsedDetachedHs256 } from "../../src/kernel/jose/index.ts";
import { decodeUnverifiedJws } from "../../src/kernel/jose/jwt.ts";
import { isFault } from "../../src/kernel/outcome/index.ts";
import { parsePublicKey } from "../../src/kernel/x509/index.ts";
import { hasVectors, loadVectors, sayNotRun } from "./vectors.ts";

interface Jwk {
  readonly kty: string;
  readonly alg?: string;
  readonly kid?: string;
  readonly k?: string;
  readonly use?: string;
  readonly key_ops?: readonly string[];
}

interface Group {
  readonly private: Jwk;
  readonly public?: Jwk;
  readonly tests: readonly { tcId: number; comment: string; jws: string; result: "valid" | "invalid" | "acceptable" }[];
}

const FILE = "json_web_signature_test.json";
const CASES = 401;

/** Not among the algorithms of Kubernetes' tokens that are served here: a valid one is refused like any other. */
const NOT_SERVED: ReadonlySet<string> = new Set(["RS384", "RS512", "PS256", "PS384", "PS512"]);

/** Where the data contradicts itself, what we do instead. */
const OTHERWISE: Readonly<Record<number, "valid" | "invalid">> = {
  // Called invalid for its padding, and has none: byte for byte the same JWS as the valid case 357.
  367: "valid",
  370: "valid",
  // Called valid with a `?` in its base64url, which RFC 7515 §2 does not have, and over which the MAC does not fit.
  372: "invalid",
  373: "invalid",
};

function isAccepted(jws: string, key: Jwk): boolean {
  try {
    return key.kty === "oct" ? isGoodHs256(jws, key) : isGoodAsymmetric(jws, key);
  } catch (error) {
    if (isFault(error)) return false;
    throw error;
  }
}

function isGoodHs256(text: string, { k = "" }: Jwk): boolean {
  const { signingInput, mac } = parseCompactHs256(text, "JWS");
  return verifyHs256(signingInput, mac, parseBase64Url(k));
}

/** As a caller with one key: it is used for what it is meant for, where it says what that is. */
function isGoodAsymmetric(text: string, key: Jwk): boolean {
  const jws = decodeUnverifiedJws(text);
  if (key.alg !== undefined && NOT_SERVED.has(key.alg)) return false;
  if (key.use === "enc" || key.key_ops?.includes("verify") === false) return false;
  const input = { key, format: "jwk" } as unknown as JsonWebKeyInput;
  const spki = createPublicKey(input).export({ type: "spki", format: "der" });
  return verifyJwt(jws, parsePublicKey(new Uint8Array(spki)));
}

describe("Wycheproof's JSON Web Signatures", () => {
  if (!hasVectors) {
    sayNotRun(FILE, CASES);
    it.skip(`${CASES} cases need the data`, () => undefined);
    return;
  }

  it(`are taken and refused as ${FILE} says (${CASES} cases)`, () => {
    const { numberOfTests, testGroups } = loadVectors<{ numberOfTests: number; testGroups: Group[] }>(
      `wycheproof/${FILE}`,
    );
    expect(numberOfTests).toBe(CASES);
    const disagreements = testGroups.flatMap(({ public: publicKey, private: privateKey, tests }) => {
      const key = publicKey ?? privateKey;
      const isServed = key.alg === undefined || !NOT_SERVED.has(key.alg);
      return tests
        .filter(({ tcId, jws, result }) => {
          const expected = OTHERWISE[tcId] ?? result;
          return isAccepted(jws, key) !== (expected === "valid" && isServed);
        })
        .map(({ tcId, comment, result }) => `${tcId} ${comment}: ${result} ${key.alg}`);
    });
    expect(disagreements).toEqual([]);
  });
});

describe("the examples of RFC 7515", () => {
  // Appendix A.1: HMAC SHA-256, a header with line breaks in it.
  const key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
  const a1 =
    "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9p" +
    "c19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

  it("A.1: the HMAC holds, and not with one bit of it changed", () => {
    const { payload, signingInput, mac, type } = parseCompactHs256(a1, "JWS");
    expect(type).toBe("JWT");
    expect(JSON.parse(parseUtf8(payload))).toEqual({
      iss: "joe",
      exp: 1_300_819_380,
      "http://example.com/is_root": true,
    });
    expect(verifyHs256(signingInput, mac, parseBase64Url(key))).toBe(true);
    mac[0] = (mac[0] ?? 0) ^ 1;
    expect(verifyHs256(signingInput, mac, parseBase64Url(key))).toBe(false);
  });

  it("A.1 as appendix F detaches it: the same signature over content that travels apart", () => {
    const [head, body = "", tail] = a1.split(".");
    const detached = parseDetachedHs256(`${head}..${tail}`);
    const content = parseBase64Url(body);
    expect(verifyParsedDetachedHs256(detached, { secret: parseBase64Url(key), content })).toBe(true);
    const longer = new Uint8Array([...content, 0x20]);
    expect(verifyParsedDetachedHs256(detached, { secret: parseBase64Url(key), content: longer })).toBe(false);
  });

  const body = a1.split(".")[1] ?? "";

  it("A.5: an unsecured JWS is refused, whole and detached", () => {
    expect(() => parseCompactHs256(`eyJhbGciOiJub25lIn0.${body}.`, "JWS")).toThrow("must be signed with HS256");
    expect(() => parseDetachedHs256("eyJhbGciOiJub25lIn0..")).toThrow("must be signed with HS256");
    expect(() => decodeUnverifiedJws(`eyJhbGciOiJub25lIn0.${body}.`)).toThrow("must be signed with one of");
  });

  it("A.3: ECDSA on P-256 holds", () => {
    const jwk = {
      kty: "EC",
      crv: "P-256",
      x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    };
    const signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    expect(isAccepted(`eyJhbGciOiJFUzI1NiJ9.${body}.${signature}`, jwk)).toBe(true);
    expect(isAccepted(`eyJhbGciOiJFUzI1NiJ9.${body}A.${signature}`, jwk)).toBe(false);
  });

  it("E: critical extensions that nobody understands make it invalid", () => {
    const header = encodeBase64Url(
      new TextEncoder().encode(
        '{"alg":"HS256","crit":["http://example.invalid/UNDEFINED"],"http://example.invalid/UNDEFINED":true}',
      ),
    );
    expect(() => parseCompactHs256(`${header}.RkFJTA.${"A".repeat(43)}`, "JWS")).toThrow("critical");
  });
});
