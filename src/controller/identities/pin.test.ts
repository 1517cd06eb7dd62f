// Whose claim on a name or a key stands in the way of a pin. Races are in test/contract; the claim's own writes in
// claim.test.ts.
import { describe, expect, it } from "vitest";
import { anIdentity, NODE, NOW_MS } from "../../../test/builders/exchange.ts";
import { aSoftTpm } from "../../../test/builders/soft-tpm.ts";
import { EK_LABEL, type NodeIdentity, type NodeIdentitySpec } from "../../api/countersign/index.ts";
import type { AttestationWorld } from "../judging/exchange/world.ts";
import { type Pinning, pin } from "./pin.ts";

/** Active, as the controller wrote it before the operator said anything. */
function bearing(nodeName: string, key: string, spec: Partial<NodeIdentitySpec> = {}): NodeIdentity {
  const metadata = { name: nodeName, uid: `of ${nodeName}`, resourceVersion: "1", labels: { [EK_LABEL]: key } };
  return { ...anIdentity(aSoftTpm(), { phase: "Active" }), metadata, spec: { nodeName, ...spec } };
}

function pinOn(own: NodeIdentity, others: readonly NodeIdentity[] = []) {
  const world = {
    clock: { now: () => NOW_MS },
    log: { info: () => undefined },
    management: {
      list: async () => ({ items: [own, ...others] }),
      patch: async () => own,
      update: async (_: unknown, written: NodeIdentity) => written,
    },
  } as unknown as AttestationWorld;
  const exchange: Pinning["exchange"] = {
    proofUid: "p",
    spkiSha256: "00",
    signerName: "s",
    state: "Verified",
    at: new Date(NOW_MS).toISOString(),
  };
  const identity = { kind: "Present", value: own } as const;
  return pin(world, { nodeName: NODE, intent: "join", identity, ekLabel: "new", pins: {}, exchange });
}

describe("a pin", () => {
  it.each<[string, Partial<NodeIdentitySpec>, object]>([
    ["is refused to another TPM than the name has", {}, { kind: "Refused", reason: "IdentityConflict" }],
    ["is given it once an operator retired the name", { retired: true }, { kind: "Pinned" }],
    [
      "is refused where that is revoked as well",
      { retired: true, revoked: true },
      { kind: "Refused", reason: "IdentityConflict" },
    ],
  ])("%s", async (_, spec, expected) => {
    expect(await pinOn(bearing(NODE, "old", spec))).toMatchObject(expected);
  });

  it.each<[string, Partial<NodeIdentitySpec>, object]>([
    ["is refused a key that another has", {}, { kind: "Refused", reason: "EndorsementKeyInUse" }],
    ["is given it once an operator retired that one", { retired: true }, { kind: "Pinned" }],
    [
      "is refused it where that one is revoked as well",
      { retired: true, revoked: true },
      { kind: "Refused", reason: "EndorsementKeyInUse" },
    ],
  ])("%s", async (_, spec, expected) => {
    expect(await pinOn(bearing(NODE, "new"), [bearing("another", "new", spec)])).toMatchObject(expected);
  });
});

describe("certificates of before", () => {
  it.each<[string, Partial<NodeIdentitySpec>, boolean | undefined]>([
    ["end with the name that an operator retired a moment ago", { retired: true }, true],
    ["stand when the machine joins again", {}, undefined],
  ])("%s", async (_, spec, revoked) => {
    const own = bearing(NODE, "new", spec);
    const one = { sha256: "00", serialNumber: "1", notAfter: "2027-01-01T00:00:00Z", purpose: "Client" } as const;
    const pinned = await pinOn({ ...own, status: { ...own.status, certificates: [one] } });
    const [before] = (pinned.kind === "Pinned" && pinned.identity.status?.certificates) || [];
    expect(before?.revoked).toBe(revoked);
  });
});
