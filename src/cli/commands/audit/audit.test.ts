// The audit commands on untouched and on altered files; the heads are those that the embedded server keeps.

import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeAdminKubeconfig } from "../../../../test/builders/kubeconfig-file.ts";
import { connectAdmin, startTestApiServer, type TestApiServer } from "../../../../test/fakes/api-server.ts";
import { createManualClock } from "../../../../test/fakes/clock.ts";
import { aProcess } from "../../../../test/fakes/process-edge.ts";
import type { Namespace } from "../../../api/core/index.ts";
import { CONFIG_MAPS, NAMESPACES } from "../../../api/meta/index.ts";
import { createAnchor, createAuditTrail } from "../../../controller/audit/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import { silentLog } from "../../../platform/report/index.ts";
import { countersign, runProgram } from "../../index.ts";

const NAMESPACE = "countersign-system";

let server: TestApiServer;
let admin: KubeClient;
let directory: string;
/** A chain of four lines that the cluster knows, and one that it does not. */
let anchored: readonly string[];
let stranger: readonly string[];

async function writeTrail(chain: string, isAnchored: boolean): Promise<readonly string[]> {
  const lines: string[] = [];
  const sink = { append: (line: string) => void lines.push(line), sync: async () => undefined };
  const clock = createManualClock();
  const trail = createAuditTrail({ clock, replica: "replica-1", chain, sink });
  trail.begin([]);
  trail.record("verdict", { csr: "csr-a", verdict: "Allow" });
  trail.record("certificate issued", { csr: "csr-a", subject: "system:node:worker-1" });
  trail.record("verdict", { csr: "csr-b", verdict: "Deny", why: "no \u001b[31mMachine" });
  const over = new AbortController();
  over.abort();
  const options = { client: admin, clock, log: silentLog, namespace: NAMESPACE, replica: "replica-1", trail };
  if (isAnchored) await createAnchor(options).run(over.signal);
  return lines;
}

beforeAll(async () => {
  server = await startTestApiServer();
  directory = await mkdtemp(join(tmpdir(), "countersign-audit-"));
  admin = connectAdmin(server);
  writeAdminKubeconfig(join(directory, "admin.conf"), server);
  const namespace: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
  await admin.create(NAMESPACES, namespace);
  anchored = await writeTrail("c1", true);
  stranger = await writeTrail("c2", false);
});
afterAll(async () => {
  await admin.close();
  await server.close();
  await rm(directory, { recursive: true });
});

async function run(argv: readonly string[], stop?: AbortSignal) {
  const { edge, written } = aProcess({
    env: { KUBECONFIG: join(directory, "admin.conf") },
    ...(stop === undefined ? {} : { stop }),
  });
  const exit = await runProgram(countersign, argv, edge);
  return { exit, ...written };
}

async function fileOf(name: string, lines: readonly string[]): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, lines.map((line) => `${line}\n`).join(""));
  return path;
}

describe("audit verify", () => {
  it("ends with 0 where the trail is whole and the cluster vouches for it", async () => {
    const { exit, out } = await run(["audit", "verify", await fileOf("whole", anchored)]);
    expect([exit, out]).toEqual([
      0,
      expect.stringMatching(/whole .*c1 {2}4 lines {2}by replica-1 {2}the cluster vouches/),
    ]);
  });

  const spoil: Record<string, [lines: () => readonly string[], problem: RegExp]> = {
    "the end cut off": [
      () => anchored.slice(0, -1),
      /the cluster knows line 3, the last one here is 2: the end was cut off/,
    ],
    "a line changed": [
      () => anchored.map((line) => line.replace('"Allow"', '"Deny"')),
      /line 1 of chain c1 was changed: its digest is another/,
    ],
    "two lines swapped": [() => [0, 2, 1, 3].map((at) => anchored[at] ?? ""), /line 2 follows line 0/],
    "a line of another chain in the place of its own": [
      () => [anchored[0], anchored[1], stranger[2], anchored[3]].map((line) => line ?? ""),
      /line 3 follows line 1: lines are missing/,
    ],
    "another chain instead of the one that the cluster knows": [
      () => stranger,
      /the cluster knows 4 lines of it, none is here/,
    ],
    "nothing at all": [() => [], /none is here/],
    "a whole chain of somebody else beside its own": [
      () => [...anchored, ...stranger],
      /the cluster does not know it, nor does a chain that it knows/,
    ],
    "a line of no other chain, with a digest that is not its own": [
      () => [...anchored, (stranger[1] ?? "").replace('"Allow"', '"Deny"')],
      /line 1 of chain c2 was changed: its digest is another/,
    ],
  };
  it.each(Object.entries(spoil))("ends with 1 and says what is wrong: %s", async (name, [lines, problem]) => {
    const { exit, out } = await run(["audit", "verify", await fileOf(name, lines())]);
    expect([exit, out]).toEqual([1, expect.stringMatching(problem)]);
    expect(out).toContain("BROKEN");
  });

  it("without a cluster, says that a cut-off end does not show", async () => {
    const path = await fileOf("cut", anchored.slice(0, -1));
    const { exit, out } = await run(["audit", "verify", "--offline", path]);
    expect([exit, out]).toEqual([0, expect.stringContaining("not compared")]);
  });

  it("says how many lines belong to no chain", async () => {
    const { exit, out } = await run(["audit", "verify", await fileOf("mixed", [...anchored, "a line", '{"chain":1}'])]);
    expect([exit, out]).toEqual([0, expect.stringContaining("2 lines belong to no chain")]);
  });

  it("gives its findings as JSON", async () => {
    const { exit, out } = await run(["audit", "verify", "-o", "json", await fileOf("whole", anchored)]);
    expect([exit, JSON.parse(out)]).toMatchObject([0, { chains: [{ chain: "c1", anchored: true, problems: [] }] }]);
  });

  it("does not fail on a cluster that keeps no heads, and vouches for nothing", async () => {
    const path = await fileOf("stranger", stranger);
    const { exit, out } = await run(["audit", "verify", "--namespace", "elsewhere", path]);
    expect([exit, out]).toEqual([0, expect.stringContaining("the cluster does not know it")]);
    expect(await admin.list(CONFIG_MAPS, { namespace: "elsewhere" })).toMatchObject({ items: [] });
  });

  it("refuses a file that is not there", async () => {
    const { exit, err } = await run(["audit", "verify", "--offline", join(directory, "none")]);
    expect([exit === 0, err]).toEqual([false, expect.stringContaining("cannot read")]);
  });
});

describe("audit show", () => {
  it.each([
    ["--csr", "csr-b", ["verdict=Deny csr=csr-b"]],
    ["--node", "worker-1", ["csr=csr-a subject=system:node:worker-1"]],
    ["--event", "verdict", ["verdict=Allow csr=csr-a", "verdict=Deny csr=csr-b"]],
  ])("prints the lines that %s %s is about, and no others", async (flag, value, expected) => {
    const { exit, out } = await run(["audit", "show", flag, value, await fileOf("whole", anchored)]);
    const lines = out.trimEnd().split("\n");
    expect(exit).toBe(0);
    expect(lines).toHaveLength(expected.length);
    for (const [at, words] of expected.entries()) expect(lines[at]).toContain(words);
  });

  it("lets nothing of a requester's steer the terminal", async () => {
    const { out } = await run(["audit", "show", "--csr", "csr-b", await fileOf("whole", anchored)]);
    expect(out).not.toContain("\u001b");
  });

  it("refuses a line that was changed", async () => {
    const path = await fileOf(
      "changed",
      anchored.map((line) => line.replace('"Allow"', '"Deny"')),
    );
    const { exit, err } = await run(["audit", "show", path]);
    expect([exit === 0, err]).toEqual([false, expect.stringContaining("was changed")]);
  });
});

describe("audit tail", () => {
  it("prints what is there and what comes, until it is stopped", async () => {
    const path = await fileOf("growing", anchored.slice(0, 2));
    const stop = new AbortController();
    const { edge, written } = aProcess({ stop: stop.signal });
    const ended = runProgram(countersign, ["audit", "tail", path], edge);
    await expect.poll(() => written.out).toContain("verdict=Allow csr=csr-a");
    expect(written.out).not.toContain("csr-b");
    await appendFile(path, `${anchored[2]}\n${anchored[3]}\n`);
    await expect.poll(() => written.out).toContain("verdict=Deny csr=csr-b");
    stop.abort();
    expect(await ended).toBe(0);
  });

  it("gives the lines as they are with -o json, and leaves out what is none", async () => {
    const path = await fileOf("lines", ["not a line of a trail", ...anchored.slice(1, 3)]);
    const { exit, out } = await run(["audit", "tail", "-o", "json", path], AbortSignal.timeout(300));
    expect([exit, out]).toEqual([0, `${anchored[1]}\n${anchored[2]}\n`]);
  });
});
