// TPM structures, envelopes, challenges and whole requests from hostile bytes: a value or a Fault, nothing else; and no
// spoiled piece of an exchange is ever attested.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CHALLENGE_ANNOTATION,
  openEnvelope,
  parseBeacon,
  parseBlocks,
  parseCanonical,
  parseChallenge,
  parseEnvelope,
} from "../../src/attestation/evidence/index.ts";
import { readEvidence } from "../../src/attestation/rules/index.ts";
import { readTpmKeys } from "../../src/attestation/tpm/facts.ts";
import { judgeTpmHello, judgeTpmProof } from "../../src/attestation/tpm/judge.ts";
import { encodeUtf8, parseHex } from "../../src/kernel/bytes/index.ts";
import {
  createPrimary,
  cutNvCertificate,
  EK_TEMPLATES,
  HANDLE,
  nvReadPublic,
  parsePublicArea,
  parseQuote,
  parseTpmSignature,
  pcrRead,
  publicKeyOf,
  quote,
} from "../../src/kernel/tpm/index.ts";
import { encodePublicArea } from "../../src/kernel/tpm/public-area.ts";
import { anExchange, helloFacts, proofFacts } from "../builders/exchange.ts";
import { aSoftTpm } from "../builders/soft-tpm.ts";
import recorded from "../vectors/tpm/swtpm.json" with { type: "json" };
import { outcomeOf, runs, spoiled } from "./fuzz.ts";

const tpm = aSoftTpm();
const exchange = anExchange({ tpm });
const annotation = exchange.challenged.annotations[CHALLENGE_ANNOTATION] ?? "";
const blocks = parseBlocks(exchange.hello.request);
const protocol = { provider: "tpm", version: 1 };
const hex = parseHex;
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

const parsers: Readonly<Record<string, [readonly Uint8Array[], (bytes: Uint8Array) => unknown]>> = {
  "public areas": [
    [tpm.ek.raw, tpm.ak.raw, hex(recorded.createPrimary.public), encodePublicArea(EK_TEMPLATES["H-3"])],
    (bytes) => publicKeyOf(parsePublicArea(bytes)),
  ],
  quotes: [[hex(recorded.quote.attest)], parseQuote],
  "TPM signatures": [[hex(recorded.quote.signature), hex("0018000b0001010001ff")], parseTpmSignature],
  "responses to CreatePrimary": [
    [hex(recorded.createPrimary.response)],
    (bytes) => createPrimary(HANDLE.endorsement, EK_TEMPLATES["L-1"]).parse(bytes),
  ],
  "responses to Quote": [
    [hex(recorded.quote.response)],
    (bytes) => quote({ key: 1, extraData: new Uint8Array(), selections: [] }).parse(bytes),
  ],
  "responses to PCR_Read": [[hex(recorded.quote.pcrRead.response)], (bytes) => pcrRead([]).parse(bytes)],
  "responses to NV_ReadPublic": [
    [hex("80010000001c00000000000e01c00002000b6207280100000400000000")],
    (bytes) => nvReadPublic(0x01c00002).parse(bytes),
  ],
  "certificates in NV storage": [[hex("3003020105ffff"), hex("10010000053003020105")], cutNvCertificate],
  blocks: [[exchange.hello.request, exchange.proof.request], parseBlocks],
  "canonical JSON": [[blocks.content, encodeUtf8(annotation)], parseCanonical],
  envelopes: [[blocks.content, parseBlocks(exchange.proof.request).content], (bytes) => parseEnvelope(bytes, protocol)],
  challenges: [[encodeUtf8(annotation)], (bytes) => parseChallenge(latin1(bytes))],
  beacons: [
    [encodeUtf8(`{"epoch":1,"kid":"00c0ffee","nonce":"${"A".repeat(43)}="}`)],
    (bytes) => parseBeacon(latin1(bytes)),
  ],
  "sealed evidence": [
    [new Uint8Array(120).fill(1)],
    (bytes) =>
      openEnvelope(bytes, [{ id: new Uint8Array(8).fill(1), scalar: new Uint8Array(32).fill(1) }], new Uint8Array()),
  ],
};

describe("hostile bytes", () => {
  it.each(Object.entries(parsers))("as %s are a value or a Fault", (_, [corpus, parse]) => {
    fc.assert(
      fc.property(fc.oneof(spoiled(corpus), fc.uint8Array({ maxLength: 64 })), (bytes) => {
        outcomeOf(() => parse(bytes));
      }),
      runs(300),
    );
  });

  it("as a whole request are read or refused, never thrown at, and judged with a reason", () => {
    fc.assert(
      fc.property(spoiled([exchange.hello.request]), (request) => {
        const object = { ...exchange.hello, request };
        const reading = readEvidence(request, { signerProvider: "tpm", recipients: [] });
        const verdict = judgeTpmHello(helloFacts(exchange, { object, reading })).verdict;
        // The name of a hello is a hash of all of its bytes: any change is seen.
        const isUnchanged = Buffer.compare(request, exchange.hello.request) === 0;
        expect(verdict.kind).toBe(isUnchanged ? "Allow" : "Deny");
        if (reading.envelope.ok) readTpmKeys(reading.envelope.value.parsed, { kind: "Absent" });
      }),
      runs(200),
    );
  });

  it("in a proof's quote or signature never answer a challenge", () => {
    const part = fc.constantFrom("attest" as const, "signature" as const);
    fc.assert(
      fc.property(part, fc.nat(), fc.integer({ min: 0, max: 7 }), (field, at, bit) => {
        const altered = anExchange({
          tpm,
          alter: (made) => ({
            ...made,
            [field]: made[field].map((octet, index) =>
              index === at % made[field].length ? octet ^ (1 << bit) : octet,
            ),
          }),
        });
        expect(judgeTpmProof(proofFacts(altered)).verdict.kind).toBe("Deny");
      }),
      runs(60),
    );
  });
});
