// Columns under headings, as wide as their widest cell. What stands in the cells was written by somebody: it must not move the
// cursor of whoever lists it.

import { plainText } from "./plain-text.ts";

const GAP = "   ";

export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map(plainText));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const spaced = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(GAP));
  return spaced.map((line) => `${line.trimEnd()}\n`).join("");
}
