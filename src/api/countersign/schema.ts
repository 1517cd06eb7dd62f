// Declares the fields of our kinds as data. One declaration gives the type of the object as it is written, the type as
// it is read, the strict reader with its defaults, and (tools/crds.mjs) the schema that an API server checks.
// The reader repeats those checks because a policy may also come from a file, or through another definition than ours.

import { Fault } from "../../kernel/outcome/index.ts";

interface Common {
  readonly description?: string;
  readonly required?: true;
  /** Ends the message about a required field that is missing. Default: "is missing". */
  readonly whenMissing?: string;
}

interface Text extends Common {
  readonly type: "text";
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: "byte" | "date-time";
  readonly pattern?: string;
  /** What the pattern asks for, for the message. */
  readonly expected?: string;
  readonly default?: string;
  /** Checks the text further and gives the value that the rules use. */
  readonly parse?: (text: string, path: string) => unknown;
}

interface Word extends Common {
  readonly type: "word";
  readonly words: readonly string[];
  readonly default?: string;
  /** The API server writes the default into the object. All other defaults belong to the reader alone. */
  readonly isDefaultStored?: true;
}

interface Flag extends Common {
  readonly type: "flag";
  readonly default?: boolean;
}

interface WholeNumber extends Common {
  readonly type: "number";
  readonly min?: number;
  readonly max?: number;
  readonly isLong?: true;
  readonly default?: number;
}

interface List extends Common {
  readonly type: "list";
  readonly items: Field;
  readonly minItems?: number;
  readonly maxItems: number;
  /** Items are unique as a whole ("set"), or by this field of theirs. */
  readonly uniqueBy?: string;
  readonly default?: readonly unknown[];
}

interface Texts extends Common {
  readonly type: "texts by name";
  readonly maxItems: number;
  readonly maxLength: number;
}

interface Group extends Common {
  readonly type: "group";
  readonly fields: Fields;
  /** Read in place of a group that is left out. Without it, the group stays left out. */
  readonly default?: object;
}

type Field = Text | Word | Flag | WholeNumber | List | Texts | Group;
export type Fields = Readonly<Record<string, Field>>;

type WrittenField<F> = F extends { type: "group"; fields: infer Inner }
  ? Written<Inner>
  : F extends { type: "list"; items: infer Item }
    ? readonly WrittenField<Item>[]
    : Scalar<F>;

type ReadField<F> = F extends { parse: (...args: never[]) => infer Value }
  ? Value
  : F extends { type: "group"; fields: infer Inner }
    ? Read<Inner>
    : F extends { type: "list"; items: infer Item }
      ? readonly ReadField<Item>[]
      : Scalar<F>;

type Scalar<F> = F extends { type: "word"; words: readonly (infer W)[] }
  ? W
  : F extends { type: "text" }
    ? string
    : F extends { type: "flag" }
      ? boolean
      : F extends { type: "number" }
        ? number
        : F extends { type: "texts by name" }
          ? Readonly<Record<string, string>>
          : never;

type KeysWith<F, Mark> = { [K in keyof F]: F[K] extends Mark ? K : never }[keyof F];
type Given = { readonly required: true } | { readonly default: unknown };

/** The object as it is written: only required fields are certain. */
export type Written<F> = { readonly [K in KeysWith<F, { required: true }>]: WrittenField<F[K]> } & {
  readonly [K in Exclude<keyof F, KeysWith<F, { required: true }>>]?: WrittenField<F[K]>;
};

/** The object as it is read: fields with a default are certain, too, and texts are parsed. */
export type Read<F> = { readonly [K in KeysWith<F, Given>]: ReadField<F[K]> } & {
  readonly [K in Exclude<keyof F, KeysWith<F, Given>>]?: ReadField<F[K]>;
};

/** Fault `invalid` with the path of the field. Fields that are not declared are ignored. */
export function readFields<const F extends Fields>(fields: F, value: unknown, path: string): Read<F> {
  const written = objectAt(value, path);
  const read = Object.entries(fields).flatMap(([name, field]) => {
    const inner = readField(field, written[name], `${path}.${name}`);
    return inner === undefined ? [] : [[name, inner]];
  });
  return Object.fromEntries(read) as Read<F>;
}

function readField(field: Field, written: unknown, path: string): unknown {
  // A group that is written as null is an empty group, which is less than its default.
  const isLeftOut = written === undefined || (written === null && field.type !== "group");
  const value = isLeftOut && "default" in field ? field.default : written;
  if (value !== undefined && (value !== null || field.type === "group")) return readValue(field, value, path);
  if (field.required === undefined) return undefined;
  const hint = field.type === "word" ? `, expected ${choiceOf(field)}` : "";
  throw new Fault("invalid", `${path} ${field.whenMissing ?? `is missing${hint}`}`);
}

function readValue(field: Field, value: unknown, path: string): unknown {
  switch (field.type) {
    case "text":
      return readText(field, value, path);
    case "word":
      if (field.words.includes(value as string)) return value;
      throw wrong(path, value, choiceOf(field));
    case "flag":
      if (typeof value === "boolean") return value;
      throw wrong(path, value, "true or false");
    case "number":
      return readNumber(field, value, path);
    case "list":
      if (!Array.isArray(value)) throw wrong(path, value, "a list");
      return value.map((item, index) => readValue(field.items, item, `${path}[${index}]`));
    case "texts by name":
      return objectAt(value, path);
    case "group":
      return readFields(field.fields, value, path);
  }
}

function readText({ pattern, expected = "", parse }: Text, value: unknown, path: string): unknown {
  if (typeof value !== "string" || value === "") throw wrong(path, value, "a text that is not empty");
  if (pattern !== undefined && !new RegExp(pattern).test(value)) throw wrong(path, value, expected);
  return parse === undefined ? value : parse(value, path);
}

function readNumber({ min = 0, max = Number.MAX_SAFE_INTEGER }: WholeNumber, value: unknown, path: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
  throw wrong(path, value, `a whole number from ${min} to ${max}`);
}

/** A missing object is an empty one. */
export function objectAt(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw wrong(path, value, "an object");
  return value as Readonly<Record<string, unknown>>;
}

function choiceOf({ words }: Word): string {
  return `one of ${words.join(", ")}`;
}

/** Enough to recognise what was written. */
const SHOWN_CHARACTERS = 80;

export function wrong(path: string, value: unknown, expected: string): Fault {
  const shown = (JSON.stringify(value) ?? "nothing").slice(0, SHOWN_CHARACTERS);
  return new Fault("invalid", `${path} is ${shown}, expected ${expected}`);
}
