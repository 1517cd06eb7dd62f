import { describe, expect, it } from "vitest";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { type CanonicalObject, encodeCanonical } from "./canonical.ts";
import { type Envelope, encodeEnvelope, parseEnvelope } from "./envelope.ts";

const tpm = { provider: "tpm", version: 1 };
const bytes = encodeBase64(Uint8Array.of(1, 2, 3));
const uid = "0b8a2c2e-4f52-4c5a-9a55-6b7d1a3c9e10";
const statement = {
  intent: "join",
  purpose: "client",
  signer: "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm",
  node: "worker-1",
  providerId: "test:///zone/worker-1",
  cluster: `sha256:${"ab".repeat(32)}`,
  offered: ["tpm/1"],
};
const hello: CanonicalObject = { ...statement, step: "hello", tpm: { ak: bytes, ek: bytes, ekChain: [bytes] } };
const proof: CanonicalObject = {
  ...statement,
  step: "proof",
  hello: { name: "countersign-hello-x", uid },
  tpm: { attest: bytes, signature: bytes, pcrs: ["00".repeat(32)] },
};
const single: CanonicalObject = {
  ...statement,
  intent: "renew",
  step: "single",
  beacon: { epoch: 5, kid: "00c0ffee" },
  tpm: { attest: bytes, signature: bytes, pcrs: [] },
};
const insecure: CanonicalObject = { ...statement, step: "single", offered: ["insecure/1"], insecure: {} };
const instance = { document: bytes, signature: bytes, format: "pkcs7", proof: { url: "https://sts.example" } };
const cloud: CanonicalObject = { ...statement, step: "single", offered: ["cloud/1"], instance };
const without = (value: CanonicalObject, key: string): CanonicalObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
const parse = (value: CanonicalObject, provider = "tpm") =>
  parseEnvelope(encodeCanonical(value), { provider, version: 1 });

describe("envelopes", () => {
  const good: Readonly<Record<string, [CanonicalObject, string?]>> = {
    "a hello": [hello],
    "a hello without EK certificate": [{ ...hello, tpm: { ak: bytes, ek: bytes, ekChain: [] } }],
    "a hello of a renewal, without endorsement key": [{ ...hello, intent: "renew", tpm: { ak: bytes } }],
    "a hello that offers two versions": [{ ...hello, offered: ["tpm/2", "tpm/1"] }],
    "a hello with a cluster id": [{ ...hello, cluster: "prod-eu" }],
    "a hello with a long provider ID": [{ ...hello, providerId: "p".repeat(512) }],
    "a hello of a node with dots": [{ ...hello, node: "a.b-c.d" }],
    "a hello for serving": [{ ...hello, intent: "renew", purpose: "serving", tpm: { ak: bytes } }],
    "a proof": [proof],
    "a proof without PCRs": [{ ...proof, tpm: { attest: bytes, signature: bytes, pcrs: [] } }],
    "a renewal by beacon": [single],
    "an insecure request": [insecure, "insecure"],
    "an instance document": [cloud, "cloud"],
    "an instance document as a token": [{ ...cloud, instance: { ...instance, format: "jwt" } }, "cloud"],
    "an instance document with an RSA signature": [
      { ...cloud, instance: { ...instance, format: "rsa-sha256" } },
      "cloud",
    ],
    "another provider's own object": [
      { ...statement, step: "single", offered: ["cloud/1"], data: { any: ["thing"] } },
      "cloud",
    ],
    "another provider's empty object": [{ ...statement, step: "single", offered: ["cloud/1"], data: {} }, "cloud"],
    "another provider's hello": [{ ...statement, step: "hello", offered: ["cloud/1"], data: {} }, "cloud"],
    "another provider's proof": [
      { ...statement, step: "proof", hello: { name: "h", uid }, offered: ["cloud/1"], data: {} },
      "cloud",
    ],
    "a provider with digits and dashes": [{ ...statement, step: "single", offered: ["a-1/1"], data: {} }, "a-1"],
  };
  it.each(Object.entries(good))("reads %s, and writes it back the same", (_, [value, provider]) => {
    const parsed = parse(value, provider);
    expect(encodeEnvelope(parsed)).toEqual(encodeCanonical(value));
  });

  const bad: Readonly<Record<string, [CanonicalObject, string?]>> = {
    "no step": [without(hello, "step")],
    "another step": [{ ...hello, step: "again" }],
    "another intent": [{ ...hello, intent: "leave" }],
    "another purpose": [{ ...hello, purpose: "signing" }],
    "an unknown key": [{ ...hello, extra: 1 }],
    "an unknown key called __proto__": [
      JSON.parse(`{"__proto__":1,${JSON.stringify(hello).slice(1)}`) as CanonicalObject,
    ],
    "an unknown key in the TPM's part": [{ ...hello, tpm: { ak: bytes, ek: bytes, ekChain: [], x: 1 } }],
    "a signer without domain": [{ ...hello, signer: "kubelet" }],
    "a node name in capitals": [{ ...hello, node: "Worker" }],
    "a node name of 254 letters": [{ ...hello, node: "a".repeat(254) }],
    "an empty provider ID": [{ ...hello, providerId: "" }],
    "a provider ID of 513 letters": [{ ...hello, providerId: "p".repeat(513) }],
    "a provider ID with a blank at its end": [{ ...hello, providerId: "p " }],
    "an empty cluster": [{ ...hello, cluster: "" }],
    "a cluster as a number": [{ ...hello, cluster: 1 }],
    "nothing offered": [{ ...hello, offered: [] }],
    "an offer without the version in use": [{ ...hello, offered: ["tpm/2"] }],
    "an offer of another provider": [{ ...hello, offered: ["tpm/1", "insecure/1"] }],
    "one offer twice": [{ ...hello, offered: ["tpm/1", "tpm/1"] }],
    "an offer as a number": [{ ...hello, offered: [1] }],
    "seventeen offers": [{ ...hello, offered: Array.from({ length: 17 }, (_, n) => `tpm/${n + 1}`) }],
    "a hello that answers a hello": [{ ...hello, hello: { name: "h", uid } }],
    "a proof without its hello": [without(proof, "hello")],
    "a proof of a hello without uid": [{ ...proof, hello: { name: "h" } }],
    "a proof of a hello with an odd uid": [{ ...proof, hello: { name: "h", uid: "1" } }],
    "a proof of a hello with an odd name": [{ ...proof, hello: { name: "H/../x", uid } }],
    "a proof with a beacon": [{ ...proof, beacon: { epoch: 1, kid: "00c0ffee" } }],
    "a renewal without its beacon": [without(single, "beacon")],
    "a beacon with an odd key id": [{ ...single, beacon: { epoch: 1, kid: "xyz" } }],
    "a beacon without epoch": [{ ...single, beacon: { kid: "00c0ffee" } }],
    "no provider's part": [without(hello, "tpm")],
    "two providers' parts": [{ ...hello, insecure: {} }],
    "another provider's part": [{ ...without(hello, "tpm"), insecure: {} }],
    "the key data for a TPM": [{ ...without(hello, "tpm"), data: {} }],
    "the key tpm for another provider": [{ ...hello, offered: ["cloud/1"] }, "cloud"],
    "the key insecure for another provider": [{ ...insecure, offered: ["cloud/1"] }, "cloud"],
    "something insecure with content": [{ ...insecure, insecure: { a: 1 } }, "insecure"],
    "a renewal that shows its endorsement key": [{ ...hello, intent: "renew" }],
    "a join without endorsement key": [{ ...hello, tpm: { ak: bytes, ekChain: [] } }],
    "a join without chain": [{ ...hello, tpm: { ak: bytes, ek: bytes } }],
    "a chain of six": [{ ...hello, tpm: { ak: bytes, ek: bytes, ekChain: Array(6).fill(bytes) } }],
    "a certificate of 5 kB": [
      { ...hello, tpm: { ak: bytes, ek: bytes, ekChain: [encodeBase64(new Uint8Array(4097))] } },
    ],
    "base64 without padding": [{ ...hello, tpm: { ak: "AQI", ek: bytes, ekChain: [] } }],
    "base64 with other tail bits": [{ ...hello, tpm: { ak: "AQJ=", ek: bytes, ekChain: [] } }],
    "base64 of the URL alphabet": [{ ...hello, tpm: { ak: "-_-_", ek: bytes, ekChain: [] } }],
    "a key as a list": [{ ...hello, tpm: { ak: [1, 2], ek: bytes, ekChain: [] } }],
    "the TPM's part as a list": [{ ...hello, tpm: [] }],
    "a proof without quote": [{ ...proof, tpm: { signature: bytes, pcrs: [] } }],
    "a proof without signature": [{ ...proof, tpm: { attest: bytes, pcrs: [] } }],
    "a proof without PCR values": [{ ...proof, tpm: { attest: bytes, signature: bytes } }],
    "a PCR value in capitals": [{ ...proof, tpm: { attest: bytes, signature: bytes, pcrs: ["AB".repeat(32)] } }],
    "a PCR value of 20 octets": [{ ...proof, tpm: { attest: bytes, signature: bytes, pcrs: ["ab".repeat(20)] } }],
    "25 PCR values": [{ ...proof, tpm: { attest: bytes, signature: bytes, pcrs: Array(25).fill("00".repeat(32)) } }],
    "a hello's part in a proof": [{ ...proof, tpm: { ak: bytes, ek: bytes, ekChain: [] } }],
    "an instance document of an unknown format": [{ ...cloud, instance: { ...instance, format: "pgp" } }, "cloud"],
    "an instance document without second proof": [{ ...cloud, instance: without(instance, "proof") }, "cloud"],
    "an instance document with a list as proof": [{ ...cloud, instance: { ...instance, proof: [] } }, "cloud"],
    "another provider's object as text": [{ ...statement, step: "single", offered: ["cloud/1"], data: "x" }, "cloud"],
    "a beacon in another provider's request": [
      { ...statement, step: "single", offered: ["cloud/1"], data: {}, beacon: { epoch: 1, kid: "00c0ffee" } },
      "cloud",
    ],
  };
  it.each(Object.entries(bad))("refuses %s", (_, [value, provider]) => {
    expect(() => parse(value, provider)).toThrow(expect.objectContaining({ name: "Fault" }));
  });

  it("refuses a list and a text in the place of an object", () => {
    for (const text of ["[]", '"x"', "1"]) expect(() => parseEnvelope(encodeUtf8(text), tpm)).toThrow("object");
  });

  it("has as many examples as the protocol asks for", () => {
    expect([Object.keys(good).length, Object.keys(bad).length]).toEqual([20, 59]);
    const parsed: Envelope = parse(hello);
    expect(parsed.protocol).toEqual(tpm);
  });
});
