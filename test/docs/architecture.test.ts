// docs/architecture.md names every room of src/, and no other.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const page = readFileSync(new URL("docs/architecture.md", ROOT), "utf8");

/** Top folders that are one room. */
const WHOLE: readonly string[] = ["bin", "plane"];

function foldersIn(path: string): readonly string[] {
  return readdirSync(new URL(path, ROOT), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
}

const present = foldersIn("src/").flatMap((top) =>
  WHOLE.includes(top) ? [top] : foldersIn(`src/${top}/`).map((room) => `${top}/${room}`),
);

const shown = [...page.matchAll(/^\| ([a-z0-9/, ]+) \| /gm)]
  .flatMap(([, rooms = ""]) => rooms.split(", "))
  .filter((room) => room.includes("/") || WHOLE.includes(room));

const [, picture = ""] = page.split("```");
const pictured = [...picture.matchAll(/\b[a-z]+\/[a-z]+\b/g)].map(([room]) => room);

describe("docs/architecture.md", () => {
  it("draws rooms that are there", () => {
    expect(pictured.length).toBeGreaterThan(3);
    expect(pictured.filter((room) => !present.includes(room))).toEqual([]);
  });

  it("shows every room", () => {
    expect(present.filter((room) => !shown.includes(room))).toEqual([]);
  });

  it("shows no room that is not there, and each once", () => {
    expect(shown.filter((room) => !present.includes(room))).toEqual([]);
    expect(shown).toEqual([...new Set(shown)]);
  });
});
