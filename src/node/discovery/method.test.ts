import { describe, expect, it } from "vitest";
import { type DiscoveryMethod, type DiscoveryWords, findDiscoveryMethod, parseDiscoveryMethod } from "./method.ts";

const token = "ae23dc.faddc87f5a5ab458";
const parsed = { id: "ae23dc", secret: "faddc87f5a5ab458" };
const pin = `sha256:${"0a".repeat(32)}`;

describe("the words for a way to find a cluster", () => {
  const accepted: Record<string, [DiscoveryWords, Partial<DiscoveryMethod>]> = {
    "a token and a bare host": [
      { token, address: "cluster.example" },
      { kind: "token", addresses: ["https://cluster.example:6443"], token: parsed, caPins: [] },
    ],
    "a token and several addresses, each once": [
      { token, address: "10.0.0.1, [::1]:7443,https://a.example,10.0.0.1:6443" },
      { kind: "token", addresses: ["https://10.0.0.1:6443", "https://[::1]:7443", "https://a.example:443"] },
    ],
    "kubeadm's discovery token and pins, with another token for the identity": [
      { discoveryToken: token, token: "ffffff.0123456789abcdef", address: "a", caCertHashes: [pin.toUpperCase()] },
      { kind: "token", token: parsed, caPins: [pin] },
    ],
    "a file, with a token for the identity": [
      { clusterInfoFile: "a.yaml", token },
      { kind: "file", path: "a.yaml", withCredentials: false },
    ],
    "standard input": [{ clusterInfoFile: "-" }, { kind: "file", path: "-" }],
    "kubeadm's file": [
      { discoveryFile: "a.yaml", withCredentials: true },
      { kind: "file", path: "a.yaml", withCredentials: true },
    ],
    "kubeadm's file that is a URL": [
      { discoveryFile: "https://a.example/x" },
      { kind: "url", url: "https://a.example/x" },
    ],
    "a URL with a query and a header file": [
      { clusterInfoUrl: "https://a.example/x.yaml?v=1#top", clusterInfoHeaderFile: "h", clusterId: "id-1" },
      { kind: "url", url: "https://a.example/x.yaml?v=1", headerFile: "h", clusterId: "id-1" },
    ],
  };
  for (const [sentence, [words, method]] of Object.entries(accepted)) {
    it(`may be ${sentence}`, () => expect(parseDiscoveryMethod(words)).toMatchObject(method));
  }

  it("may be none, for a command that knows another way", () => {
    expect(findDiscoveryMethod({ token })).toBeUndefined();
    expect(() => parseDiscoveryMethod({ token })).toThrow("no way to find the cluster");
  });

  const refused: Record<string, [DiscoveryWords, string]> = {
    "two documents": [{ clusterInfoFile: "a", clusterInfoUrl: "https://a" }, "exclude each other"],
    "a document and an address": [{ clusterInfoFile: "a", address: "b", token }, "exclude each other"],
    "a document and a discovery token": [{ discoveryFile: "a", discoveryToken: token }, "exclude each other"],
    "an address without a token": [{ address: "a" }, "needs a token"],
    "a discovery token without an address": [{ discoveryToken: token }, "needs the address"],
    "a header file without a URL": [{ token, address: "a", clusterInfoHeaderFile: "h" }, "needs --cluster-info-url"],
    "a URL that anybody could change": [{ clusterInfoUrl: "http://a.example/x" }, "is not https"],
    "a URL with a password": [{ clusterInfoUrl: "https://me:hunter2@a.example/x" }, "carries a password"],
    "a URL that is none": [{ discoveryFile: "https://" }, "cannot be read"],
    "a token that is none": [{ token: "hunter2", address: "a" }, "not of the form"],
    "a pin that is none": [{ token, address: "a", caCertHashes: ["sha1:00"] }, "is not sha256:"],
    "an id that no cluster has": [{ token, address: "a", clusterId: "a b" }, "cluster id"],
    "the token in the place of the address": [{ token, address: token }, "endpoint is a bootstrap token"],
    "too many addresses": [{ token, address: Array.from({ length: 17 }, (_, at) => `h${at}`).join() }, "more than 16"],
  };
  for (const [sentence, [words, message]] of Object.entries(refused)) {
    it(`may not be ${sentence}`, () => {
      expect(() => parseDiscoveryMethod(words)).toThrow(message);
      expect(() => parseDiscoveryMethod(words)).not.toThrow(/hunter2|faddc87f5a5ab458/);
    });
  }
});
