import { describe, expect, it } from "vitest";
import {
  anExchange,
  anObject,
  helloFacts,
  NODE,
  NOW_MS,
  PROOF_UID,
  someClaims,
  TOKEN,
} from "../../../../test/builders/exchange.ts";
import type { NodeIdentity } from "../../../api/countersign/index.ts";
import { encodeHex } from "../../../kernel/bytes/index.ts";
import { sha256 } from "../../../kernel/crypto/index.ts";
import { generatePrivateKey } from "../../../platform/keys/index.ts";
import { type Claims, draftRequest, finishRequest } from "../../evidence/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { readEvidence } from "../reading.ts";
import { judgeInsecure } from "./index.ts";

const SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-insecure";
const protocol = { provider: "insecure", version: 1 };
const key = generatePrivateKey("P-256").signer;

function facts(claims: Partial<Claims> = {}, overrides: Partial<EvidenceFacts> = {}): EvidenceFacts {
  const full = someClaims({ signer: SIGNER, offered: ["insecure/1"], ...claims });
  const draft = draftRequest({ step: "single", claims: full, protocol, key, names: { dnsNames: [NODE] } });
  const object = anObject(finishRequest(draft, { body: { kind: "insecure" } }), PROOF_UID, TOKEN);
  const reading = readEvidence(object.request, { signerProvider: "insecure", recipients: [] });
  const common = helloFacts(anExchange());
  const cluster = {
    ...common.cluster,
    servedSigners: [SIGNER, "cluster.x-k8s.io/kubelet-serving-insecure"],
    supported: [protocol],
    authorizedProviders: ["insecure"],
  };
  return { ...common, object, reading, cluster, ...overrides };
}

function letIn(spkiSha256: string, attestedAt = NOW_MS - 60_000): EvidenceFacts["identity"] {
  const status = {
    phase: "Active",
    provider: "insecure",
    spkiSha256,
    attestedAt: new Date(attestedAt).toISOString(),
  } as const;
  const value: NodeIdentity = { apiVersion: "", kind: "", metadata: {}, spec: { nodeName: NODE }, status };
  return { kind: "Present", value };
}
const own = encodeHex(sha256(key.publicKey));

describe("the insecure provider", () => {
  it("is let in once, where the cluster says so, and called what it is", () => {
    const { verdict } = judgeInsecure(facts());
    expect([verdict.kind, verdict.reason]).toEqual(["Allow", "Unattested"]);
    expect(verdict.message).toContain("level Unattested");
  });

  it("may ask again with the same key within the hour", () => {
    expect(judgeInsecure(facts({}, { identity: letIn(own) })).verdict.kind).toBe("Allow");
  });

  const refused: Readonly<Record<string, [() => EvidenceFacts, string]>> = {
    "where nobody authorized it": [
      () => {
        const given = facts();
        return { ...given, cluster: { ...given.cluster, authorizedProviders: undefined } };
      },
      "ProviderNotAuthorized",
    ],
    "a second key": [() => facts({}, { identity: letIn("00".repeat(32)) }), "FirstUseSpent"],
    "the same key after an hour": [() => facts({}, { identity: letIn(own, NOW_MS - 3_700_000) }), "FirstUseSpent"],
    "a renewal": [() => facts({ intent: "renew" }), "ProviderCannotRenew"],
    "a serving certificate": [
      () => facts({ purpose: "serving", signer: "cluster.x-k8s.io/kubelet-serving-insecure" }),
      "ProviderCannotServe",
    ],
    "the name of a registered node": [
      () => facts({}, { node: { kind: "Present", value: { uid: "n" } } }),
      "NodeNameTaken",
    ],
    "a node that a TPM attested before": [
      () => {
        const identity = letIn(own);
        if (identity.kind !== "Present") throw new Error("absent");
        const value = { ...identity.value, status: { ...identity.value.status, provider: "tpm" } };
        return facts({}, { identity: { kind: "Present", value } });
      },
      "ProviderChanged",
    ],
    "a node that an operator opened for one TPM": [
      () => {
        const identity = letIn(own);
        if (identity.kind !== "Present") throw new Error("absent");
        const reset = { until: new Date(NOW_MS + 60_000).toISOString(), ekSpkiSha256: "00".repeat(32) };
        const value = { ...identity.value, spec: { nodeName: NODE, reset } };
        return facts({}, { identity: { kind: "Present", value } });
      },
      "ProviderChanged",
    ],
  };
  it.each(Object.entries(refused))("is refused %s", (_, [given, reason]) => {
    expect(judgeInsecure(given()).verdict.reason).toBe(reason);
  });
});
