// The sources of a new provider. As written it proves possession of a key in a file; an author puts the platform's
// proof in its place. First the machine's end, then the controller's, then its tests: one machine in a world of its own, the
// conformance suite there, and an attacker.

export function program(name: string): string {
  return `#!/usr/bin/env node
// kubelet-authenticator-${name}: the credential plugin that the kubelet starts. The provider is loaded only when it is needed.
import { runProviderAuthenticator } from "countersign/authenticator";

await runProviderAuthenticator({ name: "${name}", canRenew: true, load: () => import("../dist/node.js") });
`;
}

export function statement(name: string): string {
  return `// What is signed: the digest of request and challenge, behind words that no other use of the key begins with.

const CONTEXT = "countersign provider ${name} 1\\0";

export function statementOf(digest: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(CONTEXT, "utf8"), digest]);
}
`;
}

export function nodeSide(name: string): string {
  return `// The machine's end: which machine this is, and a proof of it that covers the digest.
//
// Settings: machine, its name; keyFile, its Ed25519 private key as PEM. Put your platform's identity and proof in their place.
import { createPrivateKey, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { encodeBytes, type JsonObject, type NodeProvider, textSetting } from "@countersign/sdk";
import { statementOf } from "./statement.ts";

export function createProvider(settings: JsonObject): NodeProvider {
  const machine = textSetting(settings, "machine");
  const keyFile = textSetting(settings, "keyFile");
  return {
    name: "${name}",
    contractVersion: 1,
    versions: [1],
    // The controller sends a nonce, which is in the digest. A proof with an end of its own is "time-limited" instead.
    freshness: "challenge",
    canRenew: true,
    canServe: true,
    providerId: async () => \`${name}:///\${machine}\`,
    attest: async ({ digest }, { signal }) => {
      const key = createPrivateKey(await readFile(keyFile, { encoding: "utf8", signal }));
      return { signature: encodeBytes(sign(null, statementOf(digest), key)) };
    },
  };
}
`;
}

export function verifierSide(name: string): string {
  return `// The controller's end: gather asks the platform (here: a file), the judges are pure and strict.
//
// Settings: machinesFile, JSON of machine to its public key (PEM) and names. Put your platform's answer in its place.
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Answer, bytesOf, exactly, type JsonObject, type Question, textSetting, type Verifier } from "@countersign/sdk";
import { statementOf } from "./statement.ts";

interface Machine {
  readonly key: string;
  readonly names: readonly string[];
}
type Machines = ReadonlyMap<string, Machine>;

export function createVerifier(settings: JsonObject): Verifier<Machines> {
  const machinesFile = textSetting(settings, "machinesFile");
  return {
    name: "${name}",
    contractVersion: 1,
    versions: [1],
    freshness: "challenge",
    gatherLimitMs: 2_000,
    gather: async (_, { signal }) => {
      const machines = JSON.parse(await readFile(machinesFile, { encoding: "utf8", signal })) as Record<string, Machine>;
      return new Map(Object.entries(machines));
    },
    verifyClient: judge,
    verifyServing: (question, machines) => judgeNames(question, machines) ?? judge(question, machines),
  };
}

function judge(question: Question, machines: Machines): Answer {
  const machine = machineOf(question, machines);
  if (machine === undefined) return refused("MachineUnknown", "the platform knows no machine of this provider ID");
  const signature = bytesOf(exactly(question.evidence, ["signature"])?.signature);
  if (signature === undefined) return refused("EvidenceMalformed", "evidence must be a signature in base64");
  const key = createPublicKey(machine.key);
  if (!verify(null, statementOf(question.request.digest), key, signature))
    return refused("SignatureInvalid", "the machine's key did not sign this exchange");
  const fingerprint = createHash("sha256").update(key.export({ type: "spki", format: "der" })).digest("hex");
  if (question.pins !== undefined && question.pins["key"] !== fingerprint)
    return refused("IdentityConflict", "the machine had another key before");
  return { kind: "Attested", level: "Key", pins: { key: fingerprint } };
}

function judgeNames(question: Question, machines: Machines): Answer | undefined {
  const own = machineOf(question, machines)?.names ?? [];
  const foreign = question.names.find((name) => !own.includes(name));
  return foreign === undefined ? undefined : refused("SanNotAllowed", \`the machine does not have the name \${foreign}\`);
}

function machineOf({ request }: Question, machines: Machines): Machine | undefined {
  const prefix = "${name}:///";
  return request.providerId.startsWith(prefix) ? machines.get(request.providerId.slice(prefix.length)) : undefined;
}

function refused(reason: string, message: string): Answer {
  return { kind: "Refused", reason, message };
}
`;
}

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
