import { describe, expect, it } from "vitest";
import { pauseBeforeRetry } from "./pace.ts";
import { type FoundRequest, planExchange } from "./plan.ts";

const found = (more: Partial<Extract<FoundRequest, { kind: "Found" }>> = {}): FoundRequest => ({
  kind: "Found",
  isOurs: true,
  denied: undefined,
  challenge: undefined,
  certificate: undefined,
  ...more,
});
const denied = (reason: string) => found({ denied: { reason, message: "why" } });
const gone: FoundRequest = { kind: "Gone" };

describe("the plan of an exchange", () => {
  const rows: Readonly<Record<string, [Parameters<typeof planExchange>[0], object]>> = {
    "nothing saved: begins": [{ stage: "nothing" }, { kind: "Begin" }],
    "hello saved: creates it": [{ stage: "hello-saved" }, { kind: "Create" }],
    "hello saved and there already: adopts it": [{ stage: "hello-saved", found: found() }, { kind: "Adopt" }],
    "hello saved, another's there: drops all": [
      { stage: "hello-saved", found: found({ isOurs: false }) },
      { kind: "Drop", next: "back-off" },
    ],
    "hello saved, in the way and gone again: drops all": [
      { stage: "hello-saved", found: gone },
      { kind: "Drop", next: "back-off", because: "gone" },
    ],
    "hello sent, pending: waits": [{ stage: "hello-sent", found: found() }, { kind: "Wait" }],
    "hello sent, challenged: answers": [
      { stage: "hello-sent", found: found({ challenge: "c" }) },
      { kind: "Answer", challenge: "c" },
    ],
    "hello sent, gone: drops all": [
      { stage: "hello-sent", found: gone },
      { kind: "Drop", next: "back-off" },
    ],
    "hello sent, another uid: drops all": [
      { stage: "hello-sent", found: found({ isOurs: false, challenge: "c" }) },
      { kind: "Drop", next: "back-off" },
    ],
    "hello sent, denied: backs off": [
      { stage: "hello-sent", found: denied("MachineMismatch") },
      { kind: "Drop", next: "back-off" },
    ],
    "hello sent, version unknown: asks for another": [
      { stage: "hello-sent", found: denied("VersionUnsupported") },
      { kind: "Renegotiate" },
    ],
    "hello sent, identity revoked: is for an operator": [
      { stage: "hello-sent", found: denied("IdentityRevoked") },
      { kind: "Drop", next: "operator" },
    ],
    "hello sent, TPM unknown: is for an operator": [
      { stage: "hello-sent", found: denied("EndorsementKeyUntrusted") },
      { kind: "Drop", next: "operator" },
    ],
    "proof saved: creates it": [{ stage: "proof-saved" }, { kind: "Create" }],
    "proof saved and there already: adopts it": [{ stage: "proof-saved", found: found() }, { kind: "Adopt" }],
    "hello sent, nobody enrolled the node: is for an operator": [
      { stage: "hello-sent", found: denied("NodeNotEnrolled") },
      { kind: "Drop", next: "operator" },
    ],
    "renewal by beacon, its credential was revoked: is for an operator": [
      { stage: "proof-sent", found: denied("CredentialRevoked"), isShort: true },
      { kind: "Drop", next: "operator" },
    ],
    "proof sent, pending: waits": [{ stage: "proof-sent", found: found() }, { kind: "Wait" }],
    "proof sent, signed: stores": [
      { stage: "proof-sent", found: found({ certificate: "pem" }) },
      { kind: "Store", certificate: "pem" },
    ],
    "proof sent, challenge over: begins again": [
      { stage: "proof-sent", found: denied("ChallengeExpired") },
      { kind: "Drop", next: "begin" },
    ],
    "proof sent, challenge over a second time: backs off": [
      { stage: "proof-sent", found: denied("ChallengeExpired"), hasBegunAgain: true },
      { kind: "Drop", next: "back-off" },
    ],
    "proof sent, clock went back: is for an operator": [
      { stage: "proof-sent", found: denied("TpmClockRegressed") },
      { kind: "Drop", next: "operator" },
    ],
    "renewal by beacon, pending: waits": [{ stage: "proof-sent", found: found(), isShort: true }, { kind: "Wait" }],
    "renewal by beacon, the beacon is old: goes the full way": [
      { stage: "proof-sent", found: denied("BeaconExpired"), isShort: true },
      { kind: "Drop", next: "exchange" },
    ],
    "renewal by beacon, not offered any more: goes the full way": [
      { stage: "proof-sent", found: denied("RenewalNeedsExchange"), isShort: true },
      { kind: "Drop", next: "exchange" },
    ],
    "renewal by beacon, other PCRs or another attestation key: goes the full way": [
      { stage: "proof-sent", found: denied("PcrSelectionMismatch"), isShort: true },
      { kind: "Drop", next: "exchange" },
    ],
    "renewal by beacon, identity revoked: is for an operator": [
      { stage: "proof-sent", found: denied("IdentityRevoked"), isShort: true },
      { kind: "Drop", next: "operator" },
    ],
    "proof saved, another's there: drops all": [
      { stage: "proof-saved", found: found({ isOurs: false }) },
      { kind: "Drop", next: "back-off" },
    ],
    "proof sent, denied: backs off": [
      { stage: "proof-sent", found: denied("MachineMismatch") },
      { kind: "Drop", next: "back-off" },
    ],
    "proof sent, gone: drops all": [
      { stage: "proof-sent", found: gone },
      { kind: "Drop", next: "back-off" },
    ],
  };
  it.each(Object.entries(rows))("%s", (_, [input, expected]) => expect(planExchange(input)).toMatchObject(expected));

  it("waits five seconds at first, ten minutes at most, with full jitter", () => {
    expect([0, 1, 2, 20].map((denials) => pauseBeforeRetry(denials, 1))).toEqual([5_000, 10_000, 20_000, 600_000]);
    expect(pauseBeforeRetry(3, 0)).toBe(0);
  });
});
