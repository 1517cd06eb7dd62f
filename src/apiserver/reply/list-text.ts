// A list in JSON, made of the texts of its items and in pieces: a list of some thousand objects is never one string in memory,
// and none of its objects is parsed or encoded for it.

import { apiVersionOf, type ListMeta } from "../../api/meta/index.ts";
import { assert } from "../../kernel/outcome/index.ts";
import type { Content } from "../storage/storage.ts";
import { bareItem, type Context, listHead } from "./transform.ts";

/** What is shorter leaves as a whole; kube-apiserver, too, neither packs nor streams what is shorter. */
export const PIECE_CHARACTERS = 128 * 1024;

/** One piece, or several of at least `PIECE_CHARACTERS` but for the last. */
export function* listPieces(items: readonly Content[], meta: ListMeta, context: Context): Generator<string> {
  const head = JSON.stringify({ ...listHead(meta, context), items: [] });
  const itemText = itemEncoder(context);
  let piece = head.slice(0, -"]}".length);
  let separator = "";
  for (const item of items) {
    piece += separator + itemText(item);
    separator = ",";
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}]}\n`;
}

/** Inside a list of a built-in kind the items do not repeat what the list has said: it stands first in their text. */
function itemEncoder({ strategy }: Context): (item: Content) => string {
  assert(strategy !== undefined, "a list belongs to a stored kind");
  if (strategy.custom !== undefined) return ({ text, object }) => text ?? JSON.stringify(object);
  const { kind } = strategy.resource;
  const said = `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersionOf(strategy.resource))},`;
  return (item) =>
    item.text?.startsWith(said) ? `{${item.text.slice(said.length)}` : JSON.stringify(bareItem(item.object));
}
