// Both storages, held to the one suite.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { createMemoryStorage } from "../../src/apiserver/storage/engine.ts";
import { openLmdbStorage } from "../../src/apiserver/storage/lmdb.ts";
import { describeStorage } from "./storage.ts";

const root = mkdtempSync(join(tmpdir(), "storage-contract-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describeStorage("memory", async (historyLimits) => createMemoryStorage({ historyLimits }));

describeStorage("lmdb", async (historyLimits) =>
  openLmdbStorage({ directory: mkdtempSync(join(root, "data-")), historyLimits }),
);
