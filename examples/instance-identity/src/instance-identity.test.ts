// Conformance against a metadata server on loopback, and what an attacker tries: a document it once read, another
// instance's, an old or foreign token, a platform of its own.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Conformance,
  conformanceChecks,
  type EvidenceRequest,
  type JsonObject,
  type Question,
} from "@countersign/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProvider } from "./node.ts";
import {
  aPlatform,
  documentOf,
  type Instance,
  type MetadataServer,
  signText,
  startMetadataServer,
  tokenFor,
} from "./testing/metadata-server.ts";
import { audienceOf } from "./token.ts";
import { createVerifier } from "./verifier.ts";

const NOW_MS = 1_794_772_300_000;
const DIGEST = new Uint8Array(32).fill(1);
const signal = new AbortController().signal;
const platform = aPlatform();
const own: Instance = { platform, instanceId: "i-0abc", nowMs: () => NOW_MS };
const PROVIDER_ID = "instance-identity:///north-1/i-0abc";

const folder = mkdtempSync(join(tmpdir(), "instance-identity-"));
const keysFile = join(folder, "keys.json");
writeFileSync(keysFile, platform.keysFile);
const verifier = createVerifier({ keysFile, accounts: ["1234"], regions: ["north-1"] });

let server: MetadataServer;
beforeAll(async () => {
  server = await startMetadataServer(own);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const machine = {
  namespace: "default",
  name: "worker-1",
  uid: "u",
  providerId: PROVIDER_ID,
  createdMs: NOW_MS - 60_000,
  addresses: [{ type: "InternalDNS", address: "worker-1.example" }],
};

describe("instance-identity conforms", () => {
  const input = (): Conformance => ({
    provider: createProvider({ metadataUrl: server.url }),
    verifier,
    machine,
    servingNames: ["worker-1.example"],
    nowMs: () => NOW_MS,
  });
  // The server has no address yet when tests are collected; the names of the checks do not depend on it.
  const names = conformanceChecks({ provider: createProvider({}), verifier }).map(({ name }) => name);
  it.each(names)("%s", async (name) => {
    const check = conformanceChecks(input()).find((one) => one.name === name);
    if (check === undefined) throw new TypeError("the suite has no check of this name any more");
    await check.run();
  });
});

function aRequest(overrides: Partial<EvidenceRequest> = {}): EvidenceRequest {
  return {
    nodeName: "worker-1",
    providerId: PROVIDER_ID,
    intent: "join",
    purpose: "client",
    signerName: "cluster.x-k8s.io/kube-apiserver-client-kubelet-instance-identity",
    cluster: "prod",
    protocol: "instance-identity/1",
    publicKey: new Uint8Array(91),
    digest: DIGEST,
    ...overrides,
  };
}

/** Evidence with parts of several instances, platforms and requests. */
function evidenceOf(
  parts: { readonly document?: Instance; readonly token?: Instance; readonly audience?: string } = {},
): JsonObject {
  const { document = own, token = document, audience = audienceOf(DIGEST) } = parts;
  return {
    document: Buffer.from(documentOf(document)).toString("base64"),
    signature: signText(document.platform, documentOf(document)).toString("base64"),
    proof: { token: tokenFor(token, audience) },
  };
}

async function judge(evidence: JsonObject, more: Partial<Question> = {}) {
  const requester = { username: "system:bootstrap:abcdef", groups: ["system:bootstrappers"] };
  const base = { nowMs: NOW_MS, hello: undefined, requester, machine, pins: undefined, names: [], request: aRequest() };
  const question: Question = { ...base, evidence, ...more };
  return verifier.verifyClient(question, await verifier.gather(question, { signal }));
}
const refusal = (reason: string) => ({ kind: "Refused", reason });

describe("an attacker", () => {
  it("is not needed for the good case", async () => {
    const pins = { accountId: "1234", instanceId: "i-0abc", region: "north-1" };
    expect(await judge(evidenceOf())).toEqual({ kind: "Attested", level: "Instance", pins });
    expect(await judge(evidenceOf(), { pins, request: aRequest({ intent: "renew" }) })).toMatchObject({
      kind: "Attested",
    });
  });

  it("replays a whole proof for a key of its own", async () => {
    const request = aRequest({ digest: new Uint8Array(32).fill(2) });
    expect(await judge(evidenceOf(), { request })).toMatchObject(refusal("ProofForAnother"));
  });

  it("has read a victim's document, and has an instance of its own", async () => {
    const attacker = { ...own, instanceId: "i-0bad" };
    expect(await judge(evidenceOf({ token: attacker }))).toMatchObject(refusal("InstanceMismatch"));
    expect(await judge(evidenceOf({ document: attacker }))).toMatchObject(refusal("InstanceMismatch"));
  });

  it("shows a document without the second proof", async () => {
    const { document = "", signature = "" } = evidenceOf();
    for (const proof of [{}, "", { token: "" }, { token: "a.b.c" }, { token: tokenFor(own, "x"), more: 1 }])
      expect((await judge({ document, signature, proof } as JsonObject)).kind).toBe("Refused");
  });

  const times: Readonly<Record<string, [Partial<Instance>, string]>> = {
    "a token that is over": [{ nowMs: () => NOW_MS - 700_000 }, "ProofExpired"],
    "a token of tomorrow": [{ nowMs: () => NOW_MS + 60_000 }, "ProofNotYetValid"],
    "a token that lives for an hour": [{ tokenSeconds: 3_600 }, "ProofTooLong"],
  };
  it.each(Object.entries(times))("shows %s", async (_, [token, reason]) => {
    expect(await judge(evidenceOf({ token: { ...own, ...token } }))).toMatchObject(refusal(reason));
  });

  it("is a platform of its own", async () => {
    const evil = { ...own, platform: aPlatform() };
    expect(await judge(evidenceOf({ document: evil }))).toMatchObject(refusal("DocumentInvalid"));
    expect(await judge(evidenceOf({ token: evil }))).toMatchObject(refusal("ProofInvalid"));
  });

  it("says that its token needs no signature, or one that the public key makes", async () => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const [, claims = "", signature = ""] = tokenFor(own, audienceOf(DIGEST)).split(".");
    const headers = [
      { alg: "none", kid: platform.keyId },
      { alg: "HS256", kid: platform.keyId },
      { alg: "RS256", kid: "?" },
    ];
    for (const header of headers) {
      for (const end of ["", signature]) {
        const token = `${encode(header)}.${claims}.${end}`;
        expect(await judge({ ...evidenceOf(), proof: { token } })).toMatchObject(refusal("ProofInvalid"));
      }
    }
  });

  it("is of another account, or elsewhere", async () => {
    expect(await judge(evidenceOf({ document: { ...own, accountId: "666" } }))).toMatchObject(
      refusal("AccountNotAllowed"),
    );
    expect(await judge(evidenceOf({ document: { ...own, region: "south-1" } }))).toMatchObject(
      refusal("RegionNotAllowed"),
    );
  });

  it("comes in the place of an instance that was pinned", async () => {
    const pins = { accountId: "1234", instanceId: "i-0old", region: "north-1" };
    expect(await judge(evidenceOf(), { pins })).toMatchObject(refusal("IdentityConflict"));
  });

  it("is not judged by the age of its Machine: how late a join may be is the operator's policy", async () => {
    const old = { ...machine, createdMs: NOW_MS - 24 * 3_600_000 };
    expect(await judge(evidenceOf(), { machine: old })).toMatchObject({ kind: "Attested" });
  });

  it("tricks a proxy on the machine into asking the metadata server, and gets nothing", async () => {
    expect((await fetch(`${server.url}/instance/document`)).status).toBe(403);
  });
});

describe("the machine's end", () => {
  it("says what the metadata server said when it does not answer well", async () => {
    const elsewhere = createProvider({ metadataUrl: "http://127.0.0.1:9" });
    await expect(elsewhere.attest(aRequest(), { nodeName: "n", signal })).rejects.toThrow();
    const wrongPath = createProvider({ metadataUrl: server.url });
    await expect(wrongPath.attest(aRequest(), { nodeName: "n", signal: AbortSignal.abort() })).rejects.toThrow();
  });

  it("does not call itself an instance that its document does not name", async () => {
    const nameless = await startMetadataServer({ ...own, instanceId: "", region: undefined as never });
    try {
      const { providerId } = createProvider({ metadataUrl: nameless.url });
      await expect(providerId({ nodeName: "n", signal })).rejects.toThrow("a document that names no instance");
    } finally {
      await nameless.close();
    }
  });

  it("reads no more than a metadata server would say", async () => {
    let sent = 0;
    const endless = createServer((_, response) => {
      const more = () => {
        sent += 1;
        if (sent < 10_000) response.write("x".repeat(8_192), more);
      };
      response.on("error", () => undefined);
      more();
    });
    await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = endless.address() as AddressInfo;
      const provider = createProvider({ metadataUrl: `http://127.0.0.1:${port}` });
      await expect(provider.providerId({ nodeName: "n", signal })).rejects.toThrow("more than 16384 octets");
      expect(sent).toBeLessThan(10_000);
    } finally {
      endless.closeAllConnections();
      endless.close();
    }
  });

  it("and its verifier name a setting that is wrong", () => {
    expect(() => createVerifier({ keysFile, accounts: ["1"] })).toThrow("regions");
    expect(() => createVerifier({ keysFile, accounts: "1", regions: ["r"] })).toThrow("accounts");
    expect(() => createProvider({ metadataUrl: 1 })).toThrow("metadataUrl");
  });
});
