import { expect, it } from "vitest";
import { createManualClock } from "../../test/fakes/clock.ts";
import type { KubeClient } from "../platform/kube/index.ts";
import { silentLog } from "../platform/report/index.ts";
import { compose } from "./compose.ts";

it("no loop that looks by the clock can be parked: nothing would bring it back", () => {
  const { duties } = compose({
    ...{ client: {} as KubeClient, clock: createManualClock(), log: silentLog, replica: "a", signers: [] },
    ca: { of: () => expect.unreachable("nothing is signed") },
    random: (count) => new Uint8Array(count),
  });
  const periodic = duties.features.filter(({ loop }) => loop.isPeriodic === true).map(({ name }) => name);
  expect(periodic).toEqual(["cleaning", "lockdown", "attestation"]);
});
