import { describe, expect, it } from "vitest";
import { aCsr, named, withCertificate, withCondition } from "../../../test/builders/csr.ts";
import type { AttestationWorld } from "./exchange/world.ts";
import { tidySettled } from "./tidy-settled.ts";

const APPROVED_MS = Date.parse("2026-11-16T08:00:00Z");

describe("an issued request of which the copy knows no open exchange", () => {
  const lookAfter = async (ageMs: number) => {
    const world = {
      clock: { now: () => APPROVED_MS + ageMs },
      identities: { hasSynced: () => true, openExchange: () => undefined },
    } as unknown as AttestationWorld;
    return await tidySettled(world, anIssued, () => undefined);
  };
  const approved = withCondition("Approved", "Attested", new Date(APPROVED_MS).toISOString());
  const anIssued = aCsr(named("proof"), approved, withCertificate("-----BEGIN CERTIFICATE-----"));

  it("is looked at again while it is young: the copy may only be older than the exchange", async () => {
    expect(await lookAfter(0)).toEqual({ afterMs: 10_000 });
    expect(await lookAfter(59_999)).toEqual({ afterMs: 10_000 });
  });

  it("is done with after a minute", async () => {
    expect(await lookAfter(60_000)).toEqual({});
  });
});
