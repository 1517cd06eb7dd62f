import { describe, expect, it } from "vitest";
import { aCsr, annotated, type CsrModifier, named, withCondition, withSigner } from "../../../test/builders/csr.ts";
import { CLIENT_SIGNER } from "../../../test/builders/exchange.ts";
import { CHALLENGE_ANNOTATION, CONSUMED_BY_ANNOTATION, HELLO_OBJECT_PREFIX } from "../../attestation/evidence/index.ts";
import { openHelloKeys } from "./tidy.ts";

const keysOf = openHelloKeys([CLIENT_SIGNER]);
const hello = (...more: readonly CsrModifier[]) =>
  aCsr(
    named(`${HELLO_OBJECT_PREFIX}a`),
    withSigner(CLIENT_SIGNER),
    annotated({ [CHALLENGE_ANNOTATION]: "{}" }),
    ...more,
  );

describe("a hello that waits for its answer", () => {
  it("is counted for its requester and for all", () => {
    const csr = hello();
    expect(keysOf(csr)).toEqual(["", csr.spec.username]);
  });

  it.each([
    ["was answered", hello(annotated({ [CHALLENGE_ANNOTATION]: "{}", [CONSUMED_BY_ANNOTATION]: "proof" }))],
    ["was refused, as one whose challenge its creator wrote", hello(withCondition("Denied"))],
    ["is for a signer that nobody serves, and would never be refused", hello(withSigner("example.com/none"))],
    ["has another name", hello(named("csr-1"))],
    ["was not challenged yet", hello(annotated({}))],
  ])("is none where it %s", (_, csr) => expect(keysOf(csr)).toEqual([]));
});
