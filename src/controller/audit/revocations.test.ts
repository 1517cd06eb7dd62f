// Revocations as lines of the trail.

import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { NodeIdentity } from "../../api/countersign/index.ts";
import { type LogFields, silentLog } from "../../platform/report/index.ts";
import { createRevocationAudit } from "./revocations.ts";

function anIdentity(nodeName: string): NodeIdentity {
  const metadata = { name: nodeName, uid: `uid-${nodeName}` };
  return { apiVersion: "countersign.dev/v1alpha1", kind: "NodeIdentity", metadata, spec: { nodeName, revoked: true } };
}

async function aLeader(first: readonly NodeIdentity[] = []) {
  let revoked = first;
  let handler: () => void = () => undefined;
  const lines: [string, LogFields][] = [];
  const audit = createRevocationAudit({
    log: { ...silentLog, info: (event, fields = {}) => void lines.push([event, fields]) },
    identities: {
      waitForSync: async () => undefined,
      revoked: () => revoked,
      onChange: (wanted) => {
        handler = wanted;
      },
    },
  });
  const term = new AbortController();
  const ended = audit.run(term.signal);
  await setImmediate();
  return {
    lines,
    change: (next: readonly NodeIdentity[]) => {
      revoked = next;
      handler();
    },
    end: () => {
      term.abort();
      return ended;
    },
  };
}

describe("revocations in the audit trail", () => {
  it("begin with those in force", async () => {
    const { lines } = await aLeader([anIdentity("worker-1")]);
    expect(lines).toEqual([["revocations in force", { audit: true, identities: ["worker-1"] }]]);
  });

  it("are a line for each, and for each that was taken back", async () => {
    const { lines, change } = await aLeader();
    change([anIdentity("worker-1"), anIdentity("worker-2")]);
    change([anIdentity("worker-2")]);
    expect(lines.slice(1)).toMatchObject([
      ["revoked", { audit: true, node: "worker-1" }],
      ["revoked", { audit: true, node: "worker-2" }],
      ["revocation ended", { audit: true, node: "worker-1" }],
    ]);
  });

  it("are not told twice, nor by a replica that does not lead any more", async () => {
    const { lines, change, end } = await aLeader([anIdentity("worker-1")]);
    change([anIdentity("worker-1")]);
    await end();
    change([]);
    expect(lines).toHaveLength(1);
  });
});
