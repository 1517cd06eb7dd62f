// Conformance, and what an attacker tries: another machine's key, an old answer, a key that was never enrolled.
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conformanceChecks, type EvidenceRequest, type Question } from "@countersign/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProvider } from "./node.ts";
import { createVerifier } from "./verifier.ts";

const folder = mkdtempSync(join(tmpdir(), "machine-key-"));
const enrolledFile = join(folder, "enrolled.json");
const signal = new AbortController().signal;
const keys = { "rack-7": generateKeyPairSync("ed25519"), "rack-8": generateKeyPairSync("ed25519") };
const publicPem = ({ publicKey }: (typeof keys)["rack-7"]) =>
  publicKey.export({ type: "spki", format: "pem" }).toString();
const enrol = (content: unknown) => writeFileSync(enrolledFile, JSON.stringify(content));
const entry = (machine: keyof typeof keys) => ({ key: publicPem(keys[machine]), names: [`${machine}.example`] });

function keyFile(name: string, { privateKey } = generateKeyPairSync("ed25519")): string {
  const path = join(folder, `${name}.pem`);
  writeFileSync(path, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  return path;
}

beforeAll(() => enrol({ "rack-7": entry("rack-7"), "rack-8": entry("rack-8") }));
afterAll(() => rmSync(folder, { recursive: true }));

const verifier = createVerifier({ enrolledFile });
const rack7 = createProvider({ machine: "rack-7", keyFile: keyFile("rack-7", keys["rack-7"]) });
const rack8 = createProvider({ machine: "rack-8", keyFile: keyFile("rack-8", keys["rack-8"]) });

describe("machine-key conforms", () => {
  const checks = conformanceChecks({ provider: rack7, verifier, servingNames: ["rack-7.example"] });
  it.each(checks.map((check) => [check.name, check] as const))("%s", (_, check) => check.run());
});

function aRequest(overrides: Partial<EvidenceRequest> = {}): EvidenceRequest {
  return {
    nodeName: "rack-7",
    providerId: "machine-key:///rack-7",
    intent: "join",
    purpose: "client",
    signerName: "cluster.x-k8s.io/kube-apiserver-client-kubelet-machine-key",
    cluster: "prod",
    protocol: "machine-key/1",
    publicKey: new Uint8Array(91),
    digest: new Uint8Array(32).fill(1),
    ...overrides,
  };
}

async function ask(from: typeof rack7, proven: EvidenceRequest, asked = proven, more: Partial<Question> = {}) {
  const evidence = await from.attest(proven, { nodeName: proven.nodeName, signal });
  const requester = { username: "system:bootstrap:abcdef", groups: ["system:bootstrappers"] };
  const base = { nowMs: 0, hello: {}, requester, machine: undefined, pins: undefined, names: [] };
  const question: Question = { ...base, request: asked, evidence, ...more };
  const facts = await verifier.gather(question, { signal });
  return asked.purpose === "client" ? verifier.verifyClient(question, facts) : verifier.verifyServing(question, facts);
}
const refusal = (reason: string) => ({ kind: "Refused", reason });

describe("an attacker", () => {
  it("is not needed for the good case", async () => {
    expect(await ask(rack7, aRequest())).toMatchObject({ kind: "Attested", level: "EnrolledKey" });
  });

  it("replays an old answer under a new challenge", async () => {
    const next = aRequest({ digest: new Uint8Array(32).fill(2) });
    expect(await ask(rack7, aRequest(), next)).toMatchObject(refusal("SignatureInvalid"));
  });

  it("has a machine of its own, and asks for another one's name", async () => {
    expect(await ask(rack8, aRequest())).toMatchObject(refusal("SignatureInvalid"));
  });

  it("has a key that was never enrolled", async () => {
    const own = createProvider({ machine: "rack-7", keyFile: keyFile("stranger") });
    expect(await ask(own, aRequest())).toMatchObject(refusal("SignatureInvalid"));
  });

  const unknown = ["machine-key:///rack-9", "machine-key:///__proto__", "aws:///rack-7", "machine-key:///", ""];
  it.each(unknown)("asks as a machine that nobody enrolled: %j", async (providerId) => {
    expect(await ask(rack7, aRequest({ providerId }))).toMatchObject(refusal("MachineNotEnrolled"));
  });

  it("gets its own key enrolled for a machine that was attested before", async () => {
    const first = await ask(rack7, aRequest());
    const pins = first.kind === "Attested" ? first.pins : {};
    enrol({ "rack-7": { ...entry("rack-8"), names: [] } });
    expect(await ask(rack8, aRequest(), aRequest(), { pins })).toMatchObject(refusal("IdentityConflict"));
    enrol({ "rack-7": entry("rack-7"), "rack-8": entry("rack-8") });
  });

  it("wants to answer under a name that is not its own", async () => {
    const serving = aRequest({ purpose: "serving", intent: "renew" });
    expect(await ask(rack7, serving, serving, { names: ["rack-8.example"] })).toMatchObject(refusal("SanNotAllowed"));
    expect(await ask(rack7, serving, serving, { names: ["rack-7.example"] })).toMatchObject({ kind: "Attested" });
  });

  it("finds no way in through a list that is damaged", async () => {
    for (const content of [
      { "rack-7": {} },
      { "rack-7": { key: "x", names: [] } },
      { "rack-7": { ...entry("rack-7"), x: 1 } },
    ]) {
      enrol(content);
      await expect(ask(rack7, aRequest())).rejects.toThrow();
    }
    enrol({ "rack-7": entry("rack-7") });
  });
});

describe("settings", () => {
  it("are named where they are wrong", async () => {
    expect(() => createProvider({ machine: "Rack 7", keyFile: "k" })).toThrow("machine");
    expect(() => createProvider({ machine: "rack-7" })).toThrow("keyFile");
    expect(() => createVerifier({})).toThrow("enrolledFile");
    const rsa = keyFile("rsa", generateKeyPairSync("rsa", { modulusLength: 2048 }) as never);
    const wrong = createProvider({ machine: "rack-7", keyFile: rsa });
    await expect(wrong.attest(aRequest(), { nodeName: "rack-7", signal })).rejects.toThrow("Ed25519");
  });
});
