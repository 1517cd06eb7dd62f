// The notation of the field tables (resources/groups/), one message a line; a line that starts with a blank continues
// it:
//
//   Name[ atomic] = <number> <json name>[?|!][+|~] [[]|{}]<type>[ <merge>], ...
//
//   ?       may be absent, and absence has a meaning of its own (a pointer in Go)
//   !       is written in JSON even when empty (no omitempty in Go), and therefore required in documents
//   +       is required in documents although it has no `!`
//   ~       is optional in documents although it has a `!`
//   -       as a json name: nested on the wire, but its fields stand beside their neighbours in JSON
//   [] {}   a list, a map from strings
//   <type>  a scalar, a message of the same package, a message with a form (forms.ts), or `package.Message`
//
// How values merge, where that is not the rule (lists are replaced whole; maps and structs merge member by member):
//
//   set | map <key>...              a list in server-side apply
//   [list] merge [<key>] [retain]   the same list in strategic merge patches: by the first key unless one is named
//   atomic                          one owner for the whole map, or after a message's name for the struct
//   granular                        a struct that is atomic elsewhere and merges here

import { assert } from "../../kernel/outcome/index.ts";
import type { Form, ListMerge, Message, MessageField, Presence, Scalar } from "./message.ts";

const SCALARS: readonly string[] = ["string", "bytes", "json", "bool", "int32", "int64", "double"] satisfies Scalar[];
const MESSAGE = /^(\w+)( atomic)? =(?: (.+))?$/;
const FIELD = /^(\d+) ([^ ?!+~]+)([?!]?)([+~]?) (\[\]|\{\})?([\w.]+)(?: (.+))?$/;
const PRESENCE: Readonly<Record<string, Presence>> = { "": "omitted", "!": "always", "?": "pointer" };
const SHAPES: Readonly<Record<string, MessageField["shape"]>> = { "[]": "list", "{}": "map" };

interface MessageTables {
  /** Undefined when the package has no such message. */
  find(packageName: string, name: string): Message | undefined;
}

interface MessageTexts {
  /** Package -> its messages in this notation. */
  readonly packages: ReadonlyMap<string, string>;
  /** Messages that every package may use by their bare name, in the same notation. */
  readonly special: string;
  readonly forms: Readonly<Record<string, Form>>;
}

/** Lines are split now, a message is parsed on first use: most processes need a dozen of three hundred. */
export function createMessageTables({ packages, special, forms }: MessageTexts): MessageTables {
  const lines = new Map([...packages].map(([name, text]) => [name, splitMessages(text)]));
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
    const fields = parseFields(line.fields, (type) => resolve(packageName, type));
    const byNumber = new Map(fields.map((field) => [field.number, field]));
    const { isAtomic } = line;
    if (own === undefined) return { name, packageName: "", isAtomic, fields, byNumber, form: forms[name] };
    return { name, packageName, isAtomic, fields, byNumber, form: undefined };
  }

  function resolve(packageName: string, type: string): Message {
    const [first = "", second] = type.split(".");
    const found = second === undefined ? find(packageName, first) : find(first, second);
    assert(found !== undefined, `a message table names a message that exists: ${type}`);
    return found;
  }

  return { find };
}

interface Line {
  readonly isAtomic: boolean;
  readonly fields: string;
}

/** Lists of a kind all look the same and are not written down. */
function lineOf(lines: ReadonlyMap<string, Line> | undefined, name: string): Line | undefined {
  const item = /^(\w+)List$/.exec(name)?.[1] ?? "";
  const list = { isAtomic: false, fields: `1 metadata meta.ListMeta, 2 items+ []${item}` };
  return lines?.get(name) ?? (lines?.has(item) === true ? list : undefined);
}

function parseFields(line: string, resolve: (type: string) => Message): readonly MessageField[] {
  return line === "" ? [] : line.split(", ").map((text) => parseField(text, resolve));
}

function parseField(text: string, resolve: (type: string) => Message): MessageField {
  const [, number, name = "", mark = "", demand = "", shape = "", type = "", merge] = FIELD.exec(text) ?? [];
  assert(number !== undefined, `a field of a message table can be read: ${text}`);
  let message: Message | undefined;
  return {
    number: Number(number),
    name: name === "-" ? undefined : name,
    presence: PRESENCE[mark] ?? "omitted",
    isRequired: demand === "+" || (mark === "!" && demand === ""),
    shape: SHAPES[shape] ?? "single",
    merge: merge === undefined || shape !== "[]" ? undefined : parseListMerge(merge.split(" ")),
    isAtomic: merge === "atomic" ? true : merge === "granular" ? false : undefined,
    scalar: SCALARS.includes(type) ? (type as Scalar) : undefined,
    message: () => {
      message ??= resolve(type);
      return message;
    },
  };
}

function parseListMerge([type, ...words]: readonly string[]): ListMerge {
  const merge = words.indexOf("merge");
  const keys = merge < 0 ? words : words.slice(0, merge);
  const named = merge < 0 ? undefined : words.slice(merge + 1).find((word) => word !== "retain");
  return {
    listType: type === "set" || type === "map" ? type : "atomic",
    keys,
    patchMerge: merge < 0 ? undefined : { key: named ?? keys[0] },
    retainsKeys: words.includes("retain"),
  };
}

function splitMessages(text: string): ReadonlyMap<string, Line> {
  const lines = text.replace(/\n +/g, " ").split("\n");
  return new Map(
    lines
      .filter((line) => line !== "")
      .map((line): [string, Line] => {
        const [, name = "", atomic, fields = ""] = MESSAGE.exec(line) ?? [];
        assert(name !== "", `a message of a table can be read: ${line}`);
        return [name, { isAtomic: atomic !== undefined, fields }];
      }),
  );
}
