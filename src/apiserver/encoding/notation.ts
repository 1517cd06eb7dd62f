// The notation of the tables in messages/, one message a line (a line that starts with a blank goes on with the one before):
//
//   Name = <number> <json name>[?|!] [[]|{}]<type>, ...
//
// `?` may be absent, and being absent means something. `!` is told in JSON even when empty. A json name of `-`: nested on the
// wire, not in JSON. `[]` is a list, `{}` a map from strings. A type is a scalar, a message of the same package, a message
// with a form (forms.ts), or `package.Message`.

import { assert } from "../../kernel/outcome/index.ts";
import type { Field, Form, Message, Presence, Scalar } from "./message.ts";

const SCALARS: readonly string[] = ["string", "bytes", "json", "bool", "int32", "int64", "double"] satisfies Scalar[];
const FIELD = /^(\d+) ([^ ?!]+)([?!]?) (\[\]|\{\})?([\w.]+)$/;
const PRESENCE: Readonly<Record<string, Presence>> = { "": "omitted", "!": "always", "?": "pointer" };
const SHAPES: Readonly<Record<string, Field["shape"]>> = { "[]": "list", "{}": "map" };

export interface MessageTables {
  /** Undefined when the package has no such message. */
  find(packageName: string, name: string): Message | undefined;
}

export interface MessageTexts {
  /** Package -> its messages in this notation. */
  readonly packages: Readonly<Record<string, string>>;
  /** Messages that every package may use by their bare name, in the same notation. */
  readonly special: string;
  readonly forms: Readonly<Record<string, Form>>;
}

/** Lines are split now, a message is read when somebody first asks for it: most processes need a dozen of three hundred. */
export function createMessageTables({ packages, special, forms }: MessageTexts): MessageTables {
  const lines = new Map(Object.entries(packages).map(([name, text]) => [name, splitMessages(text)]));
  const specials = splitMessages(special);
  const known = new Map<string, Message>();

  function find(packageName: string, name: string): Message | undefined {
    const key = `${packageName}.${name}`;
    const made = known.get(key) ?? make(packageName, name);
    if (made !== undefined) known.set(key, made);
    return made;
  }

  function make(packageName: string, name: string): Message | undefined {
    const own = lineOf(lines.get(packageName), name);
    const line = own ?? specials.get(name);
    if (line === undefined) return undefined;
    const fields = parseFields(line, (type) => resolve(packageName, type));
    const byNumber = new Map(fields.map((field) => [field.number, field]));
    if (own === undefined) return { name, packageName: "", fields, byNumber, form: forms[name] };
    return { name, packageName, fields, byNumber, form: undefined };
  }

  function resolve(packageName: string, type: string): Message {
    const [first = "", second] = type.split(".");
    const found = second === undefined ? find(packageName, first) : find(first, second);
    assert(found !== undefined, `a message table names a message that exists: ${type}`);
    return found;
  }

  return { find };
}

/** Lists of a kind all look the same and are not written down. */
function lineOf(lines: ReadonlyMap<string, string> | undefined, name: string): string | undefined {
  const item = /^(\w+)List$/.exec(name)?.[1] ?? "";
  const list = lines?.has(item) === true ? `1 metadata meta.ListMeta, 2 items []${item}` : undefined;
  return lines?.get(name) ?? list;
}

function parseFields(line: string, resolve: (type: string) => Message): readonly Field[] {
  return line === "" ? [] : line.split(", ").map((text) => parseField(text, resolve));
}

function parseField(text: string, resolve: (type: string) => Message): Field {
  const [, number, name = "", mark = "", shape = "", type = ""] = FIELD.exec(text) ?? [];
  assert(number !== undefined, `a field of a message table can be read: ${text}`);
  let message: Message | undefined;
  return {
    number: Number(number),
    name: name === "-" ? undefined : name,
    presence: PRESENCE[mark] ?? "omitted",
    shape: SHAPES[shape] ?? "single",
    scalar: SCALARS.includes(type) ? (type as Scalar) : undefined,
    message: () => {
      message ??= resolve(type);
      return message;
    },
  };
}

function splitMessages(text: string): ReadonlyMap<string, string> {
  const lines = text.replace(/\n +/g, " ").split("\n");
  return new Map(
    lines
      .filter((line) => line !== "")
      .map((line): [string, string] => {
        const equals = line.indexOf(" =");
        return [line.slice(0, equals), line.slice(equals + 2).trim()];
      }),
  );
}
