import { expect, it } from "vitest";
import { createManualClock } from "../../test/fakes/clock.ts";
import type { KubeClient } from "../platform/kube/index.ts";
import { createMetrics, silentLog } from "../platform/report/index.ts";
import { createInformers } from "./informers.ts";
import { createLoops } from "./loops.ts";

it("no loop that looks by the clock can be parked: nothing would bring it back", () => {
  const client = {} as KubeClient;
  const world = { clock: createManualClock(), log: silentLog, random: () => 0 };
  const features = createLoops({
    ...{ ...world, client, identity: "a", signers: [], metrics: createMetrics() },
    informers: createInformers(client, world, { signers: [] }),
    authorities: { of: () => expect.unreachable("nothing is signed") },
    randomBytes: (count) => new Uint8Array(count),
  });
  const periodic = features.filter(({ loop }) => loop.isPeriodic === true).map(({ name }) => name);
  expect(periodic).toEqual(["cleaning", "lockdown", "attestation"]);
});
