// Everything that discovery reads before it trusts anybody: any text, and texts that almost fit, end in a value, a
// verdict or a Fault; and nothing that was changed passes for signed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signDiscoveryAnswer } from "../../src/api/bootstrap/index.ts";
import { encodeUtf8, parseUtf8 } from "../../src/kernel/bytes/index.ts";
import { parseCompactHs256 } from "../../src/kernel/jose/hs256.ts";
import {
  parseDetachedHs256,
  parseHs256Jwt,
  signDetachedHs256,
  signHs256Jwt,
  verifyHs256Jwt,
  verifyParsedDetachedHs256,
} from "../../src/kernel/jose/index.ts";
import { encodeCache, parseCache, wayOf } from "../../src/node/discovery/cache/format.ts";
import { parseHeaderFile } from "../../src/node/discovery/document/fetch.ts";
import { judgeDocument } from "../../src/node/discovery/document/judge.ts";
import { findDiscoveryMethod } from "../../src/node/discovery/method.ts";
import { parseConfigMap } from "../../src/node/discovery/token/answer.ts";
import { judgeSignedAnswer, judgeSignedConfigMap } from "../../src/node/discovery/token/judge.ts";
import { aClusterInfo, aDocument, CLUSTER_ID, TOKEN } from "../builders/discovery.ts";
import { aNodeCa } from "../builders/node-ca.ts";
import { outcomeOf, runs, spoiled } from "./fuzz.ts";

const FAULTS = ["value", "malformed", "limit-exceeded", "unsupported", "bad-config"];
const server = "https://a.example:6443";
const document = aDocument({
  server,
  caPem: aNodeCa().certPem,
  servers: [server, "https://[::1]:6443"],
  clusterId: CLUSTER_ID,
});
const body = encodeUtf8(JSON.stringify(aClusterInfo(document)));
const verdict = judgeDocument({ text: document, what: "it", caPins: [] });
const cluster = verdict.kind === "Allow" ? verdict.cluster : expect.fail("the document is good");
const way = wayOf({ kind: "token", addresses: [server], token: TOKEN, caPins: [] });
const cache = encodeCache({ cluster, way, foundMs: 0, confirmedMs: 0 });

const { id: keyId, secret } = TOKEN;
const jwt = signHs256Jwt({ keyId, secret, claims: { sub: keyId, exp: 1 } });
const jws = signDetachedHs256({ keyId, secret, content: body });
const asked = { token: TOKEN, jwt };
const answerJws = signDiscoveryAnswer(body, asked);

/** Any text, or a good one with some bytes changed. */
function hostile(example: string): fc.Arbitrary<string> {
  const near = spoiled([encodeUtf8(example)]).map((bytes) => Buffer.from(bytes).toString("utf8"));
  return fc.oneof(fc.string({ unit: "binary" }), fc.json(), near);
}

const PARSERS: Record<string, [(text: string) => unknown, string]> = {
  "a JWT of a shared secret": [parseHs256Jwt, jwt],
  "a compact JWS": [(text) => parseCompactHs256(text, "JWS"), jwt],
  "a detached JWS": [parseDetachedHs256, jws],
  "an answer for cluster-info": [(text) => parseConfigMap(encodeUtf8(text)), parseUtf8(body)],
  "a file of headers": [parseHeaderFile, "Authorization: Bearer x\n"],
  "the cache": [parseCache, cache],
  "the words for a URL": [(text) => findDiscoveryMethod({ discoveryFile: text }), "https://a.example/x?y=z"],
  "the words for addresses": [
    (text) => findDiscoveryMethod({ token: "ae23dc.faddc87f5a5ab458", address: text }),
    "a,b:1",
  ],
};

describe("hostile text in discovery", () => {
  for (const [name, [parse, example]] of Object.entries(PARSERS)) {
    it(`for ${name} ends in a value or a fault`, () => {
      fc.assert(
        fc.property(hostile(example), (text) => FAULTS.includes(outcomeOf(() => parse(text)))),
        runs(300),
      );
    });
  }

  it("as a document ends in a verdict", () => {
    fc.assert(
      fc.property(hostile(document), (text) => {
        const { kind } = judgeDocument({ text, what: "it", caPins: [], withCredentials: true });
        return kind === "Allow" || kind === "Deny";
      }),
      runs(150),
    );
  });

  it("as the extension of a cluster ends in a verdict", () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 3 }), (extension) => {
        const entry = { server, extensions: [{ name: "countersign.dev/cluster-location", extension }] };
        const text = JSON.stringify({ clusters: [{ name: "", cluster: entry }] }, (_key, value: unknown) =>
          typeof value === "bigint" ? String(value) : value,
        );
        return ["Allow", "Deny"].includes(judgeDocument({ text, what: "it", caPins: [] }).kind);
      }),
      runs(150),
    );
  });
});

describe("a change of any byte", () => {
  const changed = (example: Uint8Array) =>
    spoiled([example]).filter((bytes) => !Buffer.from(bytes).equals(Buffer.from(example)));

  it("of a signed answer is refused", () => {
    fc.assert(
      fc.property(changed(body), (bytes) => {
        const answer = { headers: { "x-kubernetes-jws": answerJws }, body: bytes };
        return judgeSignedAnswer(answer, asked).kind === "Deny";
      }),
      runs(200),
    );
  });

  it("is found although the answer as it was is good", () => {
    expect(judgeSignedAnswer({ headers: { "x-kubernetes-jws": answerJws }, body }, asked).kind).toBe("Allow");
  });

  it("of its signature is refused", () => {
    fc.assert(
      fc.property(changed(encodeUtf8(answerJws)), (bytes) => {
        const headers = { "x-kubernetes-jws": Buffer.from(bytes).toString("latin1") };
        return judgeSignedAnswer({ headers, body }, asked).kind === "Deny";
      }),
      runs(300),
    );
  });

  it("of a signature in the ConfigMap is refused or waited for", () => {
    const { data } = aClusterInfo(document);
    fc.assert(
      fc.property(changed(encodeUtf8(jws)), (bytes) => {
        const forged = { ...data, [`jws-kubeconfig-${keyId}`]: Buffer.from(bytes).toString("latin1") };
        return judgeSignedConfigMap(forged, TOKEN).kind !== "Allow";
      }),
      runs(300),
    );
  });

  it("of a JWT is not believed", () => {
    fc.assert(
      fc.property(changed(encodeUtf8(jwt)), (bytes) => {
        const text = Buffer.from(bytes).toString("latin1");
        return outcomeOf(() => parseHs256Jwt(text)) !== "value" || !verifyHs256Jwt(parseHs256Jwt(text), secret);
      }),
      runs(500),
    );
  });

  it("of detached content does not fit its signature, and the content itself does", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (content, other) => {
        const parsed = parseDetachedHs256(signDetachedHs256({ keyId, secret, content }));
        const isSame = Buffer.from(content).equals(Buffer.from(other));
        return (
          verifyParsedDetachedHs256(parsed, { secret, content }) &&
          verifyParsedDetachedHs256(parsed, { secret, content: other }) === isSame
        );
      }),
      runs(200),
    );
  });
});
