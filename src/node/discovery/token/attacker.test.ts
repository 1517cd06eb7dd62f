// An attacker's server against the token method. Every attack is refused by the rule that it breaks, with a message of
// its own, and the secret is in no byte that left the machine.

import type { IncomingMessage } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import {
  aClusterInfo,
  aDocument,
  answerStatus,
  bearerOf,
  CLUSTER_ID,
  OTHER_TOKEN,
  plainServer,
  signingServer,
  TOKEN,
} from "../../../../test/builders/discovery.ts";
import { aTestCa } from "../../../../test/builders/tls-pair.ts";
import { createManualClock } from "../../../../test/fakes/clock.ts";
import { answerJson, type Handler, startTestServer } from "../../../../test/fakes/https-server.ts";
import { spellingsFound, startRecordingProxy } from "../../../../test/fakes/recording-proxy.ts";
import { type BootstrapToken, parseDiscoveryJwt, signDiscoveryAnswer } from "../../../api/bootstrap/index.ts";
import { encodeBase64Url, encodeUtf8 } from "../../../kernel/bytes/index.ts";
import { sha256 } from "../../../kernel/crypto/index.ts";
import { signDetachedHs256, signHs256Jwt } from "../../../kernel/jose/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import { systemClock } from "../../../platform/clock/index.ts";
import { getHttps } from "../../../platform/http/index.ts";
import { discover } from "../discover.ts";
import type { TokenMethod } from "../method.ts";

const ca = aTestCa("cluster-ca");
const attackerCa = aTestCa("attacker-ca");
const document = aDocument({ server: "https://cluster.example:6443", caPem: ca.certPem });
const map = aClusterInfo(document, [TOKEN, OTHER_TOKEN]);
const body = JSON.stringify(map);

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(handler: Handler, authority = ca): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = await startTestServer((request, response) => {
    requests.push(request);
    handler(request, response);
  }, authority);
  closing.push(() => server.close());
  return { url: server.url, requests };
}

async function record(target: string, authority = ca) {
  const proxy = await startRecordingProxy(target, authority.issueServing());
  closing.push(() => proxy.close());
  return proxy;
}

const methodAt = (url: string, more: Partial<TokenMethod> = {}): TokenMethod => ({
  kind: "token",
  addresses: [url],
  token: TOKEN,
  caPins: [],
  ...more,
});

async function refusal(url: string, more?: Partial<TokenMethod>) {
  const clock = createManualClock(Date.now());
  const error = await discover(methodAt(url, more), { clock, env: {}, limitMs: 0 }).then(
    () => expect.fail("it should have been refused"),
    (thrown: unknown) => thrown,
  );
  if (!isFault(error)) throw error;
  expect(`${error.message} ${JSON.stringify(error.detail)} ${String(error.cause)}`).not.toContain(TOKEN.secret);
  return { code: error.code, check: error.detail["check"], message: error.message };
}

type Jws = string | readonly string[] | undefined;

/** 200 to everything, with this header, or the one that is made for the JWT, and this body. */
const answering =
  (jws: Jws | ((jwt: string) => Jws), sent: string | Buffer = body): Handler =>
  (request, response) => {
    const made = typeof jws === "function" ? jws(bearerOf(request) ?? "") : jws;
    const headers = made === undefined ? {} : { "x-kubernetes-jws": made as string | string[] };
    response.writeHead(200, { "content-type": "application/json", ...headers }).end(sent);
  };

/** 401 to a JWT, then this ConfigMap to anonymous requests: kubeadm's way. */
const showing = (data: Record<string, string>): Handler => plainServer({ ...map, data });

/** kubeadm's form: bound to nothing. */
const jwsOf = (content: string, { id, secret }: BootstrapToken = TOKEN) =>
  signDetachedHs256({ keyId: id, secret, content });
/** The form of answers, bound to the JWT that asked. */
const boundOf = (content: string, token: BootstrapToken = TOKEN) => {
  return (jwt: string) => signDiscoveryAnswer(content, { token, jwt });
};
const header = (fields: unknown) => encodeBase64Url(encodeUtf8(JSON.stringify(fields)));
const binding = (jwt: string) => ({
  typ: "discovery-answer+jws",
  path: "/api/v1/namespaces/kube-public/configmaps/cluster-info",
  jwt: encodeBase64Url(sha256(encodeUtf8(jwt))),
});
/** Signed by the holder of the token, with another protected header. */
const boundOtherwise = (change: Record<string, string>) => (jwt: string) =>
  signDetachedHs256({ keyId: TOKEN.id, secret: TOKEN.secret, content: body, fields: { ...binding(jwt), ...change } });
const mac = (jws: string) => jws.slice(jws.lastIndexOf("."));
const KEY = `jws-kubeconfig-${TOKEN.id}`;

const attackerDocument = aDocument({ server: "https://cluster.example:6443", caPem: attackerCa.certPem });
const lookAlike = JSON.stringify({ ...map, apiVersion: "evil.example/v1" });
const entry = { server: "https://cluster.example:6443", "certificate-authority-data": btoa(attackerCa.certPem) };
const tenantObject = JSON.stringify({
  apiVersion: "tenant.example/v1",
  kind: "Config",
  metadata: { name: "cluster-info", namespace: "kube-public" },
  clusters: [{ name: "", cluster: entry }],
});
const untyped = JSON.stringify({ clusters: [{ name: "", cluster: entry }] });
let lastJwt = "";
const otherObject = JSON.stringify({ ...map, metadata: { name: "other", namespace: "kube-public" } });

/** The rule that must refuse, and a part of its message. */
type Expected = readonly [check: string | undefined, words: string];

const attacks: Record<string, [Handler, Expected]> = {
  "a stripped header": [answering(undefined), ["answer-is-signed", "did not sign its answer"]],
  "two headers": [
    answering((jwt) => [boundOf(body)(jwt), boundOf(body)(jwt)]),
    ["answer-is-signed", "not one X-Kubernetes-JWS"],
  ],
  "a secret of his own": [
    answering(boundOf(body, { id: TOKEN.id, secret: "0000000000000000" })),
    ["signature-is-valid", "does not fit what was sent"],
  ],
  "the signature of another token": [
    answering(boundOf(body, OTHER_TOKEN)),
    ["signature-is-of-this-token", "another token"],
  ],
  "the signature of another token under our key id": [
    answering((jwt) => {
      const ours = header({ alg: "HS256", kid: TOKEN.id, ...binding(jwt) });
      return `${ours}.${mac(boundOf(body, OTHER_TOKEN)(jwt))}`;
    }),
    ["signature-is-valid", "does not fit"],
  ],
  "another token's key in the same answer, and none of ours": [
    showing({ kubeconfig: document, "jws-kubeconfig-ffffff": jwsOf(document, OTHER_TOKEN) }),
    [undefined, "no signature of token ae23dc yet (1 of other tokens)"],
  ],
  "another token's signature under our key in the same answer": [
    showing({ kubeconfig: document, [KEY]: jwsOf(document, OTHER_TOKEN) }),
    ["signature-is-of-this-token", "another token"],
  ],
  "a replayed answer for another object": [
    answering(boundOf(otherObject), otherObject),
    ["answer-is-cluster-info", "kube-public/other"],
  ],
  "an object of another API that has the kind and the name": [
    answering(boundOf(lookAlike), lookAlike),
    ["answer-is-cluster-info", "evil.example/v1 ConfigMap"],
  ],
  "an echo of our own JWT as the signature": [
    (request, response) => answering(bearerOf(request))(request, response),
    ["signature-is-readable", "detached form"],
  ],
  "an expired JWT of the cluster as the signature": [
    answering(
      signHs256Jwt({ keyId: TOKEN.id, secret: TOKEN.secret, claims: { sub: TOKEN.id, exp: 1 } }).replace(
        /\..*\./,
        "..",
      ),
    ),
    ["signature-answers-this-request", "made for something else"],
  ],
  "alg none": [answering(`${header({ alg: "none", kid: TOKEN.id })}..`), ["signature-is-hs256", 'not \\"none\\"']],
  "alg none with a signature": [
    answering(`${header({ alg: "none", kid: TOKEN.id })}..${mac(jwsOf(body)).slice(1)}`),
    ["signature-is-hs256", "must be signed with HS256"],
  ],
  "an asymmetric alg over the CA's public key": [
    answering(`${header({ alg: "RS256", kid: TOKEN.id })}..${mac(jwsOf(body)).slice(1)}`),
    ["signature-is-hs256", "RS256"],
  ],
  "an algorithm in other letters": [
    answering(`${header({ alg: "hs256", kid: TOKEN.id })}..${mac(jwsOf(body)).slice(1)}`),
    ["signature-is-hs256", "hs256"],
  ],
  "an unencoded payload that is critical": [
    answering(`${header({ alg: "HS256", kid: TOKEN.id, b64: false, crit: ["b64"] })}..${mac(jwsOf(body)).slice(1)}`),
    ["signature-is-hs256", "critical"],
  ],
  "a key id twice": [
    answering((jwt) => {
      const twice = '{"alg":"HS256","kid":"ffffff","kid":"ae23dc"}';
      return `${encodeBase64Url(encodeUtf8(twice))}${boundOf(body)(jwt).replace(/^[^.]*/, "")}`;
    }),
    ["signature-is-readable", "twice"],
  ],
  "an attached payload": [
    answering((jwt) => boundOf(body)(jwt).replace("..", `.${encodeBase64Url(encodeUtf8(body))}.`)),
    ["signature-is-readable", ""],
  ],
  "a truncated signature": [
    answering((jwt) => boundOf(body)(jwt).slice(0, -20)),
    ["signature-is-readable", "43 characters"],
  ],
  "a truncated body": [answering(boundOf(body), body.slice(0, 200)), ["answer-is-complete", "after 200 bytes"]],
  "one changed byte": [
    answering(boundOf(body), body.replace("cluster.example:6443", "cluster.example:6444")),
    ["signature-is-valid", "somebody between here"],
  ],
  "a byte order mark before the body": [
    answering(boundOf(body), `\ufeff${body}`),
    ["answer-is-complete", "signature does not fit"],
  ],
  "kubeadm's form of signature over the answer: that of older servers, and of the ConfigMap": [
    answering(jwsOf(body)),
    ["signature-answers-this-request", "bring the server up to date"],
  ],
  "a signature that answers another JWT of the same token": [
    answering(boundOf(body)("eyJhbGciOiJIUzI1NiJ9.e30.x")),
    ["signature-answers-this-request", "made for something else"],
  ],
  "a signature of another path": [
    answering(boundOtherwise({ path: "/apis/tenant.example/v1/namespaces/kube-public/configs/cluster-info" })),
    ["signature-answers-this-request", "made for something else"],
  ],
  "a signature of another type": [
    answering(boundOtherwise({ typ: "JWT" })),
    ["signature-answers-this-request", "made for something else"],
  ],
  "the signature of an answer in the place of the ConfigMap's": [
    (request, response) => {
      const jwt = bearerOf(request);
      if (jwt !== undefined) lastJwt = jwt;
      const data = { kubeconfig: document, [KEY]: boundOf(document)(lastJwt) };
      plainServer({ ...map, data })(request, response);
    },
    ["signature-is-valid", "does not fit"],
  ],
  "a tenant's object of kind Config that was signed in the place of the kubeconfig": [
    showing({ kubeconfig: tenantObject, [KEY]: jwsOf(tenantObject) }),
    ["document-is-a-kubeconfig", 'the apiVersion \\"tenant.example/v1\\"'],
  ],
  "a signed text that does not say that it is a kubeconfig": [
    showing({ kubeconfig: untyped, [KEY]: jwsOf(untyped) }),
    ["document-is-a-kubeconfig", "expected"],
  ],
  "a redirect": [
    (_request, response) => response.writeHead(307, { location: "https://127.0.0.1:1/" }).end(),
    ["answer-is-no-redirect", "not followed"],
  ],
  "a redirect of the anonymous request": [
    (request, response) => {
      if (request.headers.authorization !== undefined) return answerStatus(response, 401, "Unauthorized");
      response.writeHead(302, { location: "https://127.0.0.1:1/" }).end();
    },
    ["answer-is-no-redirect", "status 302"],
  ],
  "alg none in the ConfigMap": [
    showing({ kubeconfig: document, [KEY]: `${header({ alg: "none", kid: TOKEN.id })}..` }),
    ["signature-is-hs256", "get around the check"],
  ],
  "a changed document in the ConfigMap": [
    showing({ kubeconfig: attackerDocument, [KEY]: jwsOf(document) }),
    ["signature-is-valid", "does not fit"],
  ],
  "a good signature in a spelling that kubeadm would not take": [
    showing({
      kubeconfig: document,
      [KEY]: `${header({ kid: TOKEN.id, alg: "HS256" })}${jwsOf(document).replace(/^[^.]*/, "")}`,
    }),
    ["signature-is-valid", "does not fit"],
  ],
  "a body without end": [
    (_request, response) => {
      response.writeHead(200);
      response.end(Buffer.alloc(2_000_000, 0x20));
    },
    [undefined, "longer than"],
  ],
};

describe("an attacker's server", () => {
  for (const [sentence, [handler, [check, words]]] of Object.entries(attacks)) {
    it(`is refused with ${sentence}`, async () => {
      const { url } = await serve(handler, attackerCa);
      const seen = await record(url, attackerCa);
      const refused = await refusal(seen.url);
      expect(refused.message).toContain(words.replaceAll("\\", ""));
      if (check !== undefined) expect(refused).toMatchObject({ code: "untrusted", check });
      expect(spellingsFound(seen.recorded(), TOKEN.secret)).toEqual([]);
    });
  }

  it("in the middle, who relays the true cluster's answers over his own TLS, is caught by the second connection", async () => {
    for (const handler of [signingServer(map), plainServer(map)]) {
      const { url } = await serve(handler);
      const middle = await record(url, attackerCa);
      expect(await refusal(middle.url)).toMatchObject({
        check: "server-holds-a-certificate-of-the-ca",
        message: expect.stringContaining("somebody relays the cluster's document"),
      });
      expect(spellingsFound(middle.recorded(), TOKEN.secret)).toEqual([]);
    }
  });

  it("who replays an answer of the past, signed by the token, is refused: it answers another JWT", async () => {
    const answers: string[] = [];
    const honest = await serve(answering((jwt) => answers[answers.push(boundOf(body)(jwt)) - 1]));
    await discover(methodAt(honest.url), { clock: systemClock, env: {} });
    expect(new Set(answers).size).toBe(answers.length);
    const { url } = await serve(answering(answers[0]), attackerCa);
    expect(await refusal(url)).toMatchObject({ check: "signature-answers-this-request" });
  });

  it("who replays a ConfigMap of the past, signed by the token, is caught by the second connection", async () => {
    const old = aClusterInfo(aDocument({ server: "https://cluster.example:6443", caPem: aTestCa("old-ca").certPem }));
    const { url } = await serve(plainServer(old), attackerCa);
    expect(await refusal(url)).toMatchObject({ check: "server-holds-a-certificate-of-the-ca" });
  });

  it("sees JWTs of which no two are alike, even within one second", async () => {
    const seen: string[] = [];
    const { url } = await serve(answering((jwt) => boundOf(body)(seen[seen.push(jwt) - 1] ?? "")));
    for (let at = 0; at < 3; at++) await discover(methodAt(url), { clock: systemClock, env: {} });
    expect(new Set(seen.map((jwt) => parseDiscoveryJwt(jwt)?.claims["jti"])).size).toBe(6);
  });

  it("who shows another document to the verified connection is refused", async () => {
    let count = 0;
    const { url } = await serve((request, response) => {
      count += 1;
      const shown =
        count === 1 ? map : aClusterInfo(aDocument({ server: "https://elsewhere.example", caPem: ca.certPem }));
      signingServer(shown)(request, response);
    });
    expect(await refusal(url)).toMatchObject({ check: "document-is-the-same-over-verified-tls" });
  });

  it("who has the token and a CA of his own is refused by the pin, in both ways", async () => {
    const forged = aClusterInfo(attackerDocument);
    for (const handler of [signingServer(forged), plainServer(forged)]) {
      const { url } = await serve(handler, attackerCa);
      const caPins = [`sha256:${"ab".repeat(32)}`];
      expect(await refusal(url, { caPins })).toMatchObject({ check: "ca-is-pinned" });
    }
  });

  it("who has the token and another cluster is refused by the cluster's id", async () => {
    const other = aDocument({ server: "https://cluster.example:6443", caPem: ca.certPem, clusterId: "another" });
    const { url } = await serve(plainServer(aClusterInfo(other)));
    expect(await refusal(url, { clusterId: CLUSTER_ID })).toMatchObject({
      check: "cluster-is-the-expected-one",
      message: expect.stringContaining("another cluster took its address"),
    });
  });

  it("who cuts the answer of an anonymous request short is refused", async () => {
    const { url } = await serve((request, response) => {
      if (request.headers.authorization !== undefined) return answerStatus(response, 403, "Forbidden");
      response.end(body.slice(0, 100));
    });
    expect(await refusal(url)).toMatchObject({ code: "malformed", message: expect.stringContaining("cut short") });
  });
});

describe("the secret", () => {
  it("is in no byte on the wire when all goes well, in either way", async () => {
    for (const handler of [signingServer(map), plainServer(map)]) {
      const { url } = await serve(handler);
      const seen = await record(url);
      const found = await discover(methodAt(seen.url), { clock: systemClock, env: {} });
      expect(found.caPem).toBe(ca.certPem);
      expect(seen.recorded().length).toBeGreaterThan(1_000);
      expect(seen.recorded().toString("latin1")).toContain("Bearer eyJ");
      expect(spellingsFound(seen.recorded(), TOKEN.secret)).toEqual([]);
    }
  });

  it("would have been found by that search in each of its spellings", async () => {
    const { url } = await serve((_request, response) => answerJson(response, 200, {}));
    const { secret } = TOKEN;
    const hex = Buffer.from(secret).toString("hex");
    const sent: Record<string, string> = {
      plain: secret,
      hex,
      "base64 at offset 0": Buffer.from(secret).toString("base64"),
      "base64 at offset 1": Buffer.from(`:${secret}@`).toString("base64"),
      "base64url at offset 2": Buffer.from(`ab${secret}cd`).toString("base64url"),
      "percent-encoded": hex.replace(/../g, "%$&"),
      "JSON escapes": hex.replace(/../g, "\\u00$&"),
    };
    for (const [name, value] of Object.entries(sent)) {
      const seen = await record(url);
      const get = { url: seen.url, trust: { caPem: ca.certPem }, timeoutMs: 5_000, maxBytes: 1_000 };
      await getHttps({ ...get, headers: { "x-leak": value } });
      expect(spellingsFound(seen.recorded(), secret), name).toContain(name);
    }
  });
});
