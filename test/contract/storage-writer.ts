// Run as its own process by storage-durability.test.ts: writes as fast as it can and reports on standard output, in a
// blocking way, each answer as it comes. It never ends by itself in the mode `crash`.
//
//   acked <key> <step> <revision>      the promise of the write resolved
//   failed <key> <code> <what get says now>

import { writeSync } from "node:fs";
import type { KubeObject } from "../../src/api/meta/index.ts";
import { openLmdbStorage } from "../../src/apiserver/storage/lmdb.ts";
import type { Storage, Stored } from "../../src/apiserver/storage/storage.ts";
import { isFault } from "../../src/kernel/outcome/index.ts";

const [, , mode = "", directory = "", round = "0"] = process.argv;

/** The filler spans several pages and repeats the step, so that a half-written object would show. */
function objectAt(step: number): KubeObject {
  const data = { step: String(step), filler: `${step},`.repeat(2_000) };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data };
  return object;
}

/** One writer: create, update, delete, create again, for ever. */
async function writeForEver(storage: Storage, key: string): Promise<never> {
  let stored: Stored | undefined;
  for (let step = 1; ; step++) {
    if (stored === undefined) stored = await storage.create(key, objectAt(step));
    else if (step % 7 !== 0) stored = await storage.update(key, objectAt(step), stored.revision);
    else {
      const { revision } = await storage.delete(key, stored.revision);
      writeSync(1, `acked ${key} deleted ${revision}\n`);
      stored = undefined;
      continue;
    }
    writeSync(1, `acked ${key} ${step} ${stored.revision}\n`);
  }
}

/** A write that is never answered must not hold the test up for ever. */
const STUCK_MS = 10_000;

/** Six single writes, one after the other, each reported. */
async function writeSome(storage: Storage): Promise<void> {
  const watchdog = setTimeout(() => process.kill(process.pid, "SIGKILL"), STUCK_MS);
  for (let step = 1; step <= 6; step++) {
    const key = `//configmaps/default/step-${step}`;
    try {
      const { revision } = await storage.create(key, objectAt(step));
      writeSync(1, `acked ${key} ${step} ${revision}\n`);
    } catch (cause) {
      if (!isFault(cause)) throw cause;
      writeSync(1, `failed ${key} ${cause.code} ${storage.get(key)?.revision ?? "absent"}\n`);
    }
  }
  await storage.close();
  clearTimeout(watchdog);
}

const storage = await openLmdbStorage({ directory });
if (mode === "some") await writeSome(storage);
else {
  const writers = Array.from({ length: 8 }, (_, n) => `//configmaps/default/round-${round}-writer-${n}`);
  await Promise.all(writers.map((key) => writeForEver(storage, key)));
}
