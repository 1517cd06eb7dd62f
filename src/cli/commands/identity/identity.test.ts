// The identity commands as a person runs them, against the embedded server.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeAdminKubeconfig } from "../../../../test/builders/kubeconfig-file.ts";
import { defineOwnKinds } from "../../../../test/contract/definitions.ts";
import { connectAdmin, startTestApiServer, type TestApiServer } from "../../../../test/fakes/api-server.ts";
import { aProcess } from "../../../../test/fakes/process-edge.ts";
import { EK_LABEL, ekLabelOf, NODE_IDENTITIES, type NodeIdentity } from "../../../api/countersign/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import { countersign, runProgram } from "../../index.ts";

const HASH = "5c".repeat(32);

let server: TestApiServer;
let admin: KubeClient;
let directory: string;
let kubeconfig: string;
beforeAll(async () => {
  server = await startTestApiServer();
  admin = connectAdmin(server);
  await defineOwnKinds(admin);
  directory = await mkdtemp(join(tmpdir(), "countersign-identity-"));
  kubeconfig = writeAdminKubeconfig(join(directory, "admin.conf"), server);
});
afterAll(async () => {
  await admin.close();
  await server.close();
  await rm(directory, { recursive: true });
});

async function run(...argv: string[]) {
  const { edge, written } = aProcess({ env: { KUBECONFIG: kubeconfig } });
  const exit = await runProgram(countersign, ["identity", ...argv], edge);
  return { exit, ...written };
}

const get = (name: string) => admin.get<NodeIdentity>(NODE_IDENTITIES, { name });

describe("countersign identity", () => {
  it("enrolls a node with its TPM, lists and shows it", async () => {
    expect(await run("enroll", "worker-7", "--ek-hash", `sha256:${HASH}`)).toMatchObject({ exit: 0 });
    expect((await get("worker-7")).spec).toEqual({ nodeName: "worker-7", tpm: { ek: { spkiSha256: HASH } } });
    expect((await run("list")).out).toMatch(/worker-7\s+Pending.*5c5c5c5c5c5c/);
    expect((await run("show", "worker-7")).out).toContain("exchanges\n  <none>");
  });

  it("claims the TPM for the node, which no other may have until that one is retired", async () => {
    const key = "7".repeat(64);
    await run("enroll", "worker-20", "--ek-hash", key);
    expect((await get("worker-20")).metadata.labels?.[EK_LABEL]).toBe(ekLabelOf(key));
    const second = await run("enroll", "worker-21", "--ek-hash", key);
    expect(second.exit).not.toBe(0);
    expect(second.err).toContain("the TPM is that of node worker-20; retire that one first");
    await run("retire", "worker-20");
    expect((await run("enroll", "worker-21", "--ek-hash", key)).exit).toBe(0);
  });

  it("enrolls a node of one of several clusters under a name of its own", async () => {
    await run("enroll", "worker-8", "--cluster", "prod");
    expect((await get("prod.worker-8")).spec).toEqual({ nodeName: "worker-8", clusterName: "prod" });
  });

  it("refuses a name that no node can have, and a hash that is none", async () => {
    expect((await run("enroll", "Worker 7")).exit).not.toBe(0);
    expect((await run("enroll", "worker-9", "--ek-hash", "5c")).exit).not.toBe(0);
  });

  it("opens the pins for an hour", async () => {
    await run("enroll", "worker-10");
    expect((await run("reset", "worker-10", "--ek-hash", HASH)).exit).toBe(0);
    const { reset } = (await get("worker-10")).spec;
    expect(reset?.ekSpkiSha256).toBe(HASH);
    expect(Date.parse(reset?.until ?? "")).toBeGreaterThan(Date.now());
  });

  it("forgets an earlier reset with the next one", async () => {
    await run("enroll", "worker-12");
    await run("reset", "worker-12", "--clock", "--ek-hash", HASH);
    await run("reset", "worker-12");
    expect((await get("worker-12")).spec.reset).toEqual({ until: expect.any(String) });
  });

  it("says what to do with a name that was enrolled before", async () => {
    await run("enroll", "worker-14");
    const { exit, err } = await run("enroll", "worker-14", "--ek-hash", HASH.replace(/^5/, "6"));
    expect(exit).toBe(69);
    expect(err).toContain("countersign identity show worker-14");
  });

  it("retires, and takes it back", async () => {
    await run("enroll", "worker-13");
    expect((await run("retire", "worker-13")).out).toBe("node worker-13 is retired\n");
    expect((await get("worker-13")).spec.retired).toBe(true);
    expect((await run("show", "worker-13")).out).toMatch(/phase\s+Retired/);
    expect((await run("retire", "worker-13", "--lift")).exit).toBe(0);
    expect((await get("worker-13")).spec.retired).toBe(false);
  });

  it("revokes, and lifts it", async () => {
    await run("enroll", "worker-11");
    await run("revoke", "worker-11");
    expect((await get("worker-11")).spec.revoked).toBe(true);
    expect((await run("list", "-o", "json")).out).toContain('"phase":"Revoked"');
    await run("revoke", "worker-11", "--lift");
    expect((await get("worker-11")).spec.revoked).toBe(false);
  });
});
