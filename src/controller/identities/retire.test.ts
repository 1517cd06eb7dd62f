import { describe, expect, it } from "vitest";
import type { Node } from "../../api/core/index.ts";
import {
  EK_LABEL,
  type NodeIdentity,
  type NodeIdentitySpec,
  type NodeIdentityStatus,
} from "../../api/countersign/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import type { AttestationWorld } from "../judging/exchange/world.ts";
import { retire } from "./retire.ts";

const MACHINE = { namespace: "fleet", name: "m", uid: "u" };

interface Seen {
  readonly spec?: Partial<NodeIdentitySpec>;
  readonly status?: NodeIdentityStatus;
  readonly hasMachine?: boolean;
  readonly hasNode?: boolean;
  /** In which the cluster has Machines. */
  readonly namespaces?: readonly string[];
  readonly clusterName?: string | undefined;
  readonly isElsewhere?: boolean;
}

function anIdentity(name: string, { spec, status }: Seen): NodeIdentity {
  return {
    apiVersion: "countersign.dev/v1alpha1",
    kind: "NodeIdentity",
    metadata: { name, uid: name },
    spec: { nodeName: name, ...spec },
    status: { phase: "Active", machine: MACHINE, attestedAt: "2026-01-01T00:00:00Z", ...status },
  };
}

/** The phase that was written, if any. */
async function phaseAfter(seen: Seen): Promise<string | undefined> {
  const written: NodeIdentity[] = [];
  const identities = [anIdentity("worker-1", seen)];
  const { namespaces = ["fleet"], isElsewhere = false } = seen;
  const world = {
    identities: { list: () => (isElsewhere ? [] : identities), elsewhere: () => (isElsewhere ? identities : []) },
    machines: { has: () => seen.hasMachine ?? false, namespaces: () => namespaces },
    getNode: () => (seen.hasNode === true ? ({} as Node) : undefined),
    management: {
      update: async (_: unknown, one: NodeIdentity) => {
        written.push(one);
        return one;
      },
      patch: async () => undefined,
    },
    clusterName: "clusterName" in seen ? seen.clusterName : "east",
    log: silentLog,
  } as unknown as AttestationWorld;
  await retire(world);
  return written[0]?.status?.phase;
}

describe("an identity", () => {
  const rows: Readonly<Record<string, [Seen, string | undefined]>> = {
    "stays while its Machine is there": [{ hasMachine: true }, undefined],
    "is retiring while only its Node is there": [{ hasNode: true }, "Retiring"],
    "is retired when both are gone": [{}, "Retired"],
    "comes back with its Machine": [{ hasMachine: true, status: { phase: "Retiring" } }, "Active"],
    "is retired where the operator says so": [{ hasMachine: true, spec: { retired: true } }, "Retired"],
    "is revoked where the operator says so": [{ hasMachine: true, spec: { revoked: true } }, "Revoked"],
    "stays revoked while that stands": [{ spec: { revoked: true }, status: { phase: "Revoked" } }, undefined],
    "is active again when the revocation is lifted": [
      { hasMachine: true, spec: { revoked: false }, status: { phase: "Revoked" } },
      "Active",
    ],
    "is active again when the retirement is lifted": [
      { hasMachine: true, spec: { retired: false }, status: { phase: "Retired" } },
      "Active",
    ],
    "is active again when the retirement is lifted, also without a Machine": [
      { spec: { retired: false }, status: { phase: "Retired" } },
      "Active",
    ],
    "that was lifted is not retired again before it has joined": [
      { spec: { retired: false }, status: { phase: "Retiring" } },
      undefined,
    ],
    "stays retired after its Machine and Node until the name is pinned anew": [
      { hasMachine: true, status: { phase: "Retired" } },
      undefined,
    ],
    "of a cluster whose last Machine is gone is retired": [{ namespaces: [] }, "Retired"],
    "of whatever namespace is retired where there is one cluster": [
      { clusterName: undefined, namespaces: ["other"] },
      "Retired",
    ],
    "of a Machine of another namespace than this cluster's is not ours to retire": [
      { namespaces: ["other"] },
      undefined,
    ],
    "of a cluster of the same name elsewhere is not ours to retire": [{ isElsewhere: true }, undefined],
    "is retired by the operator's word wherever its Machine is": [
      { isElsewhere: true, spec: { retired: true } },
      "Retired",
    ],
  };
  it.each(Object.entries(rows))("%s", async (_, [seen, expected]) => expect(await phaseAfter(seen)).toBe(expected));

  it("that cannot be written keeps no other from being retired", async () => {
    const written: string[] = [];
    const update = async (_: unknown, one: NodeIdentity) => {
      if (one.metadata.name === "spoiled") throw new Fault("invalid", "status.phase: no");
      written.push(one.metadata.name ?? "");
      return one;
    };
    await retire({
      identities: { list: () => ["spoiled", "good"].map((name) => anIdentity(name, {})), elsewhere: () => [] },
      machines: { has: () => false, namespaces: () => [] },
      getNode: () => undefined,
      management: { update, patch: async () => undefined },
      log: silentLog,
    } as unknown as AttestationWorld);
    expect(written).toEqual(["good"]);
  });
});

describe("the endorsement key of a retired identity", () => {
  const bearing = (
    resourceVersion: string,
    labels: Readonly<Record<string, string>>,
    status: NodeIdentityStatus = {},
  ) => {
    const identity = anIdentity("worker-1", { status });
    return { ...identity, metadata: { ...identity.metadata, resourceVersion, labels } };
  };

  /** What the labels are let go by, where the server has the identity in this version after its phase was written. */
  async function patchesOf(identity: NodeIdentity): Promise<unknown[]> {
    const patches: unknown[] = [];
    await retire({
      identities: { list: () => [identity], elsewhere: () => [] },
      machines: { has: () => false, namespaces: () => [] },
      getNode: () => undefined,
      management: {
        update: async (_: unknown, one: NodeIdentity) => ({
          ...one,
          metadata: { ...one.metadata, resourceVersion: "8" },
        }),
        patch: async (_: unknown, __: unknown, { metadata }: NodeIdentity) => {
          patches.push(metadata);
          throw new Fault("conflict", "changed");
        },
      },
      log: silentLog,
    } as unknown as AttestationWorld);
    return patches;
  }

  it("is let go in the very version that is retired, so that nobody's new claim is taken away", async () => {
    expect(await patchesOf(bearing("7", { [EK_LABEL]: "old" }))).toEqual([
      { uid: "worker-1", resourceVersion: "8", labels: { [EK_LABEL]: null } },
    ]);
  });

  it("is let go with the next round where somebody wrote meanwhile", async () => {
    expect(await patchesOf(bearing("9", { [EK_LABEL]: "old" }, { phase: "Retired" }))).toMatchObject([
      { resourceVersion: "9" },
    ]);
    expect(await patchesOf(bearing("9", {}, { phase: "Retired" }))).toEqual([]);
  });
});
