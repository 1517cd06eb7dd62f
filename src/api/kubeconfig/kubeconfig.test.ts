import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codeOf } from "../../../test/builders/code-of.ts";
import { encodeKubeconfig, KUBECONFIG_MAX_CHARACTERS, parseKubeconfig } from "./parse.ts";
import { selectContext } from "./types.ts";

const ADMIN = `
apiVersion: v1
kind: Config
clusters:
- name: kubernetes
  cluster: {server: "https://127.0.0.1:6443", certificate-authority-data: QQ==}
users:
- name: admin
  user: {client-certificate: /a.pem, client-key: /a.pem}
contexts:
- name: admin@kubernetes
  context: {cluster: kubernetes, user: admin, namespace: default}
current-context: admin@kubernetes
`;

/** What kubeadm puts into cluster-info. */
const CLUSTER_INFO = `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: QQ==
    server: https://10.0.0.1:6443
  name: ""
contexts: null
current-context: ""
kind: Config
users: null
`;

describe("parseKubeconfig", () => {
  it("reads the current context with its cluster and user", () => {
    const selected = selectContext(parseKubeconfig(ADMIN));
    expect(selected.cluster.server).toBe("https://127.0.0.1:6443");
    expect(selected.user?.["client-key"]).toBe("/a.pem");
    expect(selected.namespace).toBe("default");
  });

  it("reads the one unnamed cluster of a cluster-info document", () => {
    expect(parseKubeconfig(CLUSTER_INFO).clusters[0]?.cluster.server).toBe("https://10.0.0.1:6443");
  });

  it("reads JSON like YAML", () => {
    const text = JSON.stringify({ clusters: [{ name: "", cluster: { server: "https://a" } }] });
    expect(parseKubeconfig(text).clusters[0]?.cluster.server).toBe("https://a");
  });

  it("gives back what it wrote", () => {
    const config = parseKubeconfig(ADMIN);
    expect(parseKubeconfig(encodeKubeconfig(config))).toEqual(config);
  });

  it("writes cluster-info byte for byte as kubeadm does", () => {
    expect(encodeKubeconfig(parseKubeconfig(CLUSTER_INFO))).toBe(CLUSTER_INFO);
  });

  const refused: Record<string, [string, string]> = {
    "text that is no mapping": ["- a\n- b\n", "malformed"],
    "another kind": ["kind: Secret\n", "malformed"],
    "an entry without a name": ["clusters: [{cluster: {}}]", "malformed"],
    "a server that is a number": ["clusters: [{name: a, cluster: {server: 5}}]", "malformed"],
    "a list that is a text": ["users: hello", "malformed"],
    "aliases, which unfold without end": ["a: &a [x]\nb: [*a, *a]\n", "malformed"],
    "two documents, of which only one would be read": ["kind: Config\n---\nkind: Config\n", "malformed"],
    "a tag that we would read otherwise than it was meant": ["clusters: !mine []", "malformed"],
    "nesting that would exhaust the stack": [`a: ${"[".repeat(100_000)}`, "limit-exceeded"],
    "a text beyond the limit": [`# ${"x".repeat(KUBECONFIG_MAX_CHARACTERS)}`, "limit-exceeded"],
    "more entries than anybody has": [
      `clusters: [${Array.from({ length: 1001 }, (_, i) => `{name: c${i}}`).join(",")}]`,
      "limit-exceeded",
    ],
  };
  for (const [name, [text, code]] of Object.entries(refused)) {
    it(`refuses ${name}`, () => {
      expect(codeOf(() => parseKubeconfig(text))).toBe(code);
    });
  }

  it("answers any text with a value or a fault", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.string({ unit: "binary" })), (text) => {
        expect(["none", "malformed", "limit-exceeded"]).toContain(codeOf(() => parseKubeconfig(text)));
      }),
      { numRuns: 300 },
    );
  });
});

describe("selectContext", () => {
  it("refuses a context that is not there", () => {
    expect(codeOf(() => selectContext(parseKubeconfig(ADMIN), "other"))).toBe("bad-config");
  });

  it("refuses a context whose cluster is not there", () => {
    const text = "contexts: [{name: a, context: {cluster: gone, user: u}}]\ncurrent-context: a\n";
    expect(codeOf(() => selectContext(parseKubeconfig(text)))).toBe("bad-config");
  });
});
