// How a new provider is shown to be right: a world of one machine, the conformance suite in it, and an attacker.

export function world(name: string): string {
  return `// One machine and what the platform knows of it, in a temporary folder. \`npm run conformance\` runs the suite in this world.
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Conformance } from "@countersign/sdk";
import { createProvider } from "./node.ts";
import { createVerifier } from "./verifier.ts";

const folder = mkdtempSync(join(tmpdir(), "${name}-"));
const machinesFile = join(folder, "machines.json");

/** A machine's end with a key of its own; enrolled: the platform knows it. */
export function aMachine(machine: string, enrolled: boolean) {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const keyFile = join(folder, \`\${machine}.pem\`);
  writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  const entry = { key: publicKey.export({ type: "spki", format: "pem" }), names: [\`\${machine}.example\`] };
  if (enrolled) writeFileSync(machinesFile, JSON.stringify({ [machine]: entry }));
  return createProvider({ machine, keyFile });
}

export const conformance: Conformance = {
  provider: aMachine("one", true),
  verifier: createVerifier({ machinesFile }),
  servingNames: ["one.example"],
};

export function end(): void {
  rmSync(folder, { recursive: true });
}
`;
}

export function test(name: string): string {
  return `// Conformance, and an attacker. Add one for each way in which your platform's proof could be borrowed.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { conformanceChecks, type EvidenceRequest, type Question } from "@countersign/sdk";
import { aMachine, conformance, end } from "./world.ts";

after(end);

for (const check of conformanceChecks(conformance)) test(check.name, () => check.run());

test("a machine with another key is refused", async () => {
  const signal = new AbortController().signal;
  const request: EvidenceRequest = {
    nodeName: "one",
    providerId: "${name}:///one",
    intent: "join",
    purpose: "client",
    signerName: "cluster.x-k8s.io/kube-apiserver-client-kubelet-${name}",
    cluster: "test",
    protocol: "${name}/1",
    publicKey: new Uint8Array(91),
    digest: new Uint8Array(32).fill(1),
  };
  const evidence = await aMachine("stranger", false).attest(request, { nodeName: "one", signal });
  const requester = { username: "system:bootstrap:abcdef", groups: ["system:bootstrappers"] };
  const base = { nowMs: Date.now(), hello: {}, requester, machine: undefined, pins: undefined, names: [] };
  const question: Question = { ...base, request, evidence };
  const { verifier } = conformance;
  const answer = verifier.verifyClient(question, await verifier.gather(question, { signal }));
  assert.equal(answer.kind === "Refused" && answer.reason, "SignatureInvalid");
});
`;
}
