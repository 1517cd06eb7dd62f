// The small parsers of strangers' text: any text, and texts that almost fit, end in a value or a Fault.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  parseDiscoveryJwt,
  parseToken,
  readTokenSecret,
  refuseDiscoveryRequest,
} from "../../src/api/bootstrap/index.ts";
import { parsePemField } from "../../src/api/pem/index.ts";
import { negotiate } from "../../src/apiserver/entry/accept.ts";
import { parseQuery } from "../../src/apiserver/entry/target.ts";
import { parseContinue } from "../../src/apiserver/verbs/continue-token.ts";
import { parseDeleteOptions } from "../../src/apiserver/verbs/delete-options.ts";
import { parsePointer } from "../../src/apiserver/verbs/patch/json-patch.ts";
import { parseVerdict } from "../../src/controller/index.ts";
import { parseReview } from "../../src/gateway/review.ts";
import { parseEndpoint } from "../../src/node/index.ts";
import { parsePair } from "../../src/platform/pair/index.ts";
import { outcomeOf, runs } from "./fuzz.ts";

const FAULTS = ["value", "malformed", "limit-exceeded", "unsupported", "invalid", "bad-config", "expired"];

/** Each with a text that it takes, so that spoiled ones come close. */
const TEXT_PARSERS: Record<string, [(text: string) => unknown, string]> = {
  "a bootstrap token": [parseToken, "ae23dc.faddc87f5a5ab458"],
  "a discovery JWT": [
    parseDiscoveryJwt,
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImFiY2RlZiJ9.eyJzdWIiOiJhYmNkZWYifQ.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  ],
  "the target of a discovery request": [
    (text) => refuseDiscoveryRequest({ method: "GET", target: text, headers: {} }),
    "/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s",
  ],
  "a TokenReview": [parseReview, '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"x"}}'],
  "a field that holds PEM": [parsePemField, "LS0tLS1CRUdJTiBYLS0tLS0KQUFBQQotLS0tLUVORCBYLS0tLS0K"],
  "a query string": [parseQuery, "watch=true&fieldSelector=metadata.name%3Dx&limit=500"],
  "an Accept header": [
    (text) => negotiate({ accept: text }, { formats: ["json", "protobuf"], transforms: ["Table"] }),
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
  ],
  "a continue token": [parseContinue, "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhXHUwMDAwIn0"],
  "a JSON pointer": [parsePointer, "/metadata/annotations/a~1b"],
  "a recorded verdict": [parseVerdict, '{"verdict":"Deny","rule":"r","reason":"R","message":"m","trail":[]}'],
  "an endpoint": [parseEndpoint, "https://[2001:db8::1]:6443"],
  "a certificate pair": [parsePair, "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"],
};

function nearly(text: string): fc.Arbitrary<string> {
  const at = fc.nat({ max: text.length });
  return fc
    .tuple(at, at, fc.string({ maxLength: 4 }))
    .map(([from, to, insert]) => text.slice(0, from) + insert + text.slice(to));
}

describe("hostile text", () => {
  for (const [name, [parse, example]] of Object.entries(TEXT_PARSERS)) {
    it(`for ${name} ends in a value or a fault`, () => {
      const hostile = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.json(), nearly(example));
      fc.assert(
        fc.property(hostile, (text) => FAULTS.includes(outcomeOf(() => parse(text)))),
        runs(300),
      );
    });
  }

  it("for delete options ends in a value or a fault", () => {
    fc.assert(
      fc.property(fc.json(), (text) => FAULTS.includes(outcomeOf(() => parseDeleteOptions(JSON.parse(text))))),
      runs(300),
    );
  });

  it("for a token's Secret is no token or a token, never an accident", () => {
    const data = fc.dictionary(
      fc.constantFrom("token-id", "token-secret", "expiration", "auth-extra-groups"),
      fc.string(),
    );
    fc.assert(
      fc.property(data, fc.string(), (values, name) => {
        const secret = {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name },
          type: "bootstrap.kubernetes.io/token",
          data: values,
        };
        expect(outcomeOf(() => readTokenSecret(secret))).toBe("value");
      }),
      runs(300),
    );
  });
});
