import { describe, expect, it } from "vitest";
import { aNodeCa } from "../../../test/builders/node-ca.ts";
import { encodeBase64, encodeBase64Url, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { signDetachedHs256 } from "../../kernel/jose/index.ts";
import { type ClusterInfoFacts, judgeClusterInfo, judgeSecondReading } from "./judge.ts";
import { caPinOf } from "./pins.ts";

const ca = aNodeCa();
const otherCa = aNodeCa("other-ca");
const token = { id: "ae23dc", secret: "faddc87f5a5ab458" };
const KEY = "jws-kubeconfig-ae23dc";

function documentOf(caPem: string, extra = ""): string {
  const data = encodeBase64(encodeUtf8(caPem));
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${data}
    server: https://127.0.0.1:6443
  name: ""
contexts: null
current-context: ""
kind: Config
users: null
${extra}`;
}

function sign(content: string, keyId = token.id, secret = token.secret): string {
  return signDetachedHs256({ keyId, secret, content });
}

function signed(kubeconfig: string): Record<string, string> {
  return { kubeconfig, [KEY]: sign(kubeconfig) };
}

const document = documentOf(ca.certPem);
const facts: ClusterInfoFacts = { data: signed(document), token, caPins: [] };

describe("a cluster-info document", () => {
  it("is trusted when the token signed it", () => {
    expect(judgeClusterInfo(facts)).toMatchObject({
      kind: "Allow",
      cluster: {
        server: "https://127.0.0.1:6443",
        caPem: ca.certPem,
        anchorsPem: ca.certPem,
        kubeconfigText: document,
      },
    });
  });

  it("is trusted when its CA is one of the pinned", () => {
    const caPins = [caPinOf(otherCa.certificate), caPinOf(ca.certificate)];
    expect(judgeClusterInfo({ ...facts, caPins }).kind).toBe("Allow");
  });

  it("makes only the pinned CA of a bundle the anchor of the second reading", () => {
    const data = signed(documentOf(otherCa.certPem + ca.certPem));
    const verdict = judgeClusterInfo({ ...facts, data, caPins: [caPinOf(ca.certificate)] });
    expect(verdict).toMatchObject({ cluster: { anchorsPem: ca.certPem, caPem: otherCa.certPem + ca.certPem } });
  });

  const waiting: Record<string, Record<string, string>> = {
    "the ConfigMap is empty": {},
    "nobody has signed yet": { kubeconfig: document },
    "only other tokens have signed": { kubeconfig: document, "jws-kubeconfig-ffffff": sign(document, "ffffff") },
    "the signature came before the document": { [KEY]: sign(document) },
  };
  for (const [sentence, data] of Object.entries(waiting)) {
    it(`is waited for while ${sentence}`, () => {
      expect(judgeClusterInfo({ ...facts, data })).toMatchObject({ kind: "Wait", rule: "signature-is-present" });
    });
  }

  const altered = document.replace("6443", "6444");
  const none = `${encodeBase64Url(encodeUtf8('{"alg":"none","kid":"ae23dc"}'))}..`;
  const refused: Record<string, [string, Partial<ClusterInfoFacts>]> = {
    "the attacker signs with a wrong secret": [
      "signature-is-valid",
      { data: { kubeconfig: document, [KEY]: sign(document, token.id, "0000000000000000") } },
    ],
    "the signature of another token stands under ours": [
      "signature-is-valid",
      { data: { kubeconfig: document, [KEY]: sign(document, "ffffff") } },
    ],
    "one byte of the document was changed": [
      "signature-is-valid",
      { data: { kubeconfig: altered, [KEY]: sign(document) } },
    ],
    "the CA was swapped and the signature kept": [
      "signature-is-valid",
      { data: { kubeconfig: documentOf(otherCa.certPem), [KEY]: sign(document) } },
    ],
    "the signature says that none is needed": ["signature-is-valid", { data: { kubeconfig: document, [KEY]: none } }],
    "the signature is not detached": [
      "signature-is-valid",
      {
        data: {
          kubeconfig: document,
          [KEY]: sign(document).replace("..", `.${encodeBase64Url(encodeUtf8(document))}.`),
        },
      },
    ],
    "the token's holder swaps the CA of a pinned cluster": [
      "ca-is-pinned",
      { data: signed(documentOf(otherCa.certPem)), caPins: [caPinOf(ca.certificate)] },
    ],
    "it is not a kubeconfig": ["document-is-a-kubeconfig", { data: signed("a: [") }],
    "it names no cluster": ["document-names-one-cluster", { data: signed("clusters: []") }],
    "it names two clusters": [
      "document-names-one-cluster",
      {
        data: signed(document.replace("contexts: null", '- name: b\n  cluster: {server: "https://x"}\ncontexts: null')),
      },
    ],
    "it carries a user": [
      "document-carries-no-credentials",
      { data: signed(document.replace("users: null", "users: [{name: a, user: {token: x}}]")) },
    ],
    "its server is not https": ["server-is-https", { data: signed(document.replace("https://", "http://")) }],
    "it turns verification off": [
      "server-is-https",
      { data: signed(document.replace("    server:", "    insecure-skip-tls-verify: true\n    server:")) },
    ],
    "it has no CA": ["ca-is-given", { data: signed(document.replace(/^.*authority-data.*\n/m, "")) }],
    "its CA is not a certificate": ["ca-is-given", { data: signed(documentOf("nothing")) }],
  };
  for (const [sentence, [rule, spoiled]] of Object.entries(refused)) {
    it(`is refused when ${sentence}`, () => {
      expect(judgeClusterInfo({ ...facts, ...spoiled })).toMatchObject({ kind: "Deny", rule });
    });
  }

  it("never shows the secret in a message", () => {
    for (const [, spoiled] of Object.values(refused)) {
      expect(JSON.stringify(judgeClusterInfo({ ...facts, ...spoiled }))).not.toContain(token.secret);
    }
  });
});

describe("the second reading", () => {
  const verdict = judgeClusterInfo(facts);
  const cluster = verdict.kind === "Allow" ? verdict.cluster : expect.fail("the first reading is good");

  it("passes when it is the same to the byte", () => {
    expect(judgeSecondReading(cluster, { kubeconfig: document }).kind).toBe("Allow");
  });

  for (const [sentence, data] of Object.entries<Record<string, string>>({
    "a space more": { kubeconfig: `${document} ` },
    "another server": { kubeconfig: altered() },
    nothing: {},
  })) {
    it(`is refused with ${sentence}`, () => {
      expect(judgeSecondReading(cluster, data)).toMatchObject({
        kind: "Deny",
        rule: "document-is-the-same-over-verified-tls",
      });
    });
  }

  function altered(): string {
    return document.replace("6443", "6444");
  }
});
