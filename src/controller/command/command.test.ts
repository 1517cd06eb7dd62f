import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anAuthority } from "../../../test/builders/csr-authority.ts";
import { encodeKubeconfig } from "../../api/kubeconfig/index.ts";
import type { ProcessEdge } from "../../platform/process/index.ts";
import { runControllerCommand } from "./index.ts";

let dir: string;
const stop = new AbortController();

function anEdge() {
  const out: string[] = [];
  const err: string[] = [];
  const edge: ProcessEdge = {
    env: {},
    stop: stop.signal,
    stdout: { write: (text) => void out.push(text), isTty: false },
    stderr: { write: (text) => void err.push(text), isTty: false },
  };
  return { edge, out: () => out.join(""), err: () => err.join("") };
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "controller-command-"));
  const { certPem, keyPem } = anAuthority();
  await writeFile(join(dir, "ca.crt"), certPem);
  await writeFile(join(dir, "ca.key"), keyPem, { mode: 0o600 });
  await writeFile(join(dir, "other.key"), anAuthority().keyPem, { mode: 0o600 });
  // Nobody listens there.
  const kubeconfig = encodeKubeconfig({
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    currentContext: "x",
  });
  await writeFile(join(dir, "kubeconfig"), kubeconfig);
});
afterAll(() => rm(dir, { recursive: true }));

const file = (name: string) => join(dir, name);

describe("node-attestation-controller", () => {
  it("prints its help to standard output and ends with 0", async () => {
    const { edge, out } = anEdge();
    expect(await runControllerCommand(["--help"], edge)).toBe(0);
    expect(out()).toContain("usage: node-attestation-controller");
  });

  it.each<[string, () => string[], RegExp]>([
    ["a wrong command line", () => ["--what"], /--what/],
    [
      "a CA that is not there",
      () => ["--ca-cert", file("none"), "--ca-key", file("ca.key"), "--kubeconfig", file("kubeconfig")],
      /none/,
    ],
    [
      "a key that belongs to another CA, at the start and not at the first join",
      () => ["--ca-cert", file("ca.crt"), "--ca-key", file("other.key"), "--kubeconfig", file("kubeconfig")],
      /CA key does not belong/,
    ],
    ["no kubeconfig outside of a pod", () => ["--ca-cert", file("ca.crt"), "--ca-key", file("ca.key")], /not in a pod/],
  ])("ends with 78 and one sentence for %s", async (_, args, sentence) => {
    const { edge, err } = anEdge();
    expect(await runControllerCommand([...args(), "--log-level=silent"], edge)).toBe(78);
    expect(err()).toMatch(sentence);
    expect(err().trim().split("\n")).toHaveLength(1);
  });

  it("waits for a server that is away, and ends with 0 when it is told to stop", async () => {
    const { edge } = anEdge();
    const args = ["--ca-cert", file("ca.crt"), "--ca-key", file("ca.key"), "--kubeconfig", file("kubeconfig")];
    const ended = runControllerCommand([...args, "--log-level=silent"], edge);
    setTimeout(() => stop.abort(), 50);
    expect(await ended).toBe(0);
  });
});
