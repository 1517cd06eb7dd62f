import { describe, expect, it } from "vitest";
import type { HealthFacts } from "./facts.ts";
import { type FindingState, isWell, judgeHealth, span } from "./judge.ts";

const HOUR_MS = 3_600_000;
const nowMs = Date.UTC(2026, 0, 1);

/** A node with which all is well. */
const well: HealthFacts = {
  nowMs,
  directory: "/var/lib/countersign",
  permissions: [],
  certificate: {
    kind: "present",
    nodeUser: "system:node:worker-1",
    notBeforeMs: nowMs - HOUR_MS,
    notAfterMs: nowMs + 9 * HOUR_MS,
    isSealed: false,
  },
  server: "https://api.example:6443",
  reach: { kind: "answers", serverMs: nowMs - 200 },
  identity: { kind: "Present", value: "system:node:worker-1" },
  hasBootstrap: false,
  bootstrap: { kind: "NotRead", why: "the API server was not asked" },
  pending: { kind: "Absent" },
  mayRequest: { kind: "Present", value: { user: "system:node:worker-1", allowed: true } },
};
/** One that has only begun to join. */
const begun: Partial<HealthFacts> = {
  certificate: { kind: "absent" },
  identity: { kind: "NotRead", why: "the API server was not asked" },
  hasBootstrap: true,
  bootstrap: { kind: "Present", value: "system:bootstrap:abcdef" },
};

const RESUME = "countersign node join --resume --directory /var/lib/countersign";
const plugin = { command: "kubelet-authenticator-tpm", path: undefined, calledBy: "/d/kubeconfig", isNeeded: true };

const find = (facts: Partial<HealthFacts>, check: string) =>
  judgeHealth({ ...well, ...facts }).find((finding) => finding.check === check);

describe("a check-up", () => {
  it("finds nothing wrong with a node that is well", () => {
    expect(isWell(judgeHealth(well))).toBe(true);
  });

  it("says who may not ask for certificates, and what to bind", () => {
    const value = { user: "system:bootstrap:abcdef", allowed: false };
    expect(find({ mayRequest: { kind: "Present", value } }, "rights")).toMatchObject({
      state: "failed",
      text: expect.stringContaining("system:bootstrap:abcdef may not create certificatesigningrequests"),
      todo: expect.stringContaining("system:node-bootstrapper"),
    });
    expect(find({}, "rights")).toMatchObject({ state: "ok" });
    expect(find({ mayRequest: { kind: "NotRead", why: "away" } }, "rights")).toMatchObject({ state: "none" });
  });

  it("says of a certificate that its key is sealed", () => {
    const { certificate } = well;
    if (certificate.kind !== "present") throw new TypeError("it is there");
    expect(find({ certificate: { ...certificate, isSealed: true } }, "certificate")).toMatchObject({
      state: "ok",
      text: expect.stringContaining("key sealed by the TPM"),
    });
    expect(find({}, "certificate")?.text).not.toContain("sealed");
  });

  it("does not call a node well that has no certificate, though nothing has failed", () => {
    const findings = judgeHealth({ ...well, ...begun });
    expect(findings.filter(({ state }) => state === "failed")).toEqual([]);
    expect(isWell(findings)).toBe(false);
    expect(find(begun, "certificate")?.todo).toBe(RESUME);
    expect(find({ ...begun, hasBootstrap: false }, "certificate")?.todo).toBe("countersign node join");
  });

  it("names the directory wherever a join is gone on with", () => {
    const dead = { ...begun, bootstrap: { kind: "Absent" } as const };
    const damaged = { certificate: { kind: "damaged", why: "empty" } } as const;
    expect(find(dead, "bootstrap token")?.todo).toContain(`then ${RESUME} --token-file FILE`);
    expect(find(damaged, "certificate")?.todo).toBe(`${RESUME} moves it aside`);
  });

  it("says where the plugin is, and what to do for a kubelet that would call one that is missing", () => {
    expect(find({}, "plugin")).toMatchObject({ state: "none", text: "no kubeconfig here calls one" });
    const found = { ...plugin, path: "/usr/local/bin/kubelet-authenticator-tpm" };
    expect(find({ plugin: found }, "plugin")).toEqual({
      check: "plugin",
      state: "ok",
      text: "kubelet-authenticator-tpm is /usr/local/bin/kubelet-authenticator-tpm",
    });
    const spare = { plugin: { ...plugin, isNeeded: false } };
    expect(find(spare, "plugin")).toMatchObject({ state: "none", todo: expect.stringContaining("/usr/local/bin") });
    expect(isWell(judgeHealth({ ...well, ...spare }))).toBe(true);
  });

  const examples: Record<string, [Partial<HealthFacts>, string, FindingState, RegExp]> = {
    "a directory that is not there": [{ permissions: undefined }, "directory", "failed", /is not there/],
    "a key that others can read": [{ permissions: ["/d/k has mode 0644"] }, "directory", "failed", /0644/],
    "a name that leads nowhere": [
      { reach: { kind: "no-name", host: "api.example", why: "ENOTFOUND" } },
      "name",
      "failed",
      /api\.example cannot be found/,
    ],
    "a server that does not answer": [
      { reach: { kind: "unreachable", why: "ECONNREFUSED" } },
      "API server",
      "failed",
      /ECONNREFUSED/,
    ],
    "a clock that is ahead": [
      { reach: { kind: "answers", serverMs: nowMs - 10 * 60_000 } },
      "clock",
      "failed",
      /10 minutes ahead/,
    ],
    "a clock that is behind, even of a stranger": [
      { reach: { kind: "untrusted", why: "certificate is not yet valid", serverMs: nowMs + 3 * HOUR_MS } },
      "clock",
      "failed",
      /3 hours behind/,
    ],
    "a server that another CA vouches for": [
      { reach: { kind: "untrusted", why: "self-signed certificate", serverMs: nowMs } },
      "CA",
      "failed",
      /does not vouch .*self-signed/,
    ],
    "a certificate that is over": [
      {
        certificate: {
          kind: "present",
          nodeUser: "u",
          notBeforeMs: 0,
          notAfterMs: nowMs - 12 * 60_000,
          isSealed: false,
        },
      },
      "certificate",
      "failed",
      /ended 12 minutes ago/,
    ],
    "a key that another TPM sealed": [
      { closedKey: { why: "this key was sealed by another TPM", todo: "join again" } },
      "identity",
      "failed",
      /the key does not open: this key was sealed by another TPM/,
    ],
    "a plugin that the node's kubeconfig calls and nobody finds": [
      { plugin },
      "plugin",
      "failed",
      /^kubelet-authenticator-tpm is not on this PATH, and \/d\/kubeconfig calls it$/,
    ],
    "a certificate that was not renewed": [
      {
        certificate: {
          kind: "present",
          nodeUser: "u",
          notBeforeMs: nowMs - 97 * HOUR_MS,
          notAfterMs: nowMs + 3 * HOUR_MS,
          isSealed: false,
        },
      },
      "certificate",
      "failed",
      /ends in 3 hours and was not renewed/,
    ],
    "a current file that nobody can use": [
      { certificate: { kind: "damaged", why: "the pair holds no certificate" } },
      "certificate",
      "failed",
      /unusable/,
    ],
    "a certificate that the server refuses": [{ identity: { kind: "Absent" } }, "identity", "failed", /401/],
    "a dead token of a node that still needs it": [
      { ...begun, bootstrap: { kind: "Absent" } },
      "bootstrap token",
      "failed",
      /expired or was deleted/,
    ],
    "a dead token of a node that needs none": [
      { hasBootstrap: true, bootstrap: { kind: "Absent" } },
      "bootstrap token",
      "none",
      /which is well/,
    ],
    "a request that waits, with its reason": [
      {
        pending: {
          kind: "Present",
          value: { name: "node-csr-1", state: { kind: "pending", approved: false, why: "machine-has-address: none" } },
        },
      },
      "pending CSR",
      "failed",
      /node-csr-1 waits: machine-has-address/,
    ],
    "a request that was denied": [
      {
        pending: {
          kind: "Present",
          value: { name: "c", state: { kind: "denied", why: "NoAttestation", said: { reason: "", message: "" } } },
        },
      },
      "pending CSR",
      "failed",
      /denied: NoAttestation/,
    ],
  };
  for (const [sentence, [facts, check, state, text]] of Object.entries(examples)) {
    it(`names ${sentence}${state === "failed" ? ", and what to do" : ""}`, () => {
      const finding = find(facts, check);
      expect(finding).toMatchObject({ state, text: expect.stringMatching(text) });
      expect(finding?.todo === undefined).toBe(state !== "failed");
      if (state === "failed") expect(isWell(judgeHealth({ ...well, ...facts }))).toBe(false);
    });
  }

  it("says spans in the unit that a person would use", () => {
    expect([300, 59_000, 119_000, 7_200_000, 3 * 86_400_000].map(span)).toEqual([
      "0.3 s",
      "59 s",
      "119 s",
      "2 hours",
      "3 days",
    ]);
  });
});
