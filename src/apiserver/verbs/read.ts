// get and list. A list of several pages is read at one revision, that of its first page.

import type { ListMeta } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { Answer } from "../call.ts";
import { badRequest, expiredVersion, notFound, tooLargeResourceVersion } from "../status/status.ts";
import { prefixOf } from "../storage/key.ts";
import type { Content, Page } from "../storage/storage.ts";
import { waitForRevision } from "../watching/wait-for-revision.ts";
import { encodeContinue, parseContinue } from "./continue-token.ts";
import { exactly, type ReadOptions, readOptions } from "./read-options.ts";
import { type Selection, selectionOf } from "./selection.ts";
import { keptAs, keyFor, type StoredCall } from "./stored-call.ts";

export async function get(stored: StoredCall): Promise<Answer> {
  const { call, resource, parts } = stored;
  await notOlderThan(stored, readOptions(call.query, false).resourceVersion);
  const found = parts.storage.get(keyFor(stored, call.info.name));
  if (found === undefined) throw notFound(resource, call.info.name);
  return { kind: "object", status: 200, content: found };
}

export async function list(stored: StoredCall): Promise<Answer> {
  const options = readOptions(stored.call.query, false);
  const selection = selectionOf(stored);
  const from = startOf(stored, options);
  if (from.revision === undefined) await notOlderThan(stored, options.resourceVersion);
  try {
    return collect(stored, selection, { ...from, limit: options.limit });
  } catch (error) {
    throw toldVersion(error, options);
  }
}

interface Start {
  readonly prefix: string;
  readonly after: string | undefined;
  readonly revision: number | undefined;
}

/** All namespaces, or the one of the URL. */
export function prefixFor({ strategy, resource, namespace }: StoredCall): string {
  return prefixOf(keptAs(strategy), resource.namespaced && namespace === "" ? undefined : namespace);
}

function startOf(stored: StoredCall, options: ReadOptions): Start {
  const prefix = prefixFor(stored);
  if (options.continueToken === "") return { prefix, after: undefined, revision: exactly(options) };
  if (options.resourceVersion !== undefined && options.resourceVersion !== 0) {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  const { revision, after } = parseContinue(options.continueToken);
  return { prefix, after: `${prefix}${after}`, revision };
}

/** With a selector, storage's pages are read until the client's page is full. */
function collect(stored: StoredCall, selection: Selection, start: Start & { limit: number | undefined }): Answer {
  const { prefix, limit = Number.POSITIVE_INFINITY } = start;
  const items: Content[] = [];
  let page: Page | undefined;
  do {
    const wanted = Number.isFinite(limit) ? limit - items.length : undefined;
    const [after, atRevision] = page === undefined ? [start.after, start.revision] : [page.next, page.revision];
    page = stored.parts.storage.list({ prefix, limit: wanted, after, atRevision });
    for (const item of selected(page, selection)) items.push(item);
  } while (page.next !== undefined && items.length < limit);
  const remaining = selection.isEverything ? page.remaining : undefined;
  return { kind: "list", items, meta: listMeta({ prefix, revision: page.revision, after: page.next }, remaining) };
}

/** Without a selector no object is inspected, so none is parsed. */
function selected({ items }: Page, { isEverything, matches }: Selection): readonly Content[] {
  return isEverything ? items : items.filter(({ object }) => matches(object));
}

function listMeta(end: { prefix: string; revision: number; after: string | undefined }, remaining?: number): ListMeta {
  const { prefix, revision, after } = end;
  const meta: ListMeta = { resourceVersion: String(revision) };
  if (after === undefined) return meta;
  const token = encodeContinue({ revision, after: after.slice(prefix.length) });
  return { ...meta, continue: token, ...(remaining === undefined ? {} : { remainingItemCount: remaining }) };
}

async function notOlderThan({ parts, call }: StoredCall, revision: number | undefined): Promise<void> {
  if (revision === undefined || revision <= parts.storage.revision()) return;
  try {
    const waiting = { storage: parts.storage, clock: parts.clock, signal: call.request.signal };
    await call.outside(() => waitForRevision(waiting, revision));
  } catch (error) {
    if (isFault(error, "timeout")) throw tooLargeResourceVersion(revision, parts.storage.revision());
    throw error;
  }
}

function toldVersion(error: unknown, { continueToken, resourceVersion }: ReadOptions): unknown {
  if (isFault(error, "timeout"))
    return tooLargeResourceVersion(resourceVersion ?? 0, Number(error.detail["current"] ?? 0));
  if (!isFault(error, "expired")) return error;
  if (continueToken === "") return expiredVersion("The resourceVersion for the provided list is too old.");
  const { after } = parseContinue(continueToken);
  return expiredVersion(TOO_OLD_TO_CONTINUE, encodeContinue({ after }));
}

const TOO_OLD_TO_CONTINUE =
  "The provided continue parameter is too old to display a consistent list result. " +
  "You can start a new list without the continue parameter, " +
  "or use the continue token in this response to retrieve the remainder of the results. " +
  "What was created, modified or deleted since the first page may then be missing or shown twice.";
