// docs/journey.md is true: its paths exist, the hops name what is exported, and happen in this order in a real join.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { STAGES } from "../../src/apiserver/chain.ts";
import { joinPlaces } from "../../src/node/index.ts";
import { missingTools, startSwtpm } from "../builders/swtpm.ts";
import { type Run, startProgram } from "../journeys/program.ts";
import { notRun } from "../not-run.ts";
import {
  exportOf,
  findMissed,
  type Hop,
  hopsBelow,
  instrumentBuild,
  keyOf,
  readCalls,
  type TracedCall,
} from "./journey-hops.ts";

const root = new URL("../../", import.meta.url);
const text = readFileSync(new URL("docs/journey.md", root), "utf8");
const plain = hopsBelow(text, "A plain join");
const attested = hopsBelow(text, "An attested join");

describe("docs/journey.md", () => {
  const paths = [...text.matchAll(/`((?:src|test|docs)\/[^`]*)`/g)].map((match) => match[1] ?? "");

  it("names paths", () => expect(paths.length).toBeGreaterThan(15));

  for (const path of new Set(paths)) {
    it(`names ${path}, which exists`, () => expect(existsSync(new URL(path, root))).toBe(true));
  }

  it("walks the stages of the API server in the order of chain.ts", () => {
    const rows = [...text.matchAll(/^\| ([a-z]+) \| `([^`]+)` \|/gm)].map((match) => ({
      name: match[1],
      path: match[2],
    }));
    expect(rows).toEqual(STAGES.map(({ name, path }) => ({ name, path })));
  });
});

it("sources that name a step of the journey name one that is there", () => {
  const sources = readdirSync(new URL("src/", root), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(new URL(`src/${path}`, root), "utf8"));
  const named = sources.flatMap((source) =>
    [...source.matchAll(/Step "([a-z]+)" of(?: |\n\/\/ )the/g)].map(([, step]) => step),
  );
  const steps = [...plain, ...attested].map(({ step }) => step);
  expect(named.length).toBeGreaterThan(2);
  expect(named.filter((step) => step === undefined || !steps.includes(step))).toEqual([]);
});

describe.each([
  { what: "plain", hops: plain },
  { what: "attested", hops: attested },
])("the hops of a join, $what", ({ hops }) => {
  const sourceOf = (path: string) => readFileSync(new URL(`src/${path}`, root), "utf8");

  it("have one numbering", () => {
    expect(hops.length).toBeGreaterThanOrEqual(12);
    expect(hops.length).toBeLessThanOrEqual(20);
    expect(hops.map(({ number }) => number)).toEqual(hops.map((_, index) => index + 1));
  });

  it("lead from a file that exists to one that exports their function", () => {
    const isExported = (hop: Hop) =>
      new RegExp(`^export (?:async )?function ${exportOf(hop)}\\b`, "m").test(sourceOf(hop.to));
    expect(hops.filter(({ from }) => !existsSync(new URL(`src/${from}`, root)))).toEqual([]);
    expect(hops.filter((hop) => !isExported(hop)).map(keyOf)).toEqual([]);
  });
});

describe("the hops of a join as they happen on the embedded plane", () => {
  const directory = mkdtempSync(join(tmpdir(), "countersign-hops-"));
  const callsPath = join(directory, "calls");
  const tokenFile = join(directory, "token");
  const planeDirectory = join(directory, "plane");
  let programs: string;
  let plane: Run;

  const start = (words: readonly string[]) =>
    startProgram(words, { program: join(programs, "countersign.js"), env: { COUNTERSIGN_CALLS: callsPath } });

  async function textOf(run: Run): Promise<string> {
    if ((await run.exit) !== 0) throw new Error(run.text());
    return run.text();
  }

  beforeAll(async () => {
    programs = instrumentBuild(directory, [...plain, ...attested]);
    writeFileSync(tokenFile, "abcdef.0123456789abcdef", { mode: 0o600 });
    plane = start(["up", "--data-dir", planeDirectory, "--port", "0", "--token-file", tokenFile]);
    await plane.until("https://");
  });

  afterAll(async () => {
    plane.child.kill();
    await plane.exit;
    rmSync(directory, { recursive: true, force: true });
  });

  /** What was called between the start of a join and the first use of its certificate. */
  async function traceJoin(nodeName: string, words: readonly string[]): Promise<readonly TracedCall[]> {
    const data = join(directory, nodeName);
    const address = /https:\/\/([\d.]+:\d+)/.exec(plane.text())?.[1] ?? "";
    const where = ["--node-name", nodeName, "--directory", data, "--token-file", tokenFile, address];
    writeFileSync(callsPath, "");
    await textOf(start(["node", "join", ...words, ...where]));
    await present(data);
    return readCalls(callsPath);
  }

  /** As a kubelet calls the plugin. The plugin of the build is a bundle; here its modules are run. */
  async function present(data: string): Promise<void> {
    const { exec } = parse(readFileSync(joinPlaces(data).execKubeconfigPath, "utf8")).users[0].user;
    const info = {
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      spec: { interactive: false },
    };
    const env = { COUNTERSIGN_CALLS: callsPath, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
    await textOf(startProgram(exec.args, { program: join(programs, `${exec.command}.js`), env }));
  }

  it("a plain join", async () => {
    expect(findMissed(plain, await traceJoin("plain-1", []))).toEqual([]);
  });

  const missing = missingTools("swtpm");
  it.skipIf(notRun("the hops of an attested join", missing))("an attested join", async () => {
    const swtpm = await startSwtpm();
    try {
      const tpm = ["--tpm", swtpm.address];
      const { spkiSha256 } = JSON.parse(await textOf(start(["node", "tpm", ...tpm, "-o", "json"])));
      const admin = ["--kubeconfig", join(planeDirectory, "admin.kubeconfig")];
      await textOf(start(["identity", "enroll", "tpm-1", "--ek-hash", spkiSha256, ...admin]));
      expect(findMissed(attested, await traceJoin("tpm-1", ["--provider", "tpm", ...tpm]))).toEqual([]);
    } finally {
      await swtpm.stop();
    }
  });

  it("finds a hop that is out of its order, or has another caller", () => {
    const calls = plain.map((hop) => ({ called: keyOf(hop), caller: hop.from }));
    const [first, second, ...others] = calls;
    if (first === undefined || second === undefined) throw new Error("there are no hops");
    expect(findMissed(plain, calls)).toEqual([]);
    expect(findMissed(plain, [second, first, ...others])).toHaveLength(1);
    expect(findMissed(plain, [{ ...first, caller: second.caller }, second, ...others])).toHaveLength(1);
  });
});
