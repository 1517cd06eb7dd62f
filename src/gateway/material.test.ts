import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aTestCa } from "../../test/builders/tls-pair.ts";
import type { Clock } from "../platform/clock/index.ts";
import { silentLog } from "../platform/report/index.ts";
import { followMaterial, loadMaterial, type Material, type MaterialFiles } from "./material.ts";

const ca = aTestCa();
let directory: string;
let files: MaterialFiles;
const path = (name: string) => join(directory, name);

async function writePair(name: string, { certPem, keyPem } = ca.issueServing()): Promise<void> {
  await writeFile(path(`${name}.crt`), certPem);
  await writeFile(path(`${name}.key`), keyPem, { mode: 0o600 });
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "countersign-gateway-"));
  const pair = (name: string) => ({ cert: path(`${name}.crt`), key: path(`${name}.key`) });
  files = { serving: pair("serving"), backendCa: path("ca.crt"), clients: { ca: path("ca.crt"), pair: pair("front") } };
  await writePair("serving");
  await writePair("front");
  await writeFile(path("ca.crt"), ca.certPem);
});
afterAll(() => rm(directory, { recursive: true }));

describe("the gateway's certificates", () => {
  it("are read and checked as a whole", async () => {
    const material = await loadMaterial(files);
    expect(material.clientRoots).toHaveLength(1);
    expect(material.backendCaPem).toBe(ca.certPem);
  });

  it.each<[string, string, string]>([
    ["a key of another certificate", "front.key", ca.keyPem],
    ["an empty bundle", "ca.crt", ""],
    ["a bundle with something else", "ca.crt", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"],
  ])("are refused with %s, and the file is named", async (_what, name, content) => {
    await writeFile(path(name), content);
    await expect(loadMaterial(files)).rejects.toMatchObject({ message: expect.stringContaining(name) });
    await writePair("front");
    await writeFile(path("ca.crt"), ca.certPem);
  });

  it("are used again when they change, never a half-changed pair", async () => {
    const used: Material[] = [];
    const stop = new AbortController();
    const quick: Clock = {
      now: Date.now,
      sleep: (_ms, signal) => sleep(5, undefined, { signal }).then(() => undefined),
    };
    const following = followMaterial(files, {
      clock: quick,
      log: silentLog,
      signal: stop.signal,
      use: async (material) => void used.push(material),
    }).catch(() => undefined);
    await sleep(30);
    const next = ca.issueServing();
    await writeFile(path("serving.crt"), next.certPem);
    await sleep(30);
    expect(used).toEqual([]);
    await writeFile(path("serving.key"), next.keyPem);
    while (used.length === 0) await sleep(5);
    expect(used.at(-1)?.serving).toEqual(next);
    stop.abort();
    await following;
  });
});
