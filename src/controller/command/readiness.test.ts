// What /readyz says, check by check.

import { describe, expect, it } from "vitest";
import type { AuditTrail } from "../audit/index.ts";
import type { Controller, ControllerState } from "../compose.ts";
import type { Authorities } from "../signing/index.ts";
import { readinessChecks } from "./readiness.ts";

const GOOD: ControllerState = { isLeading: true, holder: "me", unsynced: [] };

interface Stage {
  readonly state?: Partial<ControllerState>;
  readonly isWritten?: boolean;
  readonly standing?: Authorities["standing"];
}

async function looks({
  state,
  isWritten = true,
  standing,
}: Stage): Promise<Record<string, readonly [boolean, string]>> {
  const checks = readinessChecks({
    controller: { state: () => ({ ...GOOD, ...state }) } as Controller,
    trail: { isWritten: () => isWritten } as AuditTrail,
    authorities: { of: () => expect.fail("nobody signs here"), ...(standing === undefined ? {} : { standing }) },
  });
  const results = await Promise.all(checks.map(async ({ name, look }) => [name, await look()] as const));
  return Object.fromEntries(results.map(([name, { ok, says }]) => [name, [ok, says] as const]));
}

describe("a replica is ready", () => {
  const table: Record<string, [stage: Stage, check: string, expected: readonly [boolean, string]]> = {
    "when it leads": [{}, "leadership", [true, "leading"]],
    "when it stands by": [
      { state: { isLeading: false, holder: "other" } },
      "leadership",
      [true, "standing by, other leads"],
    ],
    "when its CA is what it was given": [{}, "ca", [true, "usable"]],
    "when a new CA is wrong and the last one is used, and says so": [
      { standing: () => ({ canSign: true, says: "the last one stays in use" }) },
      "ca",
      [true, "the last one stays in use"],
    ],
    "not when it has no CA": [
      { standing: () => ({ canSign: false, says: "the Secret x/y holds no CA that can sign" }) },
      "ca",
      [false, "the Secret x/y holds no CA that can sign"],
    ],
    "not while it does not know the cluster": [
      { state: { unsynced: ["approving"] } },
      "caches",
      [false, "not complete for approving"],
    ],
    "not while its trail is not on the disk": [{ isWritten: false }, "audit", [false, "lines wait for the disk"]],
  };
  it.each(Object.entries(table))("%s", async (_, [stage, check, expected]) => {
    expect((await looks(stage))[check]).toEqual(expected);
  });
});
