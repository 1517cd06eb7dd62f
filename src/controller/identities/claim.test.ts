import { describe, expect, it } from "vitest";
import { anIdentity, NODE, NOW_MS } from "../../../test/builders/exchange.ts";
import { aSoftTpm } from "../../../test/builders/soft-tpm.ts";
import { EK_LABEL, type NodeIdentity, type NodeIdentitySpec } from "../../api/countersign/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { AttestationWorld } from "../judging/exchange/world.ts";
import { type Claiming, claim, reopen, withdraw } from "./claim.ts";

const reset = { until: new Date(NOW_MS + 60_000).toISOString() };

function known(spec: Partial<NodeIdentitySpec> = {}): NodeIdentity {
  const identity = anIdentity(aSoftTpm());
  const metadata = { name: NODE, uid: "u", resourceVersion: "1", labels: { [EK_LABEL]: "old" } };
  return { ...identity, metadata, spec: { nodeName: NODE, ...spec } };
}
const claiming = (value: NodeIdentity, more: Partial<Claiming> = {}): Claiming => ({
  nodeName: NODE,
  intent: "join",
  identity: { kind: "Present", value },
  ekLabel: "new",
  ...more,
});

/** The server with one identity, which keeps to versions; and what was told of it. */
function aManagementCluster(stored: NodeIdentity) {
  let current: NodeIdentity = stored;
  const told: string[] = [];
  const patches: object[] = [];
  function write(change: (one: NodeIdentity) => NodeIdentity): NodeIdentity {
    const next = change(current);
    const resourceVersion = String(Number(current.metadata.resourceVersion) + 1);
    current = { ...next, metadata: { ...next.metadata, resourceVersion } };
    return current;
  }
  const patch = async (_: unknown, __: unknown, { metadata, spec }: NodeIdentity) => {
    patches.push({ spec });
    if (metadata.resourceVersion !== current.metadata.resourceVersion) throw new Fault("conflict", "changed");
    return write((one) => ({
      ...one,
      metadata: { ...one.metadata, labels: without({ ...one.metadata.labels, ...metadata.labels }) },
      spec: without({ ...one.spec, ...spec }),
    }));
  };
  const world = {
    management: { get: async () => current, patch },
    log: { info: (message: string) => told.push(message) },
  } as unknown as AttestationWorld;
  return { world, told, patches, write, current: () => current };
}

function without<T extends object>(words: T): T {
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== null)) as T;
}

describe("a claim", () => {
  it.each<[string, Partial<Claiming>]>([
    ["of another TPM", {}],
    ["of the TPM that it bears", { ekLabel: "old" }],
  ])("%s closes in one write what an operator opened for a join", async (_, more) => {
    const { world, told, patches, current } = aManagementCluster(known({ reset }));
    const { ekLabel = "new" } = more;
    const claimed = await claim(world, claiming(current(), more));
    expect(claimed.spec).toEqual({ nodeName: NODE });
    expect(claimed.metadata.labels?.[EK_LABEL]).toBe(ekLabel);
    expect([patches.length, told]).toEqual([1, ["identity reset used up"]]);
  });

  it.each<[string, "join" | "renew", NonNullable<NodeIdentitySpec["reset"]>, boolean]>([
    ["a renewal leaves what was opened for the machine's successor", "renew", reset, true],
    ["a renewal uses up an opened clock", "renew", { ...reset, clock: true }, false],
    ["a join uses up an opened clock", "join", { ...reset, clock: true }, false],
  ])("of %s", async (_, intent, opened, isLeft) => {
    const { world, current } = aManagementCluster(known({ reset: opened }));
    await claim(world, claiming(current(), { intent, ekLabel: "old" }));
    expect(current().spec.reset !== undefined).toBe(isLeft);
  });

  it("that the identity bears already writes nothing", async () => {
    const { world, patches, current } = aManagementCluster(known());
    expect(await claim(world, claiming(current(), { ekLabel: "old" }))).toBe(current());
    expect(patches).toEqual([]);
  });

  it.each<[string, Partial<NodeIdentitySpec>]>([
    ["retired", { retired: true }],
    ["opened", { reset }],
    ["neither", {}],
  ])("is withdrawn to what it found: %s", async (_, spec) => {
    const found = known(spec);
    const { world, current } = aManagementCluster(found);
    const claimed = await claim(world, claiming(found));
    await withdraw(world, claiming(found), claimed);
    expect(current()).toMatchObject({ spec: found.spec, metadata: { labels: found.metadata.labels } });
    expect(Object.keys(current().spec)).toEqual(Object.keys(found.spec));
  });

  it("is withdrawn past somebody's write, whose words stand", async () => {
    const found = known({ reset });
    const { world, current, write } = aManagementCluster(found);
    const claimed = await claim(world, claiming(found));
    const newer = { ...reset, ekSpkiSha256: "00".repeat(32) };
    write((one) => ({ ...one, spec: { ...one.spec, reset: newer } }));
    await withdraw(world, claiming(found), claimed);
    expect(current().metadata.labels?.[EK_LABEL]).toBe("old");
    expect(current().spec.reset).toEqual(newer);
  });

  it("that is another's by now is left to it", async () => {
    const found = known({ retired: true });
    const { world, current, write } = aManagementCluster(found);
    const claimed = await claim(world, claiming(found));
    write((one) => ({ ...one, metadata: { ...one.metadata, labels: { [EK_LABEL]: "third" } } }));
    await withdraw(world, claiming(found), claimed);
    expect(current().metadata.labels?.[EK_LABEL]).toBe("third");
    expect(current().spec.retired).toBeUndefined();
  });
});

describe("a reset whose join could not be written", () => {
  it("is opened again, past somebody's write, and told", async () => {
    const found = known({ reset });
    const { world, told, current, write } = aManagementCluster(found);
    const claimed = await claim(world, claiming(found));
    write((one) => one);
    await reopen(world, claiming(found), claimed);
    expect(current().spec.reset).toEqual(reset);
    expect(told).toEqual(["identity reset used up", "identity reset given back"]);
  });

  it("stays closed where a join came in between", async () => {
    const found = known({ reset });
    const { world, current, write } = aManagementCluster(found);
    const claimed = await claim(world, claiming(found));
    write((one) => ({ ...one, status: { ...one.status, attestedAt: new Date(NOW_MS).toISOString() } }));
    await reopen(world, claiming(found), claimed);
    expect(current().spec.reset).toBeUndefined();
  });

  it("is nobody's matter where none was used up", async () => {
    const found = known();
    const { world, patches, current } = aManagementCluster(found);
    await reopen(world, claiming(found, { ekLabel: "old" }), current());
    expect(patches).toEqual([]);
  });
});
