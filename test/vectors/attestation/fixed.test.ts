// The fixed values of the attestation protocol: our code gives them, and so does a second program in
// Python.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  beaconNonce,
  challengeSecret,
  deriveChallengeKeys,
  encodeChallenge,
  exchangeExtraData,
  isOwnChallenge,
  parseChallenge,
  transcriptDigest,
} from "../../../src/attestation/evidence/index.ts";
import { encodeBase32, encodeHex, encodeUtf8, parseHex } from "../../../src/kernel/bytes/index.ts";
import { publicPointOf, sha256 } from "../../../src/kernel/crypto/index.ts";
import { AK_UNIQUE } from "../../../src/kernel/tpm/templates.ts";
import { notRun } from "../../not-run.ts";

import fixed from "./fixed.json" with { type: "json" };

const { inputs, outputs } = fixed;
const protocol = { provider: "tpm", version: 1 };
const keys = deriveChallengeKeys(inputs.kid, parseHex(inputs.key));
const challenged = {
  cluster: inputs.cluster,
  helloRequest: encodeUtf8(inputs.helloRequest),
  helloUid: inputs.uid,
  tpm: { akName: parseHex(inputs.ak), ekHash: parseHex(inputs.ek) },
};
const challenge = {
  alg: "tpm2-credential",
  iat: inputs.iat,
  exp: inputs.exp,
  kid: inputs.kid,
  nonce: parseHex(inputs.nonce),
  protocol,
  pcrs: inputs.pcrs,
  credentialBlob: new Uint8Array(70).fill(0x44),
  encryptedSecret: new Uint8Array(258).fill(0x55),
} as const;
const annotation = encodeChallenge(keys, challenge, challenged);
const { node, providerId, signer, cluster } = inputs;

function digestOf(
  overrides: { readonly purpose?: "client" | "serving"; readonly intent?: "join" | "renew" } = {},
): Uint8Array {
  const statement = {
    node,
    providerId,
    signer,
    cluster,
    intent: "join",
    purpose: "client",
    offered: ["tpm/1"],
    ...overrides,
  } as const;
  return transcriptDigest({
    statement,
    protocol,
    spki: parseHex(inputs.spki),
    cri: encodeUtf8(inputs.cri),
    freshness: { kind: "challenge", helloRequest: challenged.helloRequest, helloUid: inputs.uid, annotation },
  });
}

describe("the protocol's fixed values", () => {
  const secret = challengeSecret(keys, challenge, challenged);
  const seen = {
    secret: encodeHex(secret),
    mac: encodeHex(parseChallenge(annotation).mac),
    annotationOctets: annotation.length,
    challenge: encodeHex(sha256(encodeUtf8(annotation))),
    digest: encodeHex(digestOf()),
    extraData: encodeHex(exchangeExtraData(secret, digestOf())),
    beacon: encodeHex(beaconNonce(keys, inputs.epoch, cluster)),
    base32: encodeBase32(sha256(encodeUtf8("abc"))),
    akUnique: encodeHex(AK_UNIQUE),
  };

  it.each(Object.keys(outputs))("%s", (name) => {
    expect(seen[name as keyof typeof seen]).toBe(outputs[name as keyof typeof outputs]);
  });

  it("has the public key of the private scalar 1", () => {
    expect(inputs.spki.endsWith(encodeHex(publicPointOf("P-256", Uint8Array.of(1)).y))).toBe(true);
  });

  it("comes out of Python the same", (context) => {
    const run = spawnSync("python3", [join(import.meta.dirname, "recompute.py")], { encoding: "utf8" });
    if (notRun("the fixed values, computed a second time", run.error && "python3 is not installed")) context.skip();
    expect(JSON.parse(run.stdout)).toEqual(outputs);
  });

  it("changes with purpose and intent", () => {
    const digests = [digestOf(), digestOf({ purpose: "serving" }), digestOf({ intent: "renew" })].map(encodeHex);
    expect(new Set(digests).size).toBe(3);
  });

  it("is known as our own, until one field is changed", () => {
    const parsed = parseChallenge(annotation);
    expect(isOwnChallenge(keys, parsed, challenged)).toBe(true);
    const later = { ...parsed, challenge: { ...parsed.challenge, exp: inputs.exp + 1 } };
    expect(isOwnChallenge(keys, later, challenged)).toBe(false);
    expect(isOwnChallenge(keys, parsed, { ...challenged, cluster: "another" })).toBe(false);
    expect(isOwnChallenge(keys, parsed, { ...challenged, helloUid: inputs.uid.replace("0b", "0c") })).toBe(false);
  });
});
