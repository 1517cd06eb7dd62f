// The identity commands against the embedded server.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeAdminKubeconfig } from "../../../../test/builders/kubeconfig-file.ts";
import { defineOwnKinds } from "../../../../test/contract/definitions.ts";
import { connectAdmin, startTestApiServer, type TestApiServer } from "../../../../test/fakes/api-server.ts";
import { aProcess } from "../../../../test/fakes/process-edge.ts";
import { EK_LABEL, ekLabelOf, NODE_IDENTITIES, type NodeIdentity } from "../../../api/countersign/index.ts";
import { NODES } from "../../../api/meta/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import { countersign, runProgram } from "../../index.ts";

const HASH = "5c".repeat(32);
const MERGE = { type: "merge" } as const;
const TENTH = "a0".repeat(32);

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
  it("does not say that a node is revoked which nothing here knows, unless told to", async () => {
    const mistyped = await run("revoke", "worker-400");
    expect(mistyped.exit).not.toBe(0);
    expect(mistyped.err).toMatch(/worker-400 has no identity and no Node here[\s\S]*--cluster NAME/);
    await expect(get("worker-400")).rejects.toMatchObject({ code: "not-found" });
    expect(await run("revoke", "worker-400", "--new")).toMatchObject({ exit: 0 });
    expect((await get("worker-400")).spec.revoked).toBe(true);
  });

  it("keeps what was enrolled after a node without an identity was revoked", async () => {
    await admin.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "worker-41" } });
    await run("revoke", "worker-41");
    const hash = "41".repeat(32);
    expect(await run("reset", "worker-41", "--ek-hash", hash)).toMatchObject({ exit: 0 });
    expect(await run("revoke", "worker-41", "--lift")).toMatchObject({ exit: 0 });
    expect((await get("worker-41")).spec).toMatchObject({ revoked: false, tpm: { ek: { spkiSha256: hash } } });
  });

  it("revokes a node that has no identity, and leaves nothing behind when that is lifted", async () => {
    await admin.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "worker-40" } });
    const revoked = await run("revoke", "worker-40");
    expect(revoked).toMatchObject({ exit: 0, out: "node worker-40 is revoked; it had no identity and has one now\n" });
    expect((await get("worker-40")).spec).toEqual({ nodeName: "worker-40", revoked: true });
    expect(await run("revoke", "worker-40", "--lift")).toMatchObject({
      exit: 0,
      out: "node worker-40 may join again\n",
    });
    await expect(get("worker-40")).rejects.toMatchObject({ code: "not-found" });
    const retired = await run("retire", "worker-40");
    expect(retired.exit).not.toBe(0);
    expect(retired.err).toMatch(/node worker-40 has no identity[\s\S]*countersign identity list/);
    expect((await run("revoke", "Worker_40")).exit).not.toBe(0);
  });

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
    expect(second.exit).toBe(69);
    expect(second.err).toContain("the TPM is that of node worker-20\n");
    expect(second.err).toContain("countersign identity retire worker-20, if that machine is gone");
    await run("retire", "worker-20");
    expect((await run("enroll", "worker-21", "--ek-hash", key)).exit).toBe(0);
    const lifted = await run("retire", "worker-20", "--lift");
    expect([lifted.exit, lifted.err]).toEqual([69, expect.stringContaining("the TPM is that of node worker-21")]);
    expect((await get("worker-20")).spec.retired).toBe(true);
  });

  it("keeps the TPM of a revoked node from others, retired or not, and says how that ends", async () => {
    const key = "8".repeat(64);
    await run("enroll", "worker-22", "--ek-hash", key, "--cluster", "prod");
    await run("revoke", "worker-22", "--cluster", "prod");
    await run("retire", "worker-22", "--cluster", "prod");
    const { exit, err } = await run("enroll", "worker-23", "--ek-hash", key);
    expect(exit).toBe(69);
    expect(err).toContain("the TPM is that of node worker-22, which is revoked");
    expect(err).toContain("lift that first: countersign identity revoke worker-22 --cluster prod --lift");
  });

  it("enrolls a node of one of several clusters under a name of its own", async () => {
    await run("enroll", "worker-8", "--cluster", "prod");
    expect((await get("prod.worker-8")).spec).toEqual({ nodeName: "worker-8", clusterName: "prod" });
  });

  it("gives node b.c and node c of cluster b, whose readable names are one, an identity each", async () => {
    expect((await run("enroll", "b.c")).exit).toBe(0);
    expect(await run("enroll", "c", "--cluster", "b", "--ek-hash", "b".repeat(64))).toMatchObject({ exit: 0, err: "" });
    expect((await run("revoke", "c", "--cluster", "b")).out).toBe("node c is revoked\n");
    expect((await get("b.c")).spec).toEqual({ nodeName: "b.c" });
    expect((await run("show", "c", "--cluster", "b")).out).toMatch(/phase +Revoked/);
    expect((await run("show", "b.c")).out).toMatch(/phase +Pending/);
    // The readable name is free again, and the revoked node does not come back under it.
    await admin.delete(NODE_IDENTITIES, { name: "b.c" });
    const again = await run("enroll", "c", "--cluster", "b");
    expect([again.exit, again.err]).toEqual([69, expect.stringContaining("node c has an identity already")]);
  });

  it("says where to look for an identity that is not there", async () => {
    const { exit, err } = await run("show", "nobody", "--cluster", "b");
    expect([exit, err]).toEqual([69, expect.stringContaining("node nobody of cluster b has no identity")]);
    expect(err).toContain("countersign identity list");
  });

  it("refuses a name that no node can have, and a hash that is none", async () => {
    const { exit, err } = await run("enroll", "Worker 7");
    expect([exit, err]).toEqual([78, expect.stringContaining('node name "Worker 7" is not a DNS name of lower-case')]);
    expect((await run("enroll", "worker-9", "--ek-hash", "5c")).exit).not.toBe(0);
  });

  it("opens the pins for an hour", async () => {
    await run("enroll", "worker-10");
    expect((await run("reset", "worker-10", "--ek-hash", TENTH)).exit).toBe(0);
    const { reset } = (await get("worker-10")).spec;
    expect(reset?.ekSpkiSha256).toBe(TENTH);
    expect(Date.parse(reset?.until ?? "")).toBeGreaterThan(Date.now());
  });

  it("enrolls the TPM that a reset names, so that the node keeps it after the hour", async () => {
    const [old, fresh] = ["1".repeat(64), "2".repeat(64)];
    await run("enroll", "worker-30", "--ek-hash", old);
    expect((await run("reset", "worker-30", "--ek-hash", fresh)).out).toMatch(
      /^node worker-30 may join anew until \S+Z\n$/,
    );
    const { metadata, spec } = await get("worker-30");
    expect(spec).toMatchObject({ tpm: { ek: { spkiSha256: fresh } }, reset: { ekSpkiSha256: fresh } });
    expect(metadata.labels?.[EK_LABEL]).toBe(ekLabelOf(fresh));
    // The one on the board that was taken out is free.
    expect((await run("enroll", "worker-31", "--ek-hash", old)).exit).toBe(0);
    // To look at the same board again is no new claim.
    expect((await run("reset", "worker-30", "--ek-hash", fresh)).exit).toBe(0);
  });

  it("writes nothing for a node that was enrolled with its TPM, where the new one is not named or is another's", async () => {
    const [own, other] = ["3".repeat(64), "4".repeat(64)];
    await run("enroll", "worker-32", "--ek-hash", own);
    await run("enroll", "worker-33", "--ek-hash", other);
    const before = await get("worker-32");
    const unnamed = await run("reset", "worker-32");
    expect(unnamed.exit).toBe(78);
    expect(unnamed.err).toContain(
      "node worker-32 was enrolled with its TPM: name the new one, --ek-hash (countersign node tpm prints it)",
    );
    const taken = await run("reset", "worker-32", "--ek-hash", other);
    expect([taken.exit, taken.err]).toEqual([69, expect.stringContaining("the TPM is that of node worker-33")]);
    expect(await get("worker-32")).toEqual(before);
  });

  it("opens the clock alone of a node that was enrolled with its TPM, which it keeps", async () => {
    const key = "5".repeat(64);
    await run("enroll", "worker-34", "--ek-hash", key);
    expect((await run("reset", "worker-34", "--clock")).out).toMatch(/until \S+Z with the TPM it has\n$/);
    const { metadata, spec } = await get("worker-34");
    expect(spec).toMatchObject({ tpm: { ek: { spkiSha256: key } }, reset: { clock: true } });
    expect(metadata.labels?.[EK_LABEL]).toBe(ekLabelOf(key));
  });

  it("says of a revoked node what becomes of it, and of a retired one that is no longer revoked", async () => {
    await run("enroll", "worker-35");
    await run("revoke", "worker-35");
    const lift = "lifted: countersign identity revoke worker-35 --lift\n";
    const words = [await run("reset", "worker-35"), await run("retire", "worker-35")].map(({ out }) => out);
    expect(words).toEqual([
      expect.stringMatching(/^node worker-35 is revoked; it may join anew until \S+ only if that is lifted: /),
      `node worker-35 stays revoked; it is retired, and its TPM free, once that is ${lift}`,
    ]);
    expect(words[0]).toContain(lift);
    expect((await run("retire", "worker-35", "--lift")).out).toBe(
      `node worker-35 stays revoked; it may join again once that is ${lift}`,
    );
    await run("retire", "worker-35");
    expect((await run("revoke", "worker-35", "--lift")).out).toBe(
      "node worker-35 is no longer revoked, and stays retired\n",
    );
    expect((await run("show", "worker-35")).out).toMatch(/phase\s+Retired/);
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
    expect(err).toContain("countersign identity reset worker-14 --ek-hash …");
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

  describe("of a node with certificates", () => {
    const certificate = { serialNumber: "1", notAfter: "2030-01-01T00:00:00Z", purpose: "Client" } as const;
    /** Attested by its TPM, as the controller writes it; its key is let go once it is retired. */
    async function attested(name: string, key: string, phase: "Active" | "Retired" = "Active"): Promise<void> {
      await run("enroll", name, "--ek-hash", key);
      const at = "2026-01-01T00:00:00Z";
      const status = { phase, provider: "tpm", attestedAt: at, certificates: [{ ...certificate, sha256: key }] };
      const target = { name, subresource: "status" };
      if (phase === "Retired") {
        const labels = { [EK_LABEL]: null };
        await admin.patch(NODE_IDENTITIES, { name }, { metadata: { labels }, spec: { retired: true } }, MERGE);
      }
      await admin.patch(NODE_IDENTITIES, target, { status }, MERGE);
    }
    const revokedOf = async (name: string) =>
      (await get(name)).status?.certificates?.map(({ revoked }) => revoked === true);

    it("leaves them revoked when a revocation is lifted, though no controller came to mark them", async () => {
      await attested("worker-50", "50".repeat(32));
      await run("revoke", "worker-50");
      expect(await run("revoke", "worker-50", "--lift")).toMatchObject({ exit: 0 });
      expect(await revokedOf("worker-50")).toEqual([true]);
    });

    it("leaves them revoked when a retirement is lifted, and the node has its TPM and its phase again", async () => {
      const key = "51".repeat(32);
      await attested("worker-51", key, "Retired");
      expect(await run("retire", "worker-51", "--lift")).toMatchObject({ exit: 0 });
      const { metadata, spec } = await get("worker-51");
      expect([metadata.labels?.[EK_LABEL], spec.retired]).toEqual([ekLabelOf(key), false]);
      expect(await revokedOf("worker-51")).toEqual([true]);
      expect((await run("show", "worker-51")).out).toMatch(/phase\s+Active/);
    });

    it("does not lift a retirement whose TPM is another node's by now", async () => {
      const key = "52".repeat(32);
      await attested("worker-52", key, "Retired");
      await run("enroll", "worker-53", "--ek-hash", key);
      const lifted = await run("retire", "worker-52", "--lift");
      expect([lifted.exit, lifted.err]).toEqual([69, expect.stringContaining("the TPM is that of node worker-53")]);
      expect((await get("worker-52")).spec.retired).toBe(true);
    });

    it("resets a retired node, which needs the new TPM from then on", async () => {
      await attested("worker-54", "54".repeat(32), "Retired");
      const key = "5e".repeat(32);
      expect((await run("reset", "worker-54", "--ek-hash", key)).out).toMatch(/^node worker-54 may join anew until /);
      const { spec } = await get("worker-54");
      expect(spec).toMatchObject({ retired: false, tpm: { ek: { spkiSha256: key } } });
      expect(await revokedOf("worker-54")).toEqual([true]);
    });
  });

  it("keeps a provider ID for one node", async () => {
    expect((await run("enroll", "worker-56", "--provider-id", "rack:///56")).exit).toBe(0);
    const second = await run("enroll", "worker-57", "--provider-id", "rack:///56");
    expect([second.exit, second.err]).toEqual([69, expect.stringContaining("is that of node worker-56")]);
    await run("retire", "worker-56");
    expect((await run("enroll", "worker-57", "--provider-id", "rack:///56")).exit).toBe(0);
  });
});
