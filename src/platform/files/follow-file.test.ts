import { mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { followFile } from "./follow-file.ts";
import { loadText, loadTextIfPresent } from "./index.ts";

describe("a followed file", () => {
  it("is told when it changes: written, renamed, away for a moment, behind another link", async () => {
    const directory = await mkdtemp(join(tmpdir(), "follow-"));
    const path = join(directory, "ca.crt");
    await writeFile(path, "one");
    const clock = createManualClock();
    const stop = new AbortController();
    const seen: string[] = [];
    const troubles: string[] = [];
    const onChange = (content: string) => {
      seen.push(content);
      if (content === "bad") throw new Fault("bad-config", "not this one");
    };
    const onTrouble = (trouble: Fault) => void troubles.push(trouble.message);
    const running = followFile(path, "one", { clock, signal: stop.signal, onChange, onTrouble });
    /** The file is read with real system calls: only when the loop sleeps again has it looked. */
    const tick = async () => {
      await clock.advance(1_000);
      while (clock.pending().length === 0) await nextTurn();
    };

    await tick();
    expect(seen).toEqual([]);
    await writeFile(`${path}.new`, "two");
    await rename(`${path}.new`, path);
    await tick();
    await rm(path);
    await tick();
    await writeFile(path, "bad");
    await tick();
    await tick();
    await rm(path);
    await writeFile(join(directory, "target"), "three");
    await symlink(join(directory, "target"), path);
    await tick();
    expect(seen).toEqual(["two", "bad", "three"]);
    expect(troubles).toEqual(["not this one"]);
    stop.abort();
    await running;
  });
});

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "load-text-"));
  await writeFile(join(directory, "there"), "grüß\n");
});

describe("a file as text", () => {
  it("is read as UTF-8", async () => {
    expect(await loadText(join(directory, "there"))).toBe("grüß\n");
    expect(await loadTextIfPresent(join(directory, "there"))).toBe("grüß\n");
  });

  it("is named when it is not there, or nothing where that is an answer", async () => {
    const path = join(directory, "gone");
    await expect(loadText(path)).rejects.toMatchObject({ code: "not-found", message: expect.stringContaining(path) });
    expect(await loadTextIfPresent(path)).toBeUndefined();
  });

  it("is not a directory, whoever asks", async () => {
    await expect(loadText(directory)).rejects.toMatchObject({ code: "io-failed" });
    await expect(loadTextIfPresent(directory)).rejects.toMatchObject({ code: "io-failed" });
  });
});
