import { describe, expect, it } from "vitest";
import { aDocument, CLUSTER_ID } from "../../../../test/builders/discovery.ts";
import { aNodeCa } from "../../../../test/builders/node-ca.ts";
import { caPinOf } from "../roots.ts";
import { type DocumentFacts, judgeDocument } from "./judge.ts";

const ca = aNodeCa();
const otherCa = aNodeCa("other-ca");
const server = "https://127.0.0.1:6443";
const text = aDocument({ server, caPem: ca.certPem });
const facts: DocumentFacts = { text, what: "the document", caPins: [] };

const judge = (change: Partial<DocumentFacts>) => judgeDocument({ ...facts, ...change });
const user = (fields: string) => text.replace("users: null", `users: [{name: u, user: {${fields}}}]`);
const withContext = (document: string) =>
  document
    .replace("contexts: null", "contexts: [{name: x, context: {cluster: '', user: u}}]")
    .replace('current-context: ""', "current-context: x");

describe("a cluster-info document", () => {
  it("names where the cluster is and whom to trust there", () => {
    expect(judge({})).toMatchObject({
      kind: "Allow",
      cluster: {
        server,
        servers: [server],
        caPem: ca.certPem,
        documentCaPem: ca.certPem,
        anchorsPem: ca.certPem,
        usesSystemRoots: false,
        clusterId: undefined,
        kubeconfigText: text,
        user: undefined,
      },
    });
  });

  it("may be JSON", () => {
    const json = JSON.stringify({ kind: "Config", clusters: [{ name: "", cluster: { server } }] });
    expect(judge({ text: json })).toMatchObject({ kind: "Allow", cluster: { server, usesSystemRoots: true } });
  });

  it("without CA data means the machine's roots", () => {
    const verdict = judge({ text: aDocument({ server, caPem: "" }) });
    expect(verdict).toMatchObject({ cluster: { usesSystemRoots: true, documentCaPem: "", anchorsPem: "" } });
  });

  it("may name sets of addresses and roots, and the cluster", () => {
    const servers = ["https://a.example:6443", server, "https://[::1]:6443"];
    const whole = aDocument({
      server,
      caPem: ca.certPem,
      servers,
      moreRootsPem: [otherCa.certPem, ca.certPem],
      clusterId: CLUSTER_ID,
    });
    expect(judge({ text: whole, clusterId: CLUSTER_ID })).toMatchObject({
      cluster: { server: servers[0], servers, clusterId: CLUSTER_ID, caPem: ca.certPem + otherCa.certPem },
    });
  });

  it("is of the pinned cluster when one of its roots has a pinned key, and only that one is its anchor", () => {
    const both = aDocument({ server, caPem: otherCa.certPem + ca.certPem });
    const verdict = judge({ text: both, caPins: [caPinOf(ca.certificate)] });
    expect(verdict).toMatchObject({ cluster: { anchorsPem: ca.certPem, caPem: otherCa.certPem + ca.certPem } });
  });

  it("of the user's own may point to a CA file, and carry kubeadm's two kinds of identity when it was asked for", () => {
    const pointing = text.replace(/certificate-authority-data: .*/, "certificate-authority: ca.crt");
    expect(judge({ text: pointing, caFilePem: ca.certPem })).toMatchObject({ cluster: { caPem: ca.certPem } });
    for (const fields of ["client-certificate-data: YQ==, client-key-data: YQ==", "exec: {command: aws}"]) {
      const verdict = judge({ text: withContext(user(fields)), withCredentials: true });
      expect(verdict).toMatchObject({ kind: "Allow", cluster: { user: expect.anything() as unknown } });
    }
  });

  const refused: Record<string, [rule: string, change: Partial<DocumentFacts>]> = {
    "it is not a kubeconfig": ["document-is-a-kubeconfig", { text: "a: [" }],
    "it is longer than any honest one": ["document-is-a-kubeconfig", { text: `${text}#${"x".repeat(200_000)}` }],
    "it names no cluster": ["document-names-one-cluster", { text: "clusters: []" }],
    "it names two clusters": [
      "document-names-one-cluster",
      { text: text.replace("contexts: null", '- name: b\n  cluster: {server: "https://x"}\ncontexts: null') },
    ],
    "it carries a token": ["document-carries-no-credentials", { text: user("token: x") }],
    "it carries a certificate, and nobody asked for it": [
      "document-carries-no-credentials",
      { text: withContext(user("client-certificate-data: YQ==, client-key-data: YQ==")) },
    ],
    "it carries a token, and credentials were asked for": [
      "document-carries-no-credentials",
      { text: withContext(user("token: x")), withCredentials: true },
    ],
    "it carries a certificate without its key": [
      "document-carries-no-credentials",
      { text: withContext(user("client-certificate-data: YQ==")), withCredentials: true },
    ],
    "it carries a plugin and a password": [
      "document-carries-no-credentials",
      { text: withContext(user("exec: {command: aws}, username: a, password: b")), withCredentials: true },
    ],
    "its identity belongs to no context": [
      "document-carries-no-credentials",
      { text: user("exec: {command: aws}"), withCredentials: true },
    ],
    "its cluster has a name": ["document-carries-nothing-else", { text: text.replace('name: ""', "name: mine") }],
    "it has contexts": ["document-carries-nothing-else", { text: withContext(text) }],
    "its server is not https": ["server-is-https", { text: text.replace("https://", "http://") }],
    "it turns verification off": [
      "server-is-https",
      { text: text.replace("    server:", "    insecure-skip-tls-verify: true\n    server:") },
    ],
    "it asks for a proxy": [
      "document-needs-no-proxy",
      { text: text.replace("    server:", "    proxy-url: http://p\n    server:") },
    ],
    "one of its addresses is not https": [
      "location-is-readable",
      { text: aDocument({ server, caPem: ca.certPem, servers: ["http://a.example"] }) },
    ],
    "its id is a sentence": ["location-is-readable", { text: aDocument({ server, caPem: "", clusterId: "a b" }) }],
    "it has hundreds of addresses": [
      "location-is-readable",
      { text: aDocument({ server, caPem: "", servers: Array.from({ length: 33 }, (_, at) => `https://h${at}`) }) },
    ],
    "its CA is not a certificate": ["ca-is-given", { text: aDocument({ server, caPem: "nothing" }) }],
    "one of its roots is not a certificate": [
      "ca-is-given",
      { text: aDocument({ server, caPem: ca.certPem, moreRootsPem: ["nothing"] }) },
    ],
    "it came from elsewhere and points to a file here": [
      "ca-is-given",
      { text: text.replace(/certificate-authority-data: .*/, "certificate-authority: /etc/passwd") },
    ],
    "it is of another cluster": [
      "cluster-is-the-expected-one",
      { text: aDocument({ server, caPem: ca.certPem, clusterId: "x" }), clusterId: CLUSTER_ID },
    ],
    "it does not say of which cluster it is": ["cluster-is-the-expected-one", { clusterId: CLUSTER_ID }],
    "its CA is not pinned": ["ca-is-pinned", { caPins: [caPinOf(otherCa.certificate)] }],
    "it leaves the roots to the machine, and one is pinned": [
      "ca-is-pinned",
      { text: aDocument({ server, caPem: "" }), caPins: [caPinOf(ca.certificate)] },
    ],
  };
  for (const [sentence, [rule, change]] of Object.entries(refused)) {
    it(`is refused when ${sentence}`, () => expect(judge(change)).toMatchObject({ kind: "Deny", rule }));
  }
});
