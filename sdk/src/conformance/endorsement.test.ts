// The checks of endorsement keys against a platform that is right, and against platforms that are each wrong in one
// way.
import { describe, expect, it } from "vitest";
import {
  type EndorsementKeyConformance,
  type EndorsementKeySource,
  endorsementKeyChecks,
  type MachineView,
} from "../index.ts";
import { failureOf } from "./index.ts";

const machine: MachineView = {
  ...{ namespace: "fleet", name: "m-1", uid: "u-1", providerId: "x:///1", createdMs: 0, addresses: [] },
};
const machineWithoutTpm = { ...machine, name: "m-2", uid: "u-2", providerId: "x:///2" };
const KEY = `sha256:${"0a".repeat(32)}`;
const PEM = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----\n";

type Ask = EndorsementKeySource["endorsementKeyOf"];
const inventory: Ask = async ({ name }) => {
  if (name === "m-1") return KEY;
  if (name === "m-2") return undefined;
  throw new TypeError("the inventory has no such machine");
};
const withAnswer =
  (answer: unknown): Ask =>
  async (asked, options) =>
    asked.name === "m-1" ? (answer as string) : await inventory(asked, options);

async function failuresOf(endorsementKeyOf: Ask, more: Partial<EndorsementKeyConformance> = {}) {
  const source = { name: "inventory", endorsementKeyOf };
  const failures: string[] = [];
  for (const { name, run } of endorsementKeyChecks({ source, machine, machineWithoutTpm, ...more })) {
    const failure = await failureOf(run);
    if (failure !== undefined) failures.push(`${name}: ${failure}`);
  }
  return failures.join("\n");
}

describe("the conformance suite of endorsement keys", () => {
  it.each([
    ["a digest", KEY],
    ["a key", PEM],
    ["a certificate", PEM.replaceAll("PUBLIC KEY", "CERTIFICATE")],
  ])("holds for a platform that knows %s", async (_, answer) => {
    expect(await failuresOf(withAnswer(answer))).toBe("");
  });

  let count = 0;
  const WRONG: Readonly<Record<string, [ask: Ask, expected: RegExp]>> = {
    "a digest of another kind": [withAnswer("sha1:00"), /it is a text that begins "sha1:00"/],
    "a private thing": [
      withAnswer(PEM.replaceAll("PUBLIC", "PRIVATE")),
      /it is a text that begins "-----BEGIN PRIVATE/,
    ],
    "an object": [withAnswer({ key: KEY }), /it is of type object/],
    "a machine with a TPM that it says has none": [withAnswer(undefined), /it is of type undefined/],
    "a platform that is away": [
      async () => {
        throw new TypeError("no route");
      },
      /twice the same: endorsementKeyOf threw: no route/,
    ],
    "another key each time": [
      async (asked, options) =>
        asked.name === "m-1" ? `sha256:${String(count++).padStart(64, "0")}` : await inventory(asked, options),
      /two answers about one Machine differ/,
    ],
    "one key for everybody": [async () => KEY, /another Machine does not have .*: a Machine that nobody knows has it/],
    "a key for a machine that has none": [
      async () => KEY,
      /without a TPM has no endorsement key: it must be undefined/,
    ],
  };
  it.each(Object.entries(WRONG))("finds %s", async (_, [ask, expected]) => {
    expect(await failuresOf(ask)).toMatch(expected);
  });

  it("finds a platform that minds no signal", async () => {
    const ask: Ask = async (asked, options) =>
      options.signal.aborted ? await new Promise(() => undefined) : await inventory(asked, options);
    expect(await failuresOf(ask)).toBe(
      "asking for endorsement keys ends when it is told to: endorsementKeyOf was told to stop and took longer than 1000 ms",
    );
  });

  it("finds a source without a name", async () => {
    expect(await failuresOf(inventory, { source: { name: "", endorsementKeyOf: inventory } })).toMatch(
      /name must be a text/,
    );
  });
});
