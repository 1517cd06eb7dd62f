import { describe, expect, it } from "vitest";
import { readJoinPolicy } from "./index.ts";
import type { JoinPolicySpec } from "./join-policy.ts";

const read = (spec: unknown) => readJoinPolicy({ metadata: { name: "p" }, spec });

describe("readJoinPolicy", () => {
  it("has careful defaults: evidence for clients, the Machine's addresses for servers", () => {
    const policy = read({ mode: "Enforce" });
    expect(policy.signers).toBeUndefined();
    expect(policy).toMatchObject({
      name: "p",
      mode: "Enforce",
      client: { admit: "Evidence", joinWindowSeconds: 7_200, clockSkewSeconds: 10, requesters: [] },
      serving: {
        approve: true,
        renewal: "Refuse",
        evidence: "Optional",
        inventory: { machineAddresses: true, nodeAddresses: false, dns: false, ipPrefixes: [], allow: [] },
      },
      disabledRules: [],
    });
  });

  it("takes an inventory that is written as it is written, and no more", () => {
    const { serving } = read({ mode: "Shadow", serving: { inventory: { nodeAddresses: true } } });
    expect(serving.inventory).toMatchObject({ machineAddresses: false, nodeAddresses: true });
  });

  it("reads everything a policy can say", () => {
    const spec: JoinPolicySpec = {
      mode: "Enforce",
      signers: ["kubernetes.io/kubelet-serving"],
      nodeNames: "worker-\\d+",
      client: {
        admit: "Machine",
        requesters: ["boot"],
        joinWindowSeconds: 60,
        clockSkewSeconds: 0,
        maxExpirationSeconds: 600,
      },
      serving: {
        inventory: {
          ipPrefixes: ["10.0.0.0/8", "fd00::/8"],
          dnsPattern: "{node}\\.example\\.com",
          allow: [{ nodeNames: "a", names: ["b"] }],
        },
        renewal: "Allow",
        maxNames: 4,
      },
      machines: { clusterName: "c", namespace: "n", nameFrom: ["Hostname"], nodeNameTemplate: "{machine}-[a-z]{3}" },
      limits: { pendingPerRequester: 5, newIdentitiesPerHour: 6 },
      attestation: {
        providers: ["tpm"],
        previousCredential: "Refuse",
        tpm: {
          endorsementKeys: ["ab".repeat(32)],
          revocationLists: "-----BEGIN X509 CRL-----",
          clockRegression: "Warn",
          pcrs: { rule: "Match", allowed: [{ index: 0, values: ["cd".repeat(32)] }] },
        },
      },
      disabledRules: ["node-name-is-valid"],
    };
    expect(read(spec)).toMatchObject({
      nodeNames: { text: "worker-\\d+" },
      client: { admit: "Machine", joinWindowSeconds: 60, clockSkewSeconds: 0 },
      machines: { nameFrom: ["Hostname"] },
      limits: { pendingPerRequester: 5 },
      attestation: { providers: ["tpm"] },
    });
  });

  it.each<[string, unknown, string]>([
    ["no mode", {}, "spec.mode is missing"],
    ["an unknown mode", { mode: "Maybe" }, 'spec.mode is "Maybe", expected one of Shadow, Enforce'],
    ["a wrong kind of value", { mode: "Shadow", client: "x" }, "spec.client is"],
    [
      "a number out of range",
      { mode: "Shadow", client: { joinWindowSeconds: 0 } },
      "spec.client.joinWindowSeconds is 0",
    ],
    ["a pattern that is none", { mode: "Shadow", nodeNames: "(" }, "spec.nodeNames is not a pattern"],
    [
      "a network that is none",
      { mode: "Shadow", serving: { inventory: { ipPrefixes: ["10.0.0.0/33"] } } },
      "ipPrefixes[0]",
    ],
    [
      "a digest that is none",
      { mode: "Shadow", attestation: { tpm: { endorsementKeys: ["AB"] } } },
      "endorsementKeys[0]",
    ],
    ["a list that is none", { mode: "Shadow", signers: "x" }, "spec.signers is"],
    ["an empty word", { mode: "Shadow", disabledRules: [""] }, "spec.disabledRules[0]"],
  ])("refuses %s and names the field", (_, spec, message) => {
    expect(() => read(spec)).toThrow(
      expect.objectContaining({ code: "invalid", message: expect.stringContaining(message) }),
    );
  });
});
