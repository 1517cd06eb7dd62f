import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../api/meta/index.ts";
import { WHOLE } from "../entry/accept.ts";
import { configMapStrategy } from "../resources/kinds/key-value.ts";
import type { Content } from "../storage/storage.ts";
import { listPieces, PIECE_CHARACTERS } from "./encode.ts";
import { type Context, shapeList } from "./transform.ts";

const context: Context = {
  accepted: WHOLE,
  strategy: configMapStrategy,
  include: "Metadata",
  now: () => 0,
  withColumns: true,
};
const META = { resourceVersion: "7" };

function aMap(name: string, value = ""): KubeObject {
  const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { name }, data: { value } };
  return object;
}

const asText = (object: KubeObject): Content => ({ object, text: JSON.stringify(object) });

/** What the list would be if it were encoded as one document. */
const document = (items: readonly Content[]) =>
  JSON.stringify(
    shapeList(
      items.map(({ object }) => object),
      META,
      context,
    ),
  );

describe("the text of a list", () => {
  it.each<[string, readonly Content[]]>([
    ["nothing", []],
    ["stored objects", [asText(aMap("a", 'with "quotes", ] and }')), asText(aMap("b", "ü €"))]],
    ["objects without text", [{ object: aMap("a") }]],
    ["text that says its kind elsewhere", [{ object: aMap("a"), text: '{"apiVersion":"v1","kind":"ConfigMap"}' }]],
  ])("is that of the document it stands for: %s", (_what, items) => {
    expect([...listPieces(items, META, context)].join("")).toBe(`${document(items)}\n`);
  });

  it("comes in pieces of some size, which make the same document", () => {
    const items = Array.from({ length: 300 }, (_, n) => asText(aMap(`m${n}`, "x".repeat(2_000))));
    const pieces = [...listPieces(items, META, context)];
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.slice(0, -1).every((piece) => piece.length >= PIECE_CHARACTERS)).toBe(true);
    expect(pieces.join("")).toBe(`${document(items)}\n`);
  });
});
