// Exchanges recorded from a software TPM, replayed without one: with the challenge key and the clock frozen, every rule
// holds; one octet changed anywhere in the quote, the signature or the challenge, and it does not.
// `COUNTERSIGN_RECORD=1` on test/upstream/tpm-exchange.test.ts makes them anew.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CHALLENGE_ANNOTATION } from "../../../src/attestation/evidence/index.ts";
import { judgeOwnedTpmProof, judgeTpmHello, judgeTpmProof } from "../../../src/attestation/tpm/judge.ts";
import { planPins } from "../../../src/attestation/tpm/pins.ts";
import { parsePem } from "../../../src/kernel/pem/index.ts";
import { parsePublicArea } from "../../../src/kernel/tpm/index.ts";
import { parseCertificate } from "../../../src/kernel/x509/index.ts";
import {
  anObject,
  CLIENT_SIGNER,
  type Exchange,
  HELLO_UID,
  helloFacts,
  PROOF_UID,
  proofFacts,
} from "../../builders/exchange.ts";

import recorded from "../tpm/swtpm.json" with { type: "json" };

interface Recorded {
  readonly hello: { readonly name: string; readonly request: string };
  readonly annotation: string;
  readonly proof: { readonly name: string; readonly request: string };
  readonly authorities: readonly string[];
}

const files = readdirSync(import.meta.dirname).filter((name) => name.startsWith("exchange-"));

function load(file: string) {
  const seen = JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")) as Recorded;
  const object = (from: Recorded["hello"], uid: string, usages: readonly string[]) => {
    const request = new Uint8Array(Buffer.from(from.request, "base64"));
    return anObject({ name: from.name, request, signerName: CLIENT_SIGNER, usages }, uid);
  };
  const hello = object(seen.hello, HELLO_UID, ["digital signature"]);
  const proof = object(seen.proof, PROOF_UID, ["digital signature", "client auth"]);
  const [roots = [], intermediates = []] = seen.authorities.map((pem) =>
    parsePem(pem).map(({ bytes }) => parseCertificate(bytes)),
  );
  // The builder lists this key in its policy; the recorded one is trusted by its certificate instead.
  const unlisted = parsePublicArea(new Uint8Array(Buffer.from(recorded.createPrimary.public, "hex")));
  const challenged = { ...hello, annotations: { [CHALLENGE_ANNOTATION]: seen.annotation } };
  const exchange = { tpm: { ek: unlisted, ak: unlisted }, hello, challenged, proof } as unknown as Exchange;
  const trust = { roots, intermediates, policy: { tpm: { firstUse: "Allow" } } } as const;
  return { exchange, trust };
}

describe("recorded exchanges", () => {
  it("are there, with ECC and RSA attestation keys and two kinds of endorsement keys", () => {
    expect(files).toEqual(["exchange-h-3-ecc.json", "exchange-l-1-ecc.json", "exchange-l-1-rsa.json"]);
  });

  it.each(files)("%s holds", (file) => {
    const { exchange, trust } = load(file);
    expect(judgeTpmHello({ ...helloFacts(exchange), ...trust }).verdict.reason).toBe("MayBeChallenged");
    const facts = { ...proofFacts(exchange), ...trust };
    expect(judgeTpmProof(facts).verdict.reason).toBe("ChallengeAnswered");
    expect(judgeOwnedTpmProof(facts).verdict.reason).toBe("Attested");
    expect(planPins(facts).tpm?.ek.trust).toBe("FirstUse");
  });

  it.each(files)("%s fails under another challenge key, hello or time", (file) => {
    const { exchange, trust } = load(file);
    const facts = { ...proofFacts(exchange), ...trust };
    const keys = facts.challengeKeys.map((key) => ({ ...key, mac: new Uint8Array(32), secret: new Uint8Array(32) }));
    expect(judgeTpmProof({ ...facts, challengeKeys: keys }).verdict.reason).toBe("ChallengeForged");
    expect(judgeTpmProof({ ...facts, hello: { kind: "Absent" } }).verdict.reason).toBe("ChallengeUnknown");
    expect(judgeTpmProof({ ...facts, nowMs: facts.nowMs + 3_600_000 }).verdict.reason).toBe("ChallengeExpired");
    // The MAC right and the secret another: only the quote can tell.
    const halfRight = facts.challengeKeys.map((key) => ({ ...key, secret: new Uint8Array(32) }));
    expect(judgeTpmProof({ ...facts, challengeKeys: halfRight }).verdict.reason).toBe("ChallengeFailed");
  });
});
