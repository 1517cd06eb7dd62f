// A machine's life by the commands that its operator types: rehearse, join, look, ask the doctor, leave, with kubeadm's
// words where those are known better.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { countersign, runProgram } from "../../src/cli/index.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import { parseCertificate } from "../../src/kernel/x509/index.ts";
import { caPinOf } from "../../src/node/index.ts";
import { type JoinableCluster, startJoinableCluster } from "../fakes/joinable-cluster.ts";
import { aProcess } from "../fakes/process-edge.ts";
import { patient } from "../patience.ts";

describe("the commands of a node", () => {
  let cluster: JoinableCluster;
  let root = "";

  beforeEach(async () => {
    cluster = await startJoinableCluster();
    root = mkdtempSync(join(tmpdir(), "commands-"));
  });
  afterEach(async () => {
    await cluster.close();
    rmSync(root, { recursive: true });
  });

  async function type(...words: readonly string[]) {
    const { edge, written } = aProcess();
    const exit = await runProgram(countersign, ["node", ...words, "--directory", join(root, "node")], edge);
    expect(written.out + written.err).not.toContain("0123456789abcdef");
    return { exit, ...written };
  }
  const pin = () => caPinOf(parseCertificate(parsePem(cluster.api.caPem)[0]?.bytes ?? new Uint8Array()));
  const kubeadmWords = () => [
    ...["--discovery-token", cluster.token, "--discovery-token-ca-cert-hash", pin()],
    ...["--tls-bootstrap-token", cluster.token, "--node-name", "worker-1"],
  ];

  it("rehearse, join, show, find all well, and leave without a trace", async () => {
    const rehearsal = await type("join", ...kubeadmWords(), cluster.api.url, "--dry-run");
    expect(rehearsal).toMatchObject({
      exit: 0,
      out: expect.stringContaining("known there as system:bootstrap:abcdef"),
    });
    expect(readdirSync(root)).toEqual([]);

    const joined = await type("join", ...kubeadmWords(), cluster.api.url);
    expect(joined).toMatchObject({ exit: 0, out: expect.stringContaining("discovered · trusted · requested") });
    expect(joined.out).toContain("  plugin           kubelet-authenticator is not on this PATH: put it where");

    const status = await type("status", "-o", "json");
    expect(status.exit).toBe(0);
    expect(JSON.parse(status.out)).toMatchObject({ nodeName: "worker-1", joined: true, server: cluster.api.url });

    const doctor = await type("doctor");
    expect(doctor.out).toMatch(/certificate +ok +of system:node:worker-1, ends in/);
    expect(doctor.exit).toBe(0);

    expect(doctor.out).toMatch(/plugin +– +kubelet-authenticator is not on this PATH.*\n +do: put/);

    const others = await type("join", ...kubeadmWords(), "--node-name", "worker-8", cluster.api.url);
    expect(others).toMatchObject({ exit: 78, err: expect.stringContaining("holds the certificate of node worker-1") });
    expect(others.err).toMatch(/do +use another --directory, or countersign node leave --directory .*node first/);
    expect((await type("status")).exit).toBe(0);

    expect((await type("leave")).exit).toBe(64);
    expect((await type("leave", "--yes")).exit).toBe(0);
    expect(readdirSync(root)).toEqual([]);
    expect(await type("status")).toMatchObject({ exit: 1, out: expect.stringContaining("none") });
  });

  it("renew a plain node, and say of one with the insecure provider that it is not renewed and joins again", async () => {
    const token = join(root, "token");
    writeFileSync(token, cluster.token, { mode: 0o600 });
    const words = ["--token-file", token, "--node-name", "worker-1", cluster.api.url];
    await type("join", ...words);
    expect(await type("renew")).toMatchObject({ exit: 0, out: expect.stringContaining("renewed, certificate good") });
    await type("leave", "--yes", "--keep-node");
    expect((await type("join", "--provider", "insecure", ...words)).exit).toBe(0);
    const { exit, err } = await type("renew");
    expect([exit, err]).toEqual([78, expect.stringContaining("ProviderCannotRenew")]);
    expect(err).toMatch(/do +before the certificate of worker-1 ends, join again with a live token/);
    expect(err).not.toContain("no valid certificate");
    expect((await type("status")).exit).toBe(0);
    expect(await type("renew", "--if-due")).toMatchObject({ exit: 0, out: expect.stringContaining("not due yet") });
  });

  it("take a join up again after the doctor said what stopped it", async () => {
    cluster.decide(() => ({ kind: "leave" }));
    const token = join(root, "token");
    writeFileSync(token, cluster.token, { mode: 0o600 });
    const words = ["--node-name", "worker-1"];
    const first = await type("join", "--token-file", token, ...words, "--timeout", `${patient(2)}s`, cluster.api.url);
    expect(first).toMatchObject({ exit: 75, err: expect.stringContaining("nobody has judged it yet") });

    const doctor = await type("doctor", "-o", "json");
    expect(doctor.exit).toBe(1);
    const failed = JSON.parse(doctor.out).findings.filter(({ state }: { state: string }) => state === "failed");
    expect(failed).toMatchObject([{ check: "pending CSR", todo: expect.stringContaining("countersign csr explain") }]);

    const [csr] = await cluster.listRequests();
    await cluster.sign(csr?.metadata.name ?? "");
    expect(await type("join", "--resume")).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/stored.*\n.*joined as worker-1/),
    });
    expect((await type("doctor")).exit).toBe(0);
  });

  it("say what is missing when nothing is known", async () => {
    expect(await type("join", "--resume")).toMatchObject({
      exit: 78,
      err: expect.stringContaining("no join was begun"),
    });
    expect((await type("doctor")).exit).toBe(1);
  });
});
