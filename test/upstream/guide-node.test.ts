// The commands of docs/guides/node-certificates.md, typed as they stand, on the embedded control plane and on a real
// one; and beside each promise somebody who tries to get what it says that nobody gets.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseToken } from "../../src/api/bootstrap/index.ts";
import { aTestCa } from "../builders/tls-pair.ts";
import { spellingsFound, startRecordingProxy } from "../fakes/recording-proxy.ts";
import { type Desk, follow, type GuideLine, linesUnder, linkPrograms, type } from "../guides/guide.ts";
import { locateBinary } from "./assets/binaries.mjs";
import {
  type ControlPlane,
  createWorkspace,
  type OurController,
  startControlPlane,
  startEmbedded,
  startOurControllerProgram,
  type Workspace,
} from "./harness/index.ts";

const GUIDE = "docs/guides/node-certificates.md";

describe.each([
  ["the embedded control plane", () => startEmbedded(), false],
  ["a real API server", () => startControlPlane(), true],
] as const)("the node's guide on %s", (_, start, isReal) => {
  let plane: ControlPlane;
  let controller: OurController | undefined;
  let workspace: Workspace;
  let desk: Desk;

  beforeAll(async () => {
    workspace = await createWorkspace("guide-node");
    plane = await start();
    if (isReal) controller = await startOurControllerProgram(plane, [`--cluster-info-server=${plane.url}`]);
    const bin = linkPrograms(workspace.dir, { kubectl: locateBinary("kubectl").path });
    const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, KUBECONFIG: plane.adminKubeconfigPath };
    const examples = { "10.0.0.1:6443": `127.0.0.1:${plane.port}` };
    desk = { directory: workspace.dir, examples, env: { ...env, HOME: workspace.dir } };
  });
  afterAll(async () => {
    await controller?.stop();
    await plane?.stop();
    await workspace?.remove();
  });

  const line = (word: string): readonly GuideLine[] => {
    const found = linesUnder(GUIDE, "In commands").filter(({ command }) => command.includes(word));
    expect(found).toHaveLength(1);
    return found;
  };
  const typed = async (word: string) => (await follow(desk, line(word)))[0]?.text ?? "";

  it("makes a token, and whoever is in the middle of the join without it gets neither it nor the node", async () => {
    await typed("token create");
    const token = parseToken((await readFile(join(workspace.dir, "token"), "utf8")).trim());
    const middle = await startRecordingProxy(plane.url, aTestCa("middle").issueServing());
    const misled = { ...desk, examples: { "10.0.0.1:6443": new URL(middle.url).host } };
    const [join1] = line("node join");
    expect((await type(misled, `${join1?.command} --timeout 5s`)).code).toBe(77);
    expect(spellingsFound(middle.recorded(), token.secret)).toEqual([]);
    await middle.close();
  });

  it("joins, and the node is what it says; the same token is not let in under that name again", async () => {
    expect(await typed("node join")).toContain("joined as worker-1");
    expect(await typed("node status")).toContain("system:node:worker-1");
    expect(await typed("node doctor")).toMatch(/rights +ok +system:node:worker-1 may create certificate requests/);
    expect(await typed("auth whoami")).toContain("system:node:worker-1");
    const [join1] = line("node join");
    const again = { ...desk, examples: { ...desk.examples, "--directory node": "--directory thief --timeout 5s" } };
    expect((await type(again, join1?.command ?? "")).code).not.toBe(0);
  });

  it("renews; a stolen certificate renews itself under no other name", async () => {
    expect(await typed("node renew")).toContain("renewed, certificate good until");
    const other = "countersign node renew --directory node --node-name worker-2";
    expect((await type(desk, other)).code).not.toBe(0);
  });

  it("keeps the kubeconfig up to date, and leaves nothing behind", async () => {
    expect(await typed("discovery refresh")).toContain("is up to date");
    await typed("node leave");
    expect((await type(desk, "countersign node status --directory node")).code).toBe(1);
    expect((await type(desk, "ls node")).code).not.toBe(0);
  });
});
