// What a person sees at `npm start`: the built program, as a process of its own.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { missingTools } from "../builders/swtpm.ts";
import { notRun } from "../not-run.ts";
import { startProgram as start } from "./program.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "countersign-demo-"));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("countersign demo", () => {
  const demo = (env: Readonly<Record<string, string>> = {}) =>
    start(["demo", "--exit-when-done", "--port", "0", "--data-dir", join(directory, "demo")], { env });
  it.skipIf(notRun("the story with TPMs", missingTools("swtpm")))(
    "joins two nodes by their TPMs and refuses the impostor, who has another",
    async () => {
      const run = demo();
      expect(await run.exit).toBe(0);
      const steps = "discovered · trusted · attested (tpm) · requested · approved · signed · stored · registered";
      expect(run.text()).toContain(`node-a   ${steps}`);
      expect(run.text()).toContain(`node-b   ${steps}`);
      expect(run.text()).toMatch(/node-a {3}renewed by its certificate and fresh proof {3}\d+\.\d s\n/);
      expect(run.text()).toMatch(/node-a {3}got a certificate to serve with, by the same proof {3}\d+\.\d s\n/);
      expect(run.text()).toMatch(/impostor asks to be node-a .* refused: endorsement-key-is-pinned/);
      expect(run.text()).toContain("start it without --exit-when-done");
    },
  );

  it("joins two instances of a platform and refuses a third where there is no TPM, and says what to install", async () => {
    const run = demo({ PATH: join(directory, "nothing-installed") });
    expect(await run.exit).toBe(0);
    const attested = "attested (instance-identity)";
    const steps = `discovered · trusted · ${attested} · requested · approved · signed · stored · registered`;
    expect(run.text()).toContain(`node-a   ${steps}`);
    expect(run.text()).toContain(`node-b   ${steps}`);
    expect(run.text()).toMatch(/node-a {3}renewed by its certificate and fresh proof {3}\d+\.\d s\n/);
    expect(run.text()).toMatch(/impostor asks to be node-a .* refused: identity-keeps-its-pins/);
    expect(run.text()).toContain("apt install swtpm, or dnf install swtpm");
  });

  it("shows the token's id and nothing of its secret", async () => {
    const run = start(["demo", "--exit-when-done", "--port", "0", "--data-dir", join(directory, "demo")]);
    await run.exit;
    expect(run.text()).toMatch(/join token +[a-z0-9]{6}\.•{16}/);
    expect(run.text()).not.toMatch(/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/);
  });

  it("does not touch a directory that it did not make", async () => {
    writeFileSync(join(directory, "precious"), "x");
    const run = start(["demo", "--exit-when-done", "--port", "0", "--data-dir", directory]);
    expect(await run.exit).toBe(78);
    expect(run.text()).toContain("was not made by a demonstration");
    expect(readFileSync(join(directory, "precious"), "utf8")).toBe("x");
  });

  it("stays up until Ctrl-C, then ends cleanly with 0", async () => {
    const run = start(["demo", "--port", "0", "--data-dir", join(directory, "demo")]);
    await run.until("Ctrl-C stops everything");
    expect(readFileSync(join(directory, "demo", "admin.kubeconfig"), "utf8")).toContain("https://127.0.0.1:");
    expect(run.text()).toContain("kubectl get csr,nodes");
    expect(run.text()).toMatch(/csr explain countersign-(hello|single)-[a-z2-7]{52}/);
    const second = start(["demo", "--port", "0", "--data-dir", join(directory, "demo")]);
    expect(await second.exit, "what another lives in is not emptied").toBe(75);
    expect(second.text()).toMatch(/demo\.lock is held by process \d+/);
    run.child.kill("SIGINT");
    expect(await run.exit).toBe(0);
    expect(run.text()).toContain("stopped");
    expect(readdirSync(directory)).toEqual(["demo"]);
  });

  it("says that it was stopped when Ctrl-C comes before its end, and ends with 130", async () => {
    const run = start(["demo", "--port", "0", "--data-dir", join(directory, "demo")]);
    await run.until("join token");
    run.child.kill("SIGINT");
    expect(await run.exit).toBe(130);
    expect(run.text()).toContain("stopped before its end; the next run begins anew");
    expect(run.text()).not.toContain("failed");
  });
});

describe("countersign up", () => {
  it("finds everything again at the second start, and keeps its keys to itself", async () => {
    const args = ["up", "--port", "0", "--data-dir", join(directory, "cluster")];
    const first = start(args);
    await first.until("kubectl get csr,nodes");
    first.child.kill("SIGTERM");
    expect(await first.exit).toBe(0);
    const ca = readFileSync(join(directory, "cluster", "pki", "ca.crt"), "utf8");
    const second = start(args);
    await second.until("kubectl get csr,nodes");
    expect(readFileSync(join(directory, "cluster", "pki", "ca.crt"), "utf8")).toBe(ca);
    for (const name of ["pki/ca.key", "pki/apiserver.key", "admin.kubeconfig"]) {
      expect(statSync(join(directory, "cluster", name)).mode & 0o777, name).toBe(0o600);
    }
    second.child.kill("SIGTERM");
    expect(await second.exit).toBe(0);
  });

  it("refuses to begin anew with old keys when its objects are lost", async () => {
    const args = ["up", "--port", "0", "--data-dir", join(directory, "cluster")];
    const first = start(args);
    await first.until("kubectl get csr,nodes");
    first.child.kill("SIGTERM");
    expect(await first.exit).toBe(0);
    rmSync(join(directory, "cluster", "data"), { recursive: true });
    const second = start(args);
    expect(await second.exit).toBe(78);
    expect(second.text()).toContain("holds the keys of a cluster but none of its objects");
  });

  it("looks at the token before it starts anything", async () => {
    const run = start(["up", "--token", "none", "--port", "0", "--data-dir", join(directory, "cluster")]);
    expect(await run.exit).toBe(65);
    expect(run.text()).toContain("failed  token is not of the form");
    expect(readdirSync(directory)).toEqual([]);
  });

  it("refuses an address that nobody can dial", async () => {
    const run = start(["up", "--host", "0.0.0.0", "--port", "0", "--data-dir", join(directory, "cluster")]);
    expect(await run.exit).toBe(78);
    expect(run.text()).toContain("--host 0.0.0.0 is no address that a node could dial");
  });

  it("refuses a second process on the same directory with a clear error", async () => {
    const args = ["up", "--port", "0", "--data-dir", join(directory, "cluster")];
    const first = start(args);
    await first.until("kubectl get csr,nodes");
    const second = start(args);
    expect(await second.exit).toBe(75);
    expect(second.text()).toMatch(/failed {2}.*lock.* is held by process \d+/);
    expect(second.text()).toContain("do      stop the other process, or use another directory");
    first.child.kill("SIGTERM");
    expect(await first.exit).toBe(0);
  });
});
