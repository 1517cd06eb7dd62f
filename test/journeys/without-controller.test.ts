// `countersign up` without its judge, by choice and by misfortune. With --without-controller the API server serves,
// requests wait, and a controller of the operator's own answers them; a controller that cannot become ready keeps
// nobody from stopping the process.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { encodeToken, generateToken } from "../../src/api/bootstrap/index.ts";
import { randomBytes } from "../../src/platform/keys/index.ts";
import { patient } from "../patience.ts";
import { programPath, type Run, startProgram } from "./program.ts";

/** Several starts of programs on a busy machine. */
const LIMIT_MS = patient(60_000);

const work = mkdtempSync(join(tmpdir(), "countersign-without-"));
const inside = (...names: string[]) => join(work, ...names);
const kubeconfig = inside("admin.kubeconfig");
const running: Run[] = [];

function start(args: readonly string[], program?: string): Run {
  const run = startProgram(args, program === undefined ? {} : { program });
  running.push(run);
  return run;
}

function startUp(...args: readonly string[]): Run {
  return start(["up", "--port", "0", "--data-dir", inside("cluster"), "--kubeconfig-out", kubeconfig, ...args]);
}

async function type(...args: readonly string[]): Promise<{ exit: number | null; text: string }> {
  const run = start(args);
  return { exit: await run.exit, text: run.text() };
}

afterEach(async () => {
  for (const { child, exit } of running.splice(0).reverse()) {
    child.kill("SIGTERM");
    await exit;
  }
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

describe("a control plane without its controller", () => {
  it(
    "serves and leaves requests pending, until a controller of the operator's own comes",
    async () => {
      const tokenFile = inside("token");
      writeFileSync(tokenFile, encodeToken(generateToken(randomBytes)), { mode: 0o600 });
      const plane = startUp("--without-controller", "--token-file", tokenFile);
      await plane.until("kubectl get csr,nodes");
      expect(plane.text()).toContain("controller      none here");
      const server = /https:\/\/(\S+)/.exec(plane.text())?.[1] ?? "";
      const joining = ["node", "join", "--node-name", "worker-1", "--directory", inside("worker-1")];

      const left = await type(...joining, "--timeout", "2s", "--token-file", tokenFile, server);
      expect(left).toMatchObject({ exit: 75 });
      const pending = await type("csr", "list", "--pending", "--kubeconfig", kubeconfig, "-o", "json");
      expect(JSON.parse(pending.text)).toEqual([expect.objectContaining({ condition: "Pending" })]);

      const ca = ["--ca-cert", inside("cluster", "pki", "ca.crt"), "--ca-key", inside("cluster", "pki", "ca.key")];
      const place = ["--kubeconfig", kubeconfig, "--status-address", "127.0.0.1:0", "--audit-log", inside("audit.log")];
      start([...ca, ...place], programPath("node-attestation-controller"));
      expect(await type(...joining, "--resume")).toMatchObject({ exit: 0 });
      expect(readFileSync(inside("worker-1", "pki", "kubelet-client-current.pem"), "utf8")).toContain(
        "BEGIN CERTIFICATE",
      );
    },
    LIMIT_MS,
  );

  it("says that a flag for the controller is of no use", async () => {
    const { exit, text } = await type("up", "--without-controller", "--allow-insecure", "--data-dir", inside("none"));
    expect({ exit, text }).toEqual({ exit: 78, text: expect.stringContaining("--allow-insecure is for a controller") });
  });

  it(
    "ends when it is told to while its controller cannot become ready",
    async () => {
      // One watch in all: the controller's second one is refused for as long as the first lives.
      const plane = startUp("--max-watches", "1");
      await plane.until("cannot follow a resource");
      plane.child.kill("SIGTERM");
      expect(await plane.exit).toBe(0);
      expect(plane.text()).toContain("stopped");
      expect(plane.text()).not.toContain("control plane ");
    },
    LIMIT_MS,
  );
});
