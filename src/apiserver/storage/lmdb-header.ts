// Is this file a whole lmdb database? Checked before it is opened: lmdb maps the file into memory, and one that is
// truncated or overwritten ends the process by a signal, without a message. Layout of the first two pages of lmdb's
// data format 2: after 24 octets of page header magic and version, then page size, roots, last page and transaction.
// The newer of the two counts.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { Fault } from "../../kernel/outcome/index.ts";
import { findMissingPage } from "./lmdb-pages.ts";

const MAGIC = 0xbeefc0de;
const VERSION = 2;
const AT = { magic: 24, version: 28, pageSize: 48, freeRoot: 88, mainRoot: 136, lastPage: 144, transaction: 152 };
const META_BYTES = 160;
/** An empty tree has no root page. */
const NO_PAGE = 2n ** 64n - 1n;

interface Meta {
  readonly pageSize: number;
  readonly roots: readonly bigint[];
  readonly lastPage: bigint;
  readonly transaction: bigint;
}

/** Fault `malformed` that says what to do. A file that is missing or empty is fine: it will be created. */
export function checkDatabaseFile(path: string): void {
  const file = openIfThere(path);
  if (file === undefined) return;
  try {
    const { size } = fstatSync(file);
    const problem = size === 0 ? undefined : problemOf(file, size);
    if (problem === undefined) return;
    const advice = "put a copy of it back, or remove the data directory to begin anew";
    throw new Fault("malformed", `the database ${path} is damaged: ${problem}; ${advice}`, { detail: { size } });
  } finally {
    closeSync(file);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Fault("io-failed", `cannot open the database ${path}`, { cause });
  }
}

function problemOf(file: number, size: number): string | undefined {
  const first = readMeta(file, 0);
  const second = first === undefined ? undefined : readMeta(file, first.pageSize);
  if (first === undefined || second === undefined) return "it does not begin as a database of this version does";
  const newest = first.transaction > second.transaction ? first : second;
  const pages = Math.floor(size / newest.pageSize);
  if (newest.lastPage < pages || isWhole(file, pages, newest)) return undefined;
  return `it has ${pages} pages and should have ${newest.lastPage + 1n}`;
}

/**
 * Pages that a batch took and gave back are counted, and may never have been written: a file may be shorter than its
 * count although nothing is lost. Then every page in use is looked for.
 */
function isWhole(file: number, pages: number, { pageSize, roots }: Meta): boolean {
  const read = (page: number): Buffer => {
    const bytes = Buffer.alloc(pageSize);
    readSync(file, bytes, 0, pageSize, page * pageSize);
    return bytes;
  };
  return roots.every((root) => root === NO_PAGE || findMissingPage({ pages, read }, Number(root)) === undefined);
}

function readMeta(file: number, position: number): Meta | undefined {
  const bytes = Buffer.alloc(META_BYTES);
  if (readSync(file, bytes, 0, META_BYTES, position) < META_BYTES) return undefined;
  if (bytes.readUInt32LE(AT.magic) !== MAGIC || bytes.readUInt32LE(AT.version) !== VERSION) return undefined;
  const pageSize = bytes.readUInt32LE(AT.pageSize);
  if (pageSize < 512 || pageSize > 65_536) return undefined;
  return {
    pageSize,
    roots: [bytes.readBigUInt64LE(AT.freeRoot), bytes.readBigUInt64LE(AT.mainRoot)],
    lastPage: bytes.readBigUInt64LE(AT.lastPage),
    transaction: bytes.readBigUInt64LE(AT.transaction),
  };
}
