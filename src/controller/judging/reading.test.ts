// Whatever bytes a requester sends, reading them is an answer and never an accident: a request that threw here would be
// parked, and one that hung would take a worker with it.

import { assert, constantFrom, integer, property, string, uint8Array } from "fast-check";
import { describe, expect, it } from "vitest";
import { aCsr, forNode, withSan } from "../../../test/builders/csr.ts";
import { factsOf } from "../../../test/builders/csr-facts.ts";
import { encodeBase64, encodeUtf8, parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { encodePem, parsePem } from "../../kernel/pem/index.ts";
import { judgeApproval } from "./judge.ts";
import { createRequestReader, readRequest } from "./reading.ts";

const good = [aCsr(), aCsr(withSan({ dnsNames: ["a"], ipAddresses: ["::1"] })), aCsr(forNode("a.b"))];
const textOf = (at: number) => parseUtf8(parseBase64(good[at]?.spec.request ?? ""));
const derOf = (at: number) => parsePem(textOf(at))[0]?.bytes ?? new Uint8Array();
const toSpec = (text: string) => encodeBase64(encodeUtf8(text));

describe("reading a request", () => {
  it("answers for any text", () => {
    assert(
      property(string({ unit: "binary", maxLength: 300 }), (text) => {
        expect(readRequest(text).kind).toBe("Unreadable");
        expect(readRequest(toSpec(text)).kind).toBe("Unreadable");
      }),
    );
  });

  it("answers for any bytes in the block", () => {
    assert(
      property(uint8Array({ maxLength: 300 }), (bytes) => {
        expect(readRequest(toSpec(encodePem("CERTIFICATE REQUEST", bytes))).kind).toBe("Unreadable");
      }),
    );
  });

  it("never lets a request through in which a byte was changed", () => {
    const request = constantFrom(0, 1, 2);
    assert(
      property(request, integer({ min: 0, max: 10_000 }), integer({ min: 1, max: 255 }), (which, at, flip) => {
        const der = Uint8Array.from(derOf(which));
        const position = at % der.length;
        der[position] = (der[position] ?? 0) ^ flip;
        const reading = readRequest(toSpec(encodePem("CERTIFICATE REQUEST", der)));
        const facts = factsOf(good[which] ?? aCsr(), { request: reading });
        expect(judgeApproval(facts).verdict.kind).toBe("Deny");
      }),
      { numRuns: 500 },
    );
  });
});

describe("a reader of requests", () => {
  const csr = aCsr();
  const ofUid = (uid: string) => ({ ...csr, metadata: { ...csr.metadata, uid } });

  it("reads a request once, and another with the same text anew: what is known of one is not of the other", () => {
    const { plain, evidence } = createRequestReader();
    expect(plain(ofUid("a"))).toBe(plain(ofUid("a")));
    expect(plain(ofUid("b"))).not.toBe(plain(ofUid("a")));
    expect(evidence(ofUid("a"), []).reading).toBe(evidence(ofUid("a"), []).reading);
    expect(evidence(ofUid("b"), []).reading).not.toBe(evidence(ofUid("a"), []).reading);
  });

  it("keeps nothing of a text that is refused by its length: many of them would fill the memory", () => {
    const { plain } = createRequestReader();
    const long = ofUid("a");
    const read = () => plain({ ...long, spec: { ...long.spec, request: "A".repeat(200_000) } });
    expect(read()).not.toBe(read());
    expect(plain(ofUid("a"))).toBe(plain(ofUid("a")));
  });

  it("never takes what it read of a uid for another text", () => {
    const { plain } = createRequestReader();
    const first = plain(ofUid("a"));
    const other = aCsr(forNode("b"));
    expect(plain({ ...other, metadata: { ...other.metadata, uid: "a" } })).not.toBe(first);
  });
});
