// Reading an object that somebody wrote by hand: each field with its path, so that a mistake is named where it is. The API
// server has checked the schema already where the definition is ours; a file or a stranger's definition has been checked by nobody.

import { Fault } from "../../kernel/outcome/index.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown, path: string): Fields {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw wrong(path, value, "an object");
  return value as Fields;
}

/** The field as one of the words, or undefined where it is left out. */
export function wordAt<T extends string>(value: unknown, path: string, words: readonly T[]): T | undefined {
  if (value === undefined || value === null) return undefined;
  const word = words.find((known) => known === value);
  if (word === undefined) throw wrong(path, value, `one of ${words.join(", ")}`);
  return word;
}

export function textAt(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string" || value === "") throw wrong(path, value, "a text that is not empty");
  return value;
}

export function flagAt(value: unknown, path: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean") throw wrong(path, value, "true or false");
  return value;
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

export function numberAt(value: unknown, path: string, { min, max }: Range): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
    throw wrong(path, value, `a whole number from ${min} to ${max}`);
  }
  return value;
}

export function listAt(value: unknown, path: string): readonly unknown[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw wrong(path, value, "a list");
  return value;
}

export function textsAt(value: unknown, path: string): readonly string[] | undefined {
  return listAt(value, path)?.map((item, index) => {
    const text = textAt(item, `${path}[${index}]`);
    if (text === undefined) throw wrong(`${path}[${index}]`, item, "a text that is not empty");
    return text;
  });
}

/** Enough to recognise what was written. */
const SHOWN_CHARACTERS = 80;

export function wrong(path: string, value: unknown, expected: string): Fault {
  const shown = (JSON.stringify(value) ?? "nothing").slice(0, SHOWN_CHARACTERS);
  return new Fault("invalid", `${path} is ${shown}, expected ${expected}`);
}
