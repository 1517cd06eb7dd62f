import { describe, expect, it } from "vitest";
import { aCsr } from "../../../test/builders/csr.ts";
import { anAuthority } from "../../../test/builders/csr-authority.ts";
import { START_MS } from "../../../test/fakes/clock.ts";
import type { CertificateSigningRequest, CsrCondition } from "../../api/certificates/index.ts";
import { type EndCase, planCleaning } from "./plan.ts";

const HOUR_MS = 3_600_000;

interface Shape {
  readonly createdAgoMs?: number;
  /** Type of each condition, and how long ago it was updated; undefined: no time at all. */
  readonly conditions?: Readonly<Record<string, number | undefined>>;
  readonly certificate?: string;
}

function csrOf({ createdAgoMs = 0, conditions = {}, certificate }: Shape): CertificateSigningRequest {
  const csr = aCsr();
  const at = (agoMs: number) => new Date(START_MS - agoMs).toISOString();
  return {
    ...csr,
    metadata: { ...csr.metadata, creationTimestamp: at(createdAgoMs) },
    status: {
      conditions: Object.entries(conditions).map(
        ([type, agoMs]): CsrCondition => ({
          type,
          status: "True",
          ...(agoMs === undefined ? {} : { lastUpdateTime: at(agoMs) }),
        }),
      ),
      ...(certificate === undefined ? {} : { certificate: Buffer.from(certificate).toString("base64") }),
    },
  };
}

const verdict = (shape: Shape): EndCase | undefined => planCleaning([csrOf(shape)], START_MS)[0]?.because;

const living = anAuthority({ notAfterMs: START_MS + HOUR_MS }).certPem;
const ended = anAuthority({ notAfterMs: START_MS - 1_000 }).certPem;

/** Each case at its age, which is not yet old, and a millisecond beyond it. */
const AGES: readonly [EndCase, ageMs: number, shapeAt: (agoMs: number) => Shape][] = [
  ["issued", HOUR_MS, (agoMs) => ({ conditions: { Approved: agoMs }, certificate: living })],
  ["denied", HOUR_MS, (agoMs) => ({ conditions: { Denied: agoMs } })],
  ["failed", HOUR_MS, (agoMs) => ({ conditions: { Approved: 0, Failed: agoMs } })],
  ["pending", 24 * HOUR_MS, (agoMs) => ({ createdAgoMs: agoMs })],
  ["approved-unissued", 24 * HOUR_MS, (agoMs) => ({ conditions: { Approved: agoMs } })],
];

describe("a request is over", () => {
  it.each(AGES)("as %s when it is strictly older than its age", (because, ageMs, shapeAt) => {
    expect(verdict(shapeAt(ageMs))).toBeUndefined();
    expect(verdict(shapeAt(ageMs + 1))).toBe(because);
  });

  it("as expired when its certificate has ended, however young the request", () => {
    expect(verdict({ conditions: { Approved: 0 }, certificate: ended })).toBe("expired");
    expect(verdict({ conditions: { Approved: 0 }, certificate: living })).toBeUndefined();
  });

  it.each<[string, Shape]>([
    ["a certificate that nobody can read, approved a moment ago", { conditions: { Approved: 0 }, certificate: "x" }],
    ["a certificate that ended, without approval", { certificate: ended, conditions: { Odd: 0 } }],
    ["conditions without a time", { conditions: { Approved: undefined, Failed: undefined } }],
    ["a day without a decision but with a foreign condition", { createdAgoMs: 48 * HOUR_MS, conditions: { Odd: 0 } }],
  ])("not for %s", (_, shape) => {
    expect(verdict(shape)).toBeUndefined();
  });

  it("by name and uid, in the order of the list", () => {
    const [young, old] = [csrOf({}), csrOf({ createdAgoMs: 25 * HOUR_MS })];
    const { name, uid } = old.metadata;
    expect(planCleaning([young, old], START_MS)).toEqual([{ name, uid, because: "pending" }]);
  });
});
