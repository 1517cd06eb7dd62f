import { describe, expect, it } from "vitest";
import type { CertificateVerdict } from "../api/access/index.ts";
import { judgeRequest, type RequestFacts } from "./judge.ts";

const KEY = { token: { id: "abcdef", secret: "0123456789abcdef" }, jwt: "eyJ.e30.x" };
const CLUSTER_INFO = "/api/v1/namespaces/kube-public/configmaps/cluster-info";
const user = (username: string, groups: readonly string[] = []): CertificateVerdict => ({
  kind: "user",
  user: { username, groups },
  untilMs: 1,
});
const facts = (more: Partial<RequestFacts> = {}): RequestFacts => ({
  method: "GET",
  target: CLUSTER_INFO,
  headers: {},
  certificate: { kind: "none" },
  hasBearerToken: false,
  discoveryKey: undefined,
  ...more,
});
const refused: CertificateVerdict = { kind: "refused", reason: "expired" };

describe("what becomes of a request", () => {
  it.each<[string, Partial<RequestFacts>, object]>([
    ["nobody passes", {}, { kind: "pass", identity: "anonymous" }],
    ["a token passes", { hasBearerToken: true }, { kind: "pass", identity: "token" }],
    ["a certificate is spoken for", { certificate: user("ann") }, { kind: "speak", user: { username: "ann" } }],
    [
      "a certificate goes before a token and a JWT",
      { certificate: user("ann"), hasBearerToken: true, discoveryKey: KEY },
      { kind: "speak", identity: "certificate" },
    ],
    ["a bad certificate is refused", { certificate: refused }, { kind: "refuse", status: 401 }],
    ["a token beside a bad certificate passes", { certificate: refused, hasBearerToken: true }, { kind: "pass" }],
    [
      "a JWT is spoken for, and answered with its key",
      { hasBearerToken: true, discoveryKey: KEY },
      { kind: "speak", user: { username: "countersign:discovery:abcdef" }, replyKey: KEY },
    ],
    [
      "a JWT for anything else is refused, and not passed on as a token",
      { method: "POST", hasBearerToken: true, discoveryKey: KEY },
      { kind: "refuse", status: 403 },
    ],
    [
      "a JWT for another object of kube-public is refused",
      { target: "/apis/tenant.example/v1/namespaces/kube-public/configs/x", hasBearerToken: true, discoveryKey: KEY },
      { kind: "refuse", status: 403 },
    ],
  ])("%s", (_what, more, route) => {
    expect(judgeRequest(facts(more))).toMatchObject(route);
  });

  it.each([
    ["a\r\nX-Remote-Group: b", []],
    [" a", []],
    ["a", ["b "]],
    ["a", ["\u007f"]],
  ])("a certificate of %j and %j is refused: a header would change it", (name, groups) => {
    expect(judgeRequest(facts({ certificate: user(name, groups) }))).toMatchObject({ kind: "refuse", status: 401 });
  });
});
