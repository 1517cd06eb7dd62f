import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  parseDetachedHs256,
  parseHs256Jwt,
  signDetachedHs256,
  signHs256Jwt,
  verifyHs256Jwt,
  verifyParsedDetachedHs256,
} from "./index.ts";

const encode = (text: string) => Buffer.from(text).toString("base64url");
const keyId = "ae23dc";
const secret = "faddc87f5a5ab458";
const claims = { sub: keyId, iat: 1_767_225_600, exp: 1_767_225_660 };
const jwt = signHs256Jwt({ keyId, secret, claims });
const [head = "", body = "", tail = ""] = jwt.split(".");

describe("a JWT of a shared secret", () => {
  it("has exactly alg, typ and kid in its header, its claims as given, and the MAC that OpenSSL computes", () => {
    expect(Buffer.from(head, "base64url").toString()).toBe('{"alg":"HS256","typ":"JWT","kid":"ae23dc"}');
    expect(Buffer.from(body, "base64url").toString()).toBe(JSON.stringify(claims));
    expect(tail).toBe(createHmac("sha256", secret).update(`${head}.${body}`).digest("base64url"));
  });

  it("is believed with its secret only, and as it was signed only", () => {
    const parsed = parseHs256Jwt(jwt);
    expect(parsed).toMatchObject({ keyId, claims });
    expect(verifyHs256Jwt(parsed, secret)).toBe(true);
    expect(verifyHs256Jwt(parsed, new TextEncoder().encode(secret))).toBe(true);
    expect(verifyHs256Jwt(parsed, `${secret}0`)).toBe(false);
    expect(verifyHs256Jwt(parsed, "")).toBe(false);
    const changed = parseHs256Jwt(`${head}.${encode('{"sub":"ffffff"}')}.${tail}`);
    expect(verifyHs256Jwt(changed, secret)).toBe(false);
  });

  const header = (text: string) => `${encode(text)}.${body}.${tail}`;
  const refused: Record<string, [text: string, code: string]> = {
    "with alg none and no signature": [
      `${encode('{"alg":"none","typ":"JWT","kid":"ae23dc"}')}.${body}.`,
      "unsupported",
    ],
    "with alg None": [header('{"alg":"None","typ":"JWT","kid":"ae23dc"}'), "unsupported"],
    "with an asymmetric algorithm": [header('{"alg":"RS256","typ":"JWT","kid":"ae23dc"}'), "unsupported"],
    "with a longer hash": [header('{"alg":"HS512","typ":"JWT","kid":"ae23dc"}'), "unsupported"],
    "with an algorithm in a list": [header('{"alg":["HS256"],"typ":"JWT","kid":"ae23dc"}'), "unsupported"],
    "without an algorithm": [header('{"typ":"JWT","kid":"ae23dc"}'), "unsupported"],
    "with a critical field": [header('{"alg":"HS256","typ":"JWT","kid":"ae23dc","crit":["exp"]}'), "unsupported"],
    "with an unencoded payload": [header('{"alg":"HS256","typ":"JWT","kid":"ae23dc","b64":false}'), "unsupported"],
    "of another type": [header('{"alg":"HS256","typ":"at+jwt","kid":"ae23dc"}'), "unsupported"],
    "without a type, as a detached signature has none": [header('{"alg":"HS256","kid":"ae23dc"}'), "unsupported"],
    "without a key id": [header('{"alg":"HS256","typ":"JWT"}'), "malformed"],
    "with a key id that is a number": [header('{"alg":"HS256","typ":"JWT","kid":1}'), "malformed"],
    "with a header field twice": [header('{"alg":"none","typ":"JWT","kid":"ae23dc","alg":"HS256"}'), "malformed"],
    "with a header field twice, once in escapes": [
      header('{"alg":"HS256","typ":"JWT","kid":"a","\\u006bid":"ae23dc"}'),
      "malformed",
    ],
    "with a claim twice": [`${head}.${encode('{"exp":1,"sub":"a","exp":2}')}.${tail}`, "malformed"],
    "with a claim twice, deep inside": [`${head}.${encode('{"a":[{"b":{"c":1,"c":2}}]}')}.${tail}`, "malformed"],
    "whose claims are a list": [`${head}.${encode("[]")}.${tail}`, "malformed"],
    "whose claims are null": [`${head}.${encode("null")}.${tail}`, "malformed"],
    "whose claims are no JSON": [`${head}.${encode("{")}.${tail}`, "malformed"],
    "whose claims are no UTF-8": [
      `${head}.${Buffer.from([0x7b, 0xff, 0x7d]).toString("base64url")}.${tail}`,
      "malformed",
    ],
    "with padding": [`${head}.${body}.${tail}=`, "malformed"],
    "in ordinary base64": [`${head}.${body}+.${tail}`, "malformed"],
    "with stray bits at the end": [
      `${head}.${body}.${tail.slice(0, -1)}${tail.endsWith("A") ? "B" : "_"}`,
      "malformed",
    ],
    "with half a signature": [`${head}.${body}.${tail.slice(0, 22)}`, "malformed"],
    "without a signature": [`${head}.${body}.`, "malformed"],
    "of two parts": [`${head}.${body}`, "malformed"],
    "of five parts, as an encrypted one": [`${jwt}.a.b`, "malformed"],
    "that is empty": ["", "malformed"],
    "with a long header": [`${"a".repeat(2_000)}.${body}.${tail}`, "limit-exceeded"],
    "without end": ["a".repeat(10_000), "limit-exceeded"],
  };
  for (const [sentence, [text, code]] of Object.entries(refused)) {
    it(`is not read ${sentence}`, () => {
      expect(() => parseHs256Jwt(text)).toThrow(expect.objectContaining({ code }) as Error);
    });
  }

  it("may have names in strings and equal names in different objects", () => {
    const text = JSON.stringify({ a: '"a":1,', b: { a: 1 }, c: [{ a: 1 }, { a: 2 }] });
    expect(parseHs256Jwt(`${head}.${encode(text)}.${tail}`).claims).toEqual(JSON.parse(text));
  });

  it("is read the same the first time, again, and after more headers than are remembered", () => {
    const named = (id: string) => signHs256Jwt({ keyId: id, secret, claims });
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 100; n++) expect(parseHs256Jwt(named(`id-${n}`)).keyId).toBe(`id-${n}`);
    }
    const unsigned = `${encode('{"alg":"none","typ":"JWT","kid":"ae23dc"}')}.${body}.${tail}`;
    for (let round = 0; round < 2; round++) expect(() => parseHs256Jwt(unsigned)).toThrow("must be signed with HS256");
  });

  it("does not pass for a detached signature, nor the other way round", () => {
    expect(() => parseDetachedHs256(jwt)).toThrow("detached form");
    const jws = signDetachedHs256({ keyId, secret, content: JSON.stringify(claims) });
    expect(() => parseHs256Jwt(jws.replace("..", `.${encode(JSON.stringify(claims))}.`))).toThrow("typ must be JWT");
  });
});

describe("a detached signature that is read part by part", () => {
  const content = new Uint8Array([0, 255, 10, 13]);

  it("holds over the exact bytes, with header fields in any order", () => {
    const jws = signDetachedHs256({ keyId, secret, content });
    expect(verifyParsedDetachedHs256(parseDetachedHs256(jws), { secret, content })).toBe(true);
    expect(verifyParsedDetachedHs256(parseDetachedHs256(jws), { secret, content: content.subarray(1) })).toBe(false);
    const other = encode('{"typ":"JOSE", "kid":"ae23dc", "alg":"HS256"}');
    const mac = createHmac("sha256", secret).update(`${other}.${Buffer.from(content).toString("base64url")}`);
    const parsed = parseDetachedHs256(`${other}..${mac.digest("base64url")}`);
    expect(parsed.keyId).toBe(keyId);
    expect(verifyParsedDetachedHs256(parsed, { secret, content })).toBe(true);
  });

  it("is refused without its empty middle, or longer than any", () => {
    for (const text of ["", ".", "a.b", "a..b.c", `${head}.x.${tail}`]) {
      expect(() => parseDetachedHs256(text), text).toThrow("detached form");
    }
    expect(() => parseDetachedHs256("a".repeat(3_000))).toThrow("longer than");
  });
});
