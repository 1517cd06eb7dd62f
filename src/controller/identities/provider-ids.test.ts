import { describe, expect, it } from "vitest";
import type { Node } from "../../api/core/index.ts";
import type { NodeIdentity } from "../../api/countersign/index.ts";
import type { IdentityPhase } from "../../api/countersign/node-identity.ts";
import type { EventWords } from "../../platform/kube/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import type { AttestationWorld } from "../judging/exchange/world.ts";
import { createProviderIdWatch, providerIdMismatch } from "./provider-ids.ts";

const identity = (providerId?: string, phase: IdentityPhase = "Active"): NodeIdentity => ({
  apiVersion: "countersign.dev/v1alpha1",
  kind: "NodeIdentity",
  metadata: { name: "worker-1" },
  spec: { nodeName: "worker-1" },
  status: { phase, ...(providerId === undefined ? {} : { providerId }) },
});
const node = (providerID?: string): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "worker-1", uid: "n" },
  ...(providerID === undefined ? {} : { spec: { providerID } }),
});

describe("a Node's provider ID", () => {
  it("that is a stranger's is told with both", () => {
    expect(providerIdMismatch(identity("aws:///i-1"), node("aws:///i-2"))).toBe(
      'Node worker-1 says provider ID "aws:///i-2", and was attested with "aws:///i-1"',
    );
  });

  it.each<[string, NodeIdentity, Node | undefined]>([
    ["its own", identity("aws:///i-1"), node("aws:///i-1")],
    ["not said yet", identity("aws:///i-1"), node()],
    ["of no Node", identity("aws:///i-1"), undefined],
    ["never pinned", identity(), node("aws:///i-2")],
    ["of a platform without names", identity("countersign:///worker-1"), node("kind://x")],
    ["of a retired identity", identity("aws:///i-1", "Retired"), node("aws:///i-2")],
  ])("%s is nothing to tell", (_, pinned, seen) => expect(providerIdMismatch(pinned, seen)).toBeUndefined());

  it("is told once, counted while it stands, and told anew when it comes back", () => {
    const told: EventWords[] = [];
    let own = "aws:///i-2";
    const watch = createProviderIdWatch({
      identities: { list: () => [identity("aws:///i-1")] },
      getNode: () => node(own),
      events: { record: (_: unknown, words: EventWords) => told.push(words) },
      log: silentLog,
    } as unknown as AttestationWorld);
    watch.look();
    watch.look();
    expect(told).toMatchObject([{ type: "Warning", reason: "ProviderIdMismatch" }]);
    expect(watch.count()).toBe(1);
    own = "aws:///i-1";
    watch.look();
    expect(watch.count()).toBe(0);
    own = "aws:///i-2";
    watch.look();
    expect(told).toHaveLength(2);
  });
});
