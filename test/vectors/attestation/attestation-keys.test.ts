// Attestation keys that a TPM will make for anybody, and signatures that anybody can change, recorded from a
// software TPM by test/upstream/tpm-attacks.test.ts and replayed without one.
import { describe, expect, it } from "vitest";
import { endOf, replay } from "../../builders/replayed-exchange.ts";
import type { RecordedExchange } from "../../builders/tpm-exchange.ts";
import recorded from "./attestation-keys.json" with { type: "json" };

type Case = RecordedExchange & { readonly expected: string };
const exchanges: Readonly<Record<string, Case>> = recorded.exchanges;

describe("attestation keys of a software TPM", () => {
  it("are of every kind that is refused, and our own", () => {
    expect(Object.keys(exchanges)).toEqual([
      "our own",
      "one that signs anything",
      "one that may leave its TPM",
      "one of the owner's hierarchy",
      "one of no hierarchy",
      "our own, the request signed otherwise by somebody without its key",
      "our own, the quote signed otherwise by somebody without its key",
    ]);
  });

  it.each(Object.entries(exchanges))("%s", (_, exchange) => {
    expect(endOf(replay(exchange))).toBe(exchange.expected);
  });
});
