// What is sealed under our storage key, against a real software TPM, and against tpm2-tools where they are installed.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingTools, type Swtpm, startSwtpm } from "../../../test/builders/swtpm.ts";
import { notRun } from "../../../test/not-run.ts";
import { concatBytes } from "../../kernel/bytes/index.ts";
import type { SealedObject } from "../../kernel/tpm/commands/objects.ts";
import {
  createPrimary,
  createSealed,
  getHandles,
  HANDLE,
  loadSealed,
  STORAGE_TEMPLATES,
  unseal,
} from "../../kernel/tpm/index.ts";
import { systemClock } from "../clock/index.ts";
import { openTpm, type Tpm, withHandle } from "./index.ts";

const missing = missingTools("swtpm");
const noTools = notRun(
  "sealing with tpm2-tools",
  missingTools("tpm2_createprimary", "tpm2_load", "tpm2_unseal", "tpm2_clear"),
);

const SECRET = new Uint8Array(32).fill(0xa5);

describe.skipIf(notRun("sealing with a software TPM", missing))("a sealed object", () => {
  let own: Swtpm;
  let other: Swtpm;
  beforeAll(async () => {
    [own, other] = await Promise.all([startSwtpm(), startSwtpm()]);
  });
  afterAll(async () => {
    await own.stop();
    await other.stop();
  });

  async function on<T>({ address }: Swtpm, use: (tpm: Tpm) => Promise<T>): Promise<T> {
    const tpm = await openTpm(address, { clock: systemClock, timeoutMs: 30_000 });
    try {
      return await use(tpm);
    } finally {
      await tpm.close();
    }
  }
  const seal = (swtpm: Swtpm, kind: "ecc" | "rsa") =>
    on(swtpm, (tpm) =>
      withHandle(tpm, createPrimary(HANDLE.endorsement, STORAGE_TEMPLATES[kind]), ({ handle }) =>
        tpm.send(createSealed(handle, SECRET)),
      ),
    );
  const open = (swtpm: Swtpm, kind: "ecc" | "rsa", sealed: SealedObject) =>
    on(swtpm, async (tpm) => {
      const opened = await withHandle(tpm, createPrimary(HANDLE.endorsement, STORAGE_TEMPLATES[kind]), (parent) =>
        withHandle(tpm, loadSealed(parent.handle, sealed), ({ handle }) => tpm.send(unseal(handle))),
      );
      expect(await tpm.send(getHandles(0x80000000))).toEqual([]);
      return opened;
    });
  const tool = (swtpm: Swtpm, ...args: readonly string[]) => {
    const [command = "", ...rest] = args;
    const env = { ...process.env, TPM2TOOLS_TCTI: swtpm.tcti };
    const run = spawnSync(command, rest, { env, cwd: swtpm.directory });
    expect(`${run.stderr}`, args.join(" ")).toBe("");
    return new Uint8Array(run.stdout);
  };

  it.each(["ecc", "rsa"] as const)(
    "under the %s storage key opens on the TPM that made it, and is not its content",
    async (kind) => {
      const sealed = await seal(own, kind);
      expect(Buffer.from(concatBytes([sealed.publicArea, sealed.privateArea])).includes(Buffer.from(SECRET))).toBe(
        false,
      );
      expect(await open(own, kind, sealed)).toEqual(SECRET);
    },
  );

  it("does not open on another TPM, under another parent, or when one of its bits was turned", async () => {
    const sealed = await seal(own, "ecc");
    const refused = { code: "untrusted", detail: { command: "Load" } };
    await expect(open(other, "ecc", sealed)).rejects.toMatchObject(refused);
    await expect(open(own, "rsa", sealed)).rejects.toMatchObject(refused);
    const turned = Uint8Array.from(sealed.privateArea, (octet, at) => (at === 60 ? octet ^ 1 : octet));
    await expect(open(own, "ecc", { ...sealed, privateArea: turned })).rejects.toMatchObject(refused);
  });

  it("opens after a restart of the TPM", async () => {
    const sealed = await seal(own, "ecc");
    own.process.kill("SIGTERM");
    await new Promise((resolve) => own.process.once("exit", resolve));
    own = await startSwtpm({ directory: own.directory });
    expect(await open(own, "ecc", sealed)).toEqual(SECRET);
  });

  it.skipIf(noTools)("is loaded and opened by tpm2-tools under the same storage key", async () => {
    const sealed = await seal(own, "ecc");
    const sized = (bytes: Uint8Array) => concatBytes([Uint8Array.of(bytes.length >> 8, bytes.length & 0xff), bytes]);
    writeFileSync(join(own.directory, "sealed.pub"), sized(sealed.publicArea));
    writeFileSync(join(own.directory, "sealed.priv"), sized(sealed.privateArea));
    const { x, y } = STORAGE_TEMPLATES.ecc as { x: Uint8Array; y: Uint8Array };
    // TPMS_ECC_POINT as tpm2-tools take it: little-endian sizes, coordinates at their full width.
    writeFileSync(
      join(own.directory, "unique.dat"),
      Buffer.concat([Buffer.from([32, 0]), x, Buffer.alloc(96), Buffer.from([32, 0]), y, Buffer.alloc(96)]),
    );
    const attributes = "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|restricted|decrypt";
    tool(
      own,
      "tpm2_createprimary",
      "-Q",
      "-C",
      "e",
      "-G",
      "ecc256:aes128cfb",
      "-a",
      attributes,
      "-u",
      "unique.dat",
      "-c",
      "parent.ctx",
    );
    tool(own, "tpm2_flushcontext", "-t");
    tool(own, "tpm2_load", "-Q", "-C", "parent.ctx", "-u", "sealed.pub", "-r", "sealed.priv", "-c", "sealed.ctx");
    tool(own, "tpm2_flushcontext", "-t");
    expect(tool(own, "tpm2_unseal", "-Q", "-c", "sealed.ctx")).toEqual(SECRET);
    tool(own, "tpm2_flushcontext", "-t");
  });

  it.skipIf(noTools)("is lost when its TPM is cleared, as if another TPM had sealed it", async () => {
    const sealed = await seal(other, "ecc");
    tool(other, "tpm2_clear", "-Q", "-c", "p");
    await expect(open(other, "ecc", sealed)).rejects.toMatchObject({ code: "untrusted", detail: { command: "Load" } });
  });
});
