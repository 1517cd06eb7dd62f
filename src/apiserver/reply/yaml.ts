// A JSON value -> YAML text in the plain style of kubectl: sorted keys, two blanks for each level. A string that could
// be read as another type is quoted as in JSON, which YAML reads as well.

import { isJsonObject, type Json, type JsonObject } from "../../kernel/json/index.ts";

const PLAIN = /^[A-Za-z/][\w./@+-]*$/;
/** Words that are not strings in YAML 1.1 or 1.2. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

export function encodeYaml(value: Json): string {
  return `${block(value, "").trimStart()}\n`;
}

/** What follows `key:` or `-`: a blank and a scalar, or lines that begin at `indent`. */
function block(value: Json, indent: string): string {
  if (Array.isArray(value)) return value.length === 0 ? " []" : listBlock(value as readonly Json[], indent);
  return isJsonObject(value) ? objectBlock(value, indent) : ` ${scalar(value)}`;
}

/** A list is indented as far as its key, an object further. */
function objectBlock(object: JsonObject, indent: string): string {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return " {}";
  const lines = entries
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => {
      return `\n${indent}${scalar(key)}:${block(value, Array.isArray(value) ? indent : `${indent}  `)}`;
    });
  return lines.join("");
}

/** An item begins on the line of its dash. */
function listBlock(items: readonly Json[], indent: string): string {
  return items.map((item) => `\n${indent}- ${block(item, `${indent}  `).trimStart()}`).join("");
}

function scalar(value: Json): string {
  const isPlain = typeof value === "string" && PLAIN.test(value) && !RESERVED.test(value);
  return isPlain ? value : JSON.stringify(value);
}
