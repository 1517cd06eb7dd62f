// Conformance with SVIDs of each key type, and what an attacker tries: another node's SVID, a workload's, one of
// another trust domain, an expired one, an old answer, a varied signature.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conformanceChecks, type EvidenceRequest, type JsonObject, type Question } from "@countersign/sdk";
import { afterAll, describe, expect, it } from "vitest";
import { encodePem } from "../../../src/kernel/pem/index.ts";
import { EKU_CLIENT_AUTH, extKeyUsageExtension, subjectAltNameExtension } from "../../../src/kernel/x509/index.ts";
import { generatePrivateKey } from "../../../src/platform/keys/index.ts";
import { aLeaf, anIntermediate, aRoot, type Holder, TEST_NOW_MS } from "../../../test/builders/x509.ts";
import { createProvider } from "./node.ts";
import { parseSpiffeId } from "./svid.ts";
import { createVerifier } from "./verifier.ts";

const folder = mkdtempSync(join(tmpdir(), "spiffe-"));
afterAll(() => rmSync(folder, { recursive: true }));
const signal = new AbortController().signal;
const HOUR_MS = 3_600_000;
const ID = "spiffe://example.org/node/worker-1";
const pemOf = ({ certificate }: Holder) => encodePem("CERTIFICATE", certificate.raw);

const root = aRoot();
const intermediate = anIntermediate(root);
const bundleFile = join(folder, "bundle.pem");
writeFileSync(bundleFile, pemOf(root));
const verifier = createVerifier({ trustDomain: "example.org", bundleFile });

interface SvidOptions {
  readonly uris?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly kind?: "P-256" | "P-384" | "RSA-2048" | "Ed25519";
  readonly issuer?: Holder;
  readonly notAfterMs?: number;
  /** In place of the SVID's own key. */
  readonly otherKey?: boolean;
}

let count = 0;
/** A machine whose agent has written this SVID. */
function aMachine({ uris = [ID], dnsNames = [], kind = "P-256", issuer = intermediate, ...more }: SvidOptions = {}) {
  const key = generatePrivateKey(kind);
  const extensions = [subjectAltNameExtension({ uris, dnsNames }), extKeyUsageExtension([EKU_CLIENT_AUTH])];
  const svid = aLeaf(issuer, { key, extensions, notAfterMs: more.notAfterMs ?? TEST_NOW_MS + HOUR_MS });
  const [svidFile, keyFile] = [join(folder, `svid-${count}.pem`), join(folder, `key-${count++}.pem`)];
  writeFileSync(svidFile, pemOf(svid) + (issuer === intermediate ? pemOf(intermediate) : ""));
  writeFileSync(keyFile, (more.otherKey ? generatePrivateKey(kind) : key).encodePem(), { mode: 0o600 });
  return createProvider({ svidFile, keyFile });
}

const machine = {
  namespace: "default",
  name: "worker-1",
  uid: "u",
  providerId: ID,
  createdMs: TEST_NOW_MS,
  addresses: [{ type: "InternalDNS", address: "worker-1.example" }],
};

describe.each(["P-256", "P-384", "RSA-2048"] as const)("spiffe conforms with SVIDs of %s", (kind) => {
  const input = {
    provider: aMachine({ kind }),
    verifier,
    nodeName: "worker-1",
    machine,
    servingNames: ["worker-1.example"],
    nowMs: () => TEST_NOW_MS,
  };
  it.each(conformanceChecks(input).map((check) => [check.name, check] as const))("%s", (_, check) => check.run());
});

function aRequest(overrides: Partial<EvidenceRequest> = {}): EvidenceRequest {
  return {
    nodeName: "worker-1",
    providerId: ID,
    intent: "join",
    purpose: "client",
    signerName: "cluster.x-k8s.io/kube-apiserver-client-kubelet-spiffe",
    cluster: "prod",
    protocol: "spiffe/1",
    publicKey: new Uint8Array(91),
    digest: new Uint8Array(32).fill(1),
    ...overrides,
  };
}

const evidenceOf = (from: ReturnType<typeof aMachine>, request = aRequest()) =>
  from.attest(request, { nodeName: request.nodeName, signal });

async function judge(evidence: JsonObject, request = aRequest(), more: Partial<Question> = {}) {
  const requester = { username: "system:bootstrap:abcdef", groups: ["system:bootstrappers"] };
  const base = { nowMs: TEST_NOW_MS, hello: {}, requester, machine, pins: undefined, names: [] };
  const question: Question = { ...base, request, evidence, ...more };
  return verifier.verifyClient(question, await verifier.gather(question, { signal }));
}
const refusal = (reason: string) => ({ kind: "Refused", reason });

describe("an attacker", () => {
  it("is not needed for the good case, with names of other kinds in the SVID too", async () => {
    expect(await judge(await evidenceOf(aMachine({ dnsNames: ["w.example"] })))).toMatchObject({ kind: "Attested" });
    expect(await judge(await evidenceOf(aMachine({ issuer: root })))).toMatchObject({ pins: { spiffeId: ID } });
  });

  it("replays an old answer under a new challenge", async () => {
    const next = aRequest({ digest: new Uint8Array(32).fill(2) });
    expect(await judge(await evidenceOf(aMachine()), next)).toMatchObject(refusal("SignatureInvalid"));
  });

  it("copies an answer and varies its signature", async () => {
    const evidence = await evidenceOf(aMachine());
    const signature = Buffer.from(String(evidence["signature"]), "base64");
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const s = order - BigInt(`0x${signature.subarray(32).toString("hex")}`);
    const varied = Buffer.concat([signature.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, "0"), "hex")]);
    const answer = await judge({ ...evidence, signature: varied.toString("base64") });
    expect(answer).toMatchObject(refusal("SignatureInvalid"));
  });

  const wrongSvids: Readonly<Record<string, [SvidOptions, string]>> = {
    "another node's SVID": [{ uris: ["spiffe://example.org/node/worker-2"] }, "SvidOfAnother"],
    "a workload's SVID": [{ uris: ["spiffe://example.org/ns/default/sa/web"] }, "SvidOfAnother"],
    "an SVID of another trust domain": [{ uris: ["spiffe://evil.org/node/worker-1"] }, "SvidOfAnother"],
    "an SVID with two URIs": [{ uris: [ID, "spiffe://example.org/node/worker-2"] }, "SvidOfAnother"],
    "a URI that is no SPIFFE ID": [{ uris: ["https://example.org/node/worker-1"] }, "SvidOfAnother"],
    "a DNS name with the ID in it": [{ uris: [], dnsNames: [`x, URI:${ID}`] }, "SvidOfAnother"],
    "an SVID of its own authority": [{ issuer: aRoot() }, "SvidUntrusted"],
    "an SVID that has expired": [{ notAfterMs: TEST_NOW_MS - 1_000 }, "SvidUntrusted"],
    "an SVID signed by an SVID": [{ issuer: aLeaf(root) }, "SvidUntrusted"],
  };
  it.each(Object.entries(wrongSvids))("shows %s", async (_, [svid, reason]) => {
    expect(await judge(await evidenceOf(aMachine(svid)))).toMatchObject(refusal(reason));
  });

  it("has a victim's SVID, which everybody can read, and not its key", async () => {
    const victim = await evidenceOf(aMachine());
    const own = await evidenceOf(aMachine({ uris: ["spiffe://example.org/node/worker-2"] }));
    const mixed = { chain: victim["chain"] ?? [], signature: own["signature"] ?? "" };
    expect(await judge(mixed)).toMatchObject(refusal("SignatureInvalid"));
    await expect(evidenceOf(aMachine({ otherKey: true }))).rejects.toThrow("is not the key of");
  });

  it("sends a chain that is too long, empty, or has something behind a certificate", async () => {
    const evidence = await evidenceOf(aMachine({ issuer: root }));
    const [leaf = ""] = evidence["chain"] as string[];
    const padded = Buffer.concat([Buffer.from(leaf, "base64"), Buffer.alloc(3)]).toString("base64");
    for (const chain of [[], Array(6).fill(leaf), [padded]])
      expect(await judge({ ...evidence, chain })).toMatchObject(refusal("EvidenceMalformed"));
  });

  it("asks for a provider ID that is not the SVID's", async () => {
    const request = aRequest({ providerId: "spiffe://example.org/node/worker-2" });
    expect(await judge(await evidenceOf(aMachine(), request), request)).toMatchObject(refusal("SvidOfAnother"));
  });

  it("is stopped by a pin of the time before", async () => {
    const pins = { spiffeId: "spiffe://example.org/node/other" };
    expect(await judge(await evidenceOf(aMachine()), aRequest(), { pins })).toMatchObject(refusal("IdentityConflict"));
  });
});

describe("SPIFFE IDs", () => {
  it.each(["spiffe://example.org/a", "spiffe://a.b-c_d/x/Y.z"])("%s is one", (text) => {
    expect(parseSpiffeId(text)?.text).toBe(text);
  });
  const wrong = [
    "",
    "spiffe://",
    "spiffe://example.org",
    "spiffe://example.org/",
    "spiffe://Example.org/a",
    "spiffe://e/a//b",
  ];
  it.each([
    ...wrong,
    "spiffe://e/../a",
    "spiffe://e/a/.",
    "spiffe://e:1/a",
    "spiffe://u@e/a",
    "spiffe://e/a?b",
    "spiffe://e/%61",
  ])("%j is none", (text) => expect(parseSpiffeId(text)).toBeUndefined());
});

describe("settings and files", () => {
  it("are named where they are wrong", async () => {
    expect(() => createProvider({ svidFile: "s" })).toThrow("keyFile");
    expect(() => createVerifier({ trustDomain: "example.org" })).toThrow("bundleFile");
    const unsupported = aMachine({ kind: "Ed25519" });
    await expect(evidenceOf(unsupported)).rejects.toThrow("RSA, P-256 or P-384");
    const none = createProvider({ svidFile: bundleFile, keyFile: bundleFile });
    await expect(none.providerId({ nodeName: "n", signal })).rejects.toThrow("no X.509-SVID");
  });
});
