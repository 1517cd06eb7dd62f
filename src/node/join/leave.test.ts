import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type JoinableCluster, startJoinableCluster } from "../../../test/fakes/joinable-cluster.ts";
import { createInsecureProvider } from "../../attestation/insecure/node.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { parseDiscoveryMethod } from "../discovery/index.ts";
import { joinNode } from "./join.ts";
import { leaveCluster, listLeft } from "./leave.ts";

describe("leaving", () => {
  let cluster: JoinableCluster;
  let root = "";
  const directory = () => join(root, "node");

  beforeEach(async () => {
    cluster = await startJoinableCluster();
    root = mkdtempSync(join(tmpdir(), "leave-"));
    await joinNode({
      discovery: parseDiscoveryMethod({ address: cluster.api.url, token: cluster.token }),
      nodeName: "worker-1",
      directory: directory(),
      provider: createInsecureProvider(),
      registerNode: { addresses: [] },
      clock: systemClock,
    });
  });
  afterEach(async () => {
    await cluster.close();
    rmSync(root, { recursive: true });
  });
  const leave = () => leaveCluster({ directory: directory(), nodeName: "worker-1", clock: systemClock });

  it("removes every file that the join wrote, and the directory with them", async () => {
    const listed = await listLeft(directory());
    const { removed } = await leave();
    expect([...removed].filter((path) => !path.endsWith(".lock")).sort()).toEqual([...listed].sort());
    expect(existsSync(directory())).toBe(false);
  });

  it("says what became of the Node object", async () => {
    expect((await leave()).node).toMatch(/^(removed|absent|not removed .*kubectl delete node worker-1)/);
  });

  it("leaves alone what somebody else put there", async () => {
    writeFileSync(join(directory(), "notes"), "mine");
    await leave();
    expect(readdirSync(directory())).toEqual(["notes"]);
  });

  it("has nothing to do where nobody joined", async () => {
    await leave();
    await expect(leave()).rejects.toMatchObject({ code: "not-found" });
  });
});
