import { readFile } from "node:fs/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { EventWords, KubeClient } from "../../platform/kube/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import { createGuard, GUARD_BINDING_SPEC, GUARD_POLICY_SPEC, readKeyHash } from "./guard.ts";

const HASH = "ab".repeat(32);
const EK = "cluster.x-k8s.io/tpm-endorsement-key";
const CREATED = "2026-01-01T00:00:00Z";

describe("deploy/guard.yaml", () => {
  it("is the guard that the controller believes", async () => {
    const text = await readFile(new URL("../../../deploy/guard.yaml", import.meta.url), "utf8");
    const [policy, binding] = parseAllDocuments(text).map((document) => document.toJS());
    expect(policy.spec).toEqual(GUARD_POLICY_SPEC);
    expect(binding.spec).toEqual(GUARD_BINDING_SPEC);
  });
});

describe("readKeyHash", () => {
  it.each([
    ["a digest", `sha256:${HASH}`, HASH],
    ["a digest in upper case", `sha256:${HASH.toUpperCase()}`, undefined],
    ["nothing that is a key", "hello", undefined],
    ["a certificate that is none", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", undefined],
  ])("reads %s", (_, text, expected) => {
    expect(readKeyHash(text)).toBe(expected);
  });
});

describe("the annotation of the platform", () => {
  function guardWith(get: () => Promise<unknown>) {
    const client = { get } as unknown as KubeClient;
    const events = { record: (_: unknown, { reason }: EventWords) => void told.push(reason) };
    return createGuard({ client, clock: createManualClock(), log: silentLog, events });
  }
  const object = (annotations: Record<string, string>, createdMs = Date.parse(CREATED) + 60_000) =>
    ({ csr: {}, object: { name: "csr", annotations, createdMs } }) as never;
  const inPlace = (spec: unknown) => ({ metadata: { generation: 1, creationTimestamp: CREATED }, spec });
  let calls = 0;
  const told: string[] = [];
  beforeEach(() => told.splice(0));
  const both = async () => inPlace(calls++ % 2 === 0 ? GUARD_POLICY_SPEC : GUARD_BINDING_SPEC);

  it("counts where the guard is in place and older", async () => {
    const said = await guardWith(both).annotationOf(object({ [EK]: `sha256:${HASH}` }));
    expect(said).toEqual([{ name: "annotation", statement: { kind: "Present", value: HASH } }]);
    expect(told).toEqual([]);
  });

  it("is waited for where it cannot be read", async () => {
    expect(await guardWith(both).annotationOf(object({ [EK]: "?" }))).toMatchObject([
      { statement: { kind: "NotRead" } },
    ]);
  });

  it("is nothing where we wrote it ourselves", async () => {
    const own = { [EK]: `sha256:${HASH}`, "countersign.dev/tpm-endorsement-key-from": "evidence" };
    expect(await guardWith(both).annotationOf(object(own))).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ["there is no guard", () => Promise.reject(new Fault("not-found", "none"))],
    ["it was changed", async () => inPlace({ ...GUARD_POLICY_SPEC, failurePolicy: "Ignore" })],
    [
      "it was ever changed",
      async () => ({ ...(await both()), metadata: { generation: 2, creationTimestamp: CREATED } }),
    ],
  ])("is ignored where %s", async (_, get) => {
    expect(await guardWith(get).annotationOf(object({ [EK]: `sha256:${HASH}` }))).toEqual([]);
    expect(told).toEqual(["GuardMissing"]);
  });

  it("is ignored on a request that is older than the guard", async () => {
    const early = object({ [EK]: `sha256:${HASH}` }, Date.parse(CREATED));
    expect(await guardWith(both).annotationOf(early)).toEqual([]);
  });
});
