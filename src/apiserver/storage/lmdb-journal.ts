// The journal on disk: one lmdb file, object keys as they are, and beside them (without a leading slash) the global
// revision and the format. `overlappingSync` is off: with lmdb's default a commit is answered first and flushed later;
// without it a commit writes its pages, syncs them, then writes the root page through O_DSYNC, and only then resolves.
// A crash at any point leaves the root page of the last whole batch.

import { join } from "node:path";
import type { RootDatabase } from "lmdb";
import type { KubeObject } from "../../api/meta/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Journal, JournalBatch, JournalRow } from "./journal.ts";
import { checkDatabaseFile } from "./lmdb-header.ts";

const FORMAT = "1";
const FORMAT_KEY = "format";
const REVISION_KEY = "revision";
/** Secrets are stored in it. */
const FILE_MODE = 0o600;

interface OpenJournal {
  readonly journal: Journal;
  readonly revision: number;
  readonly rows: readonly JournalRow[];
}

export async function openLmdbJournal(directory: string, firstRevision: number): Promise<OpenJournal> {
  const database = await openDatabase(join(directory, "objects.mdb"));
  try {
    if (database.get(REVISION_KEY) === undefined) await initialize(database, firstRevision);
    return { ...load(database), journal: journalOn(database) };
  } catch (cause) {
    await database.close();
    throw cause;
  }
}

/**
 * lmdb is native code: loaded here, so that commands and tests without a data directory neither need it nor wait for
 * it.
 */
async function openDatabase(path: string): Promise<RootDatabase<string, string>> {
  checkDatabaseFile(path);
  const options = {
    path,
    noSubdir: true,
    maxDbs: 1,
    encoding: "string" as const,
    overlappingSync: false,
    // Objects are held in memory by the engine and read from the file once: no need to keep all of it mapped.
    remapChunks: true,
    // The commit queue forms batches; lmdb must not form its own.
    eventTurnBatching: false,
    permissionsMode: FILE_MODE,
  };
  try {
    const { open } = await import("lmdb");
    return open<string, string>(options);
  } catch (cause) {
    if (isFault(cause)) throw cause; // a single-file executable has no storage engine, and says so
    throw new Fault("io-failed", `cannot open the database ${path}`, { cause });
  }
}

async function initialize(database: RootDatabase<string, string>, firstRevision: number): Promise<void> {
  await write(database, () => {
    database.put(FORMAT_KEY, FORMAT);
    database.put(REVISION_KEY, String(firstRevision));
  });
}

function load(database: RootDatabase<string, string>): Omit<OpenJournal, "journal"> {
  const format = database.get(FORMAT_KEY);
  if (format !== FORMAT) {
    throw new Fault("unsupported", `the database has format ${format ?? "none"}, this version reads ${FORMAT}`);
  }
  const revision = Number(database.get(REVISION_KEY));
  if (!Number.isSafeInteger(revision))
    throw new Fault("malformed", "the database is damaged: its revision is no number");
  // "0" is the character after the slash: the range holds exactly the keys of objects.
  const rows = database.getRange({ start: "/", end: "0" }).map(({ key, value }) => checkedRow(key, value, revision));
  return { revision, rows: [...rows] };
}

/** A revision above the global one would let resourceVersions go back: refuse to start. */
function checkedRow(key: string, text: string, newest: number): JournalRow {
  try {
    const { metadata } = JSON.parse(text) as KubeObject;
    const revision = Number(metadata.resourceVersion);
    if (revision >= 1 && revision <= newest) return { key, revision, text };
  } catch (cause) {
    throw new Fault("malformed", `the database is damaged at ${key}`, { cause });
  }
  throw new Fault("malformed", `the database is damaged: ${key} is newer than the last revision ${newest}`);
}

function journalOn(database: RootDatabase<string, string>): Journal {
  /** Set by a failed commit, see `probe`. */
  let suspect = false;
  return {
    append: async ({ revision, entries }: JournalBatch) => {
      if (suspect) probe(database);
      suspect = true;
      await write(database, () => {
        for (const { key, text } of entries) {
          if (text === undefined) database.remove(key);
          else database.put(key, text);
        }
        database.put(REVISION_KEY, String(revision));
      });
      suspect = false;
    },
    close: () => database.close(),
  };
}

/**
 * After most failures (no space, a refused sync) the next batch may succeed. When the root page itself could not be
 * written, lmdb lets nothing more in, and its asynchronous way of writing would then never answer; an empty transaction
 * that writes nothing finds out and throws.
 */
function probe(database: RootDatabase<string, string>): void {
  database.transactionSync(() => undefined);
}

/**
 * One transaction, all or nothing. lmdb keeps the reason of a failed commit in a second promise, which must be awaited,
 * too.
 */
async function write(database: RootDatabase<string, string>, puts: () => void): Promise<void> {
  try {
    await database.batch(puts);
  } catch (failure) {
    await (failure as { readonly commitError?: Promise<never> }).commitError;
    throw failure;
  }
}
