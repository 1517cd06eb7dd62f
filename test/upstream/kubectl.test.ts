// What people do with kubectl, on a real kube-apiserver and on the embedded one: the same commands, the same
// expectations, and then the same words. Where the two may differ, the step says so and why.

import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notRun } from "../not-run.ts";
import { type ControlPlane, startControlPlane, startEmbedded } from "./harness/index.ts";
import { ACCESS } from "./kubectl/access.ts";
import { READING } from "./kubectl/reading.ts";
import { runJourney, type Seen } from "./kubectl/run-journey.ts";
import { WRITING } from "./kubectl/writing.ts";

const JOURNEYS = [...READING, ...WRITING, ...ACCESS].map(
  (journey, index) => [journey.title, { ...journey, namespace: `journey-${index + 1}` }] as const,
);

/** What a cluster has besides its API server for these journeys; the embedded one has it built in. */
const CONTROLLERS = ["serviceaccount-controller", "namespace-controller", "root-ca-certificate-publisher-controller"];

/** The same journeys, once more, with whatever else people have installed. */
const OTHER_KUBECTL = findKubectl();

let real: ControlPlane;
let embedded: ControlPlane;
const seen = new Map<string, readonly Seen[]>();

beforeAll(async () => {
  [real, embedded] = await Promise.all([
    startControlPlane({ keyAlgorithm: "ECDSA-P256", controllers: CONTROLLERS }),
    startEmbedded(),
  ]);
});
afterAll(() => Promise.all([real?.stop(), embedded?.stop()]));

describe("kubectl on a real kube-apiserver", () => {
  it.each(JOURNEYS)("%s", async (_title, journey) => {
    seen.set(journey.title, await runJourney(journey, { plane: real, namespace: journey.namespace }));
  });
});

describe("kubectl on the embedded server", () => {
  it.each(JOURNEYS)("%s", async (_title, journey) => {
    const mine = await runJourney(journey, { plane: embedded, namespace: journey.namespace });
    expect(mine).toEqual(seen.get(journey.title));
  });

  it("shows every kind as the real one shows it, beside our own", async () => {
    const rows = async (plane: ControlPlane) =>
      (await plane.kubectl(["api-resources", "--no-headers", "-o", "wide"])).stdout
        .split("\n")
        .map((row) => row.replace(/ +/g, " ").trim())
        .filter((row) => !row.includes(" countersign.dev/v1alpha1 "));
    expect(await rows(real)).toEqual(expect.arrayContaining(await rows(embedded)));
  });
});

const noOther = OTHER_KUBECTL === undefined ? "no kubectl on the PATH" : undefined;
describe.skipIf(notRun("the journeys with a second kubectl", noOther))(
  `kubectl ${OTHER_KUBECTL?.version} on the embedded server`,
  () => {
    it.each(JOURNEYS)("%s", async (_title, journey) => {
      const namespace = `other-${journey.namespace}`;
      await runJourney(journey, { plane: embedded, namespace, binary: OTHER_KUBECTL?.path ?? "" });
    });
  },
);

function findKubectl(): { readonly path: string; readonly version: string } | undefined {
  const { stdout, status } = spawnSync("kubectl", ["version", "--client", "-o", "json"], { encoding: "utf8" });
  return status === 0 ? { path: "kubectl", version: JSON.parse(stdout).clientVersion.gitVersion } : undefined;
}
