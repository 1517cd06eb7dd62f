// Requests of the provider that proves nothing, each spoiled in one place, and the reason with which it is refused. For
// the tests of the rules, and for the list of all reasons that there are.

import { signersOfProvider } from "../../../src/api/certificates/index.ts";
import type { NodeIdentity } from "../../../src/api/countersign/index.ts";
import { draftRequest, finishRequest, type Statement } from "../../../src/attestation/evidence/index.ts";
import { type EvidenceFacts, readEvidence } from "../../../src/attestation/rules/index.ts";
import { encodeHex } from "../../../src/kernel/bytes/index.ts";
import { sha256 } from "../../../src/kernel/crypto/index.ts";
import { generatePrivateKey } from "../../../src/platform/keys/index.ts";
import { anExchange, anObject, helloFacts, NODE, NOW_MS, PROOF_UID, someStatement, TOKEN } from "../exchange.ts";

const [SIGNER, SERVING_SIGNER] = signersOfProvider("insecure");
const protocol = { provider: "insecure", version: 1 };
const key = generatePrivateKey("P-256").signer;

export function facts(statement: Partial<Statement> = {}, overrides: Partial<EvidenceFacts> = {}): EvidenceFacts {
  const full = someStatement({ signer: SIGNER, offered: ["insecure/1"], ...statement });
  const draft = draftRequest({ step: "single", statement: full, protocol, key, names: { dnsNames: [NODE] } });
  const object = anObject(finishRequest(draft, { body: { kind: "insecure" } }), PROOF_UID, TOKEN);
  const reading = readEvidence(object.request, { signerProvider: "insecure", recipients: [] });
  const common = helloFacts(anExchange());
  const cluster = {
    ...common.cluster,
    servedSigners: [SIGNER, SERVING_SIGNER],
    supported: [protocol],
    authorizedProviders: ["insecure"],
  };
  return { ...common, object, reading, cluster, ...overrides };
}

export function letIn(spkiSha256: string, attestedAt = NOW_MS - 60_000): EvidenceFacts["identity"] {
  const status = {
    phase: "Active",
    provider: "insecure",
    spkiSha256,
    attestedAt: new Date(attestedAt).toISOString(),
  } as const;
  const value: NodeIdentity = { apiVersion: "", kind: "", metadata: {}, spec: { nodeName: NODE }, status };
  return { kind: "Present", value };
}
export const own = encodeHex(sha256(key.publicKey));

const held: EvidenceFacts["machineHolders"] = { kind: "Present", value: [{ node: "worker-2", isProven: true }] };

function enrolledBy(spec: Partial<NodeIdentity["spec"]>): NodeIdentity {
  return { apiVersion: "", kind: "", metadata: {}, spec: { nodeName: NODE, ...spec } };
}

export const INSECURE_REFUSALS: Readonly<Record<string, [() => EvidenceFacts, string]>> = {
  "where nobody authorized it": [
    () => {
      const given = facts();
      return { ...given, cluster: { ...given.cluster, authorizedProviders: ["tpm"] } };
    },
    "ProviderNotAuthorized",
  ],
  "a second key": [() => facts({}, { identity: letIn("00".repeat(32)) }), "FirstUseSpent"],
  "the same key after an hour": [() => facts({}, { identity: letIn(own, NOW_MS - 3_700_000) }), "FirstUseSpent"],
  "a renewal": [() => facts({ intent: "renew" }), "ProviderCannotRenew"],
  "a serving certificate": [() => facts({ purpose: "serving", signer: SERVING_SIGNER }), "ProviderCannotServe"],
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
  "a node that an operator enrolled by its name": [
    () => facts({}, { identity: { kind: "Present", value: enrolledBy({}) } }),
    "EvidenceRequired",
  ],
  "a node that an operator enrolled by its provider ID": [
    () => facts({}, { identity: { kind: "Present", value: enrolledBy({ providerId: someStatement().providerId }) } }),
    "EvidenceRequired",
  ],
  "a node that an operator enrolled by its TPM since it was let in": [
    () => {
      const identity = letIn(own);
      if (identity.kind !== "Present") throw new Error("absent");
      const { spec } = enrolledBy({ tpm: { ek: { spkiSha256: "00".repeat(32) } } });
      return facts({}, { identity: { kind: "Present", value: { ...identity.value, spec } } });
    },
    "EvidenceRequired",
  ],
  "a node that a TPM attested before and an operator opened": [
    () => {
      const reset = { until: new Date(NOW_MS + 60_000).toISOString() };
      const value = { ...enrolledBy({ reset }), status: { phase: "Active", provider: "tpm" } } as const;
      return facts({}, { identity: { kind: "Present", value } });
    },
    "EvidenceRequired",
  ],
  "the provider ID of another node": [
    () => facts({}, { machines: { kind: "Absent" }, mayJoinUnenrolled: true, machineHolders: held }),
    "MachineMismatch",
  ],
  "a node that an operator enrolled by its TPM": [
    () => {
      const spec = { nodeName: NODE, tpm: { ek: { spkiSha256: "00".repeat(32) } } };
      return facts({}, { identity: { kind: "Present", value: { apiVersion: "", kind: "", metadata: {}, spec } } });
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
