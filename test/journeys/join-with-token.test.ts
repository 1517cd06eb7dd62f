// A join on the command line, step by step as an administrator and a machine would do it, and then its attacker:
// somebody who found the token and asks to be the node that has just joined.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Run, startProgram } from "./program.ts";

let directory: string;
let plane: Run;
let kubeconfig: string;
let endpoint: string;

async function run(...args: string[]): Promise<{ exit: number | null; text: string }> {
  const program = startProgram(args);
  return { exit: await program.exit, text: program.text() };
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "countersign-join-"));
  kubeconfig = join(directory, "admin.kubeconfig");
  plane = startProgram([
    "up",
    "--port",
    "0",
    "--allow-insecure",
    "--data-dir",
    join(directory, "cluster"),
    "--kubeconfig-out",
    kubeconfig,
  ]);
  await plane.until("kubectl get csr,nodes");
  endpoint = /https:\/\/(127\.0\.0\.1:\d+)/.exec(plane.text())?.[1] ?? "";
});

afterAll(async () => {
  plane.child.kill("SIGTERM");
  await plane.exit;
  rmSync(directory, { recursive: true, force: true });
});

describe("a join with a token", () => {
  const tokenFile = () => join(directory, "token");
  const joinAs = (machine: string) => [
    "node",
    "join",
    "--token-file",
    tokenFile(),
    "--node-name",
    "worker-1",
    "--directory",
    join(directory, machine),
    endpoint,
  ];

  it("01 the administrator makes a token", async () => {
    const { exit, text } = await run("token", "create", "--kubeconfig", kubeconfig, "-o", "json");
    expect(exit).toBe(0);
    const { token, expires } = JSON.parse(text);
    expect(token).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/);
    expect(Date.parse(expires)).toBeGreaterThan(Date.now());
    writeFileSync(tokenFile(), `${token}\n`, { mode: 0o600 });
  });

  it("02 the machine joins and has what a kubelet needs", async () => {
    const { exit, text } = await run(...joinAs("worker-1"), "--register");
    expect(text).toContain("discovered · trusted · requested · approved · signed · stored · registered");
    expect(exit).toBe(0);
    const current = join(directory, "worker-1", "pki", "kubelet-client-current.pem");
    expect(readFileSync(current, "utf8")).toMatch(/BEGIN CERTIFICATE[\s\S]*BEGIN EC PRIVATE KEY/);
    expect(statSync(current).mode & 0o777).toBe(0o600);
    expect(existsSync(join(directory, "worker-1", "kubelet-exec.kubeconfig"))).toBe(true);
  });

  it("03 joining again asks for nothing", async () => {
    const { exit, text } = await run(...joinAs("worker-1"), "--register");
    expect({ exit, again: text.includes("was joined already as worker-1"), asked: text.includes("requested") }).toEqual(
      {
        exit: 0,
        again: true,
        asked: false,
      },
    );
  });

  it("04 the attacker with the same token gets nothing, and sees why while it waits", async () => {
    const { exit, text } = await run(...joinAs("attacker"), "--timeout", "2s");
    expect(exit).toBe(75);
    expect(text).toContain("node worker-1 is registered; only the node itself can ask for its name again");
    expect(existsSync(join(directory, "attacker", "pki", "kubelet-client-current.pem"))).toBe(false);
  });

  const INSECURE = ["--signer-name", "cluster.x-k8s.io/kube-apiserver-client-kubelet-insecure"];

  it("05 under a signer of ours it is denied at once, and told by which rule", async () => {
    const { exit, text } = await run(...joinAs("attacker"), ...INSECURE);
    expect(exit).toBe(77);
    expect(text).toContain("NodeNameTaken: first-use-is-unspent");
    expect(existsSync(join(directory, "attacker", "pki", "kubelet-client-current.pem"))).toBe(false);
  });

  it("06 the reason stands on the request", async () => {
    const { text } = await run(...joinAs("attacker"), ...INSECURE);
    const name = /countersign-single-[a-z2-7]{52}/.exec(text)?.[0] ?? "";
    const { exit, text: explained } = await run("csr", "explain", name, "--kubeconfig", kubeconfig);
    expect(exit).toBe(0);
    expect(explained).toContain("DENY   first-use-is-unspent   NodeNameTaken");
    const json = await run("csr", "explain", name, "--kubeconfig", kubeconfig, "-o", "json");
    expect(JSON.parse(json.text)).toMatchObject({
      condition: "Denied",
      verdict: { rule: "first-use-is-unspent" },
    });
  });

  it("07 an unknown request is said to be unknown", async () => {
    const { exit, text } = await run("csr", "explain", "no-such", "--kubeconfig", kubeconfig);
    expect(exit).toBe(69);
    expect(text).toContain('certificatesigningrequests.certificates.k8s.io "no-such" not found');
  });
});
