// Reading canonical JSON by a schema: exactly the named keys, each of its type. Unknown keys are refused, because a new
// field needs a new version of the protocol.

import { encodeBase64, parseBase64, parseHex } from "../../kernel/bytes/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { CanonicalObject, CanonicalValue } from "./canonical.ts";

/** The members of one object; `finish` says whether any was not asked for. */
export class ObjectReader {
  readonly #members: ReadonlyMap<string, CanonicalValue>;
  readonly #asked = new Set<string>();
  readonly #where: string;
  readonly #value: CanonicalObject;

  constructor(value: CanonicalValue | undefined, where: string) {
    if (typeof value !== "object" || Array.isArray(value)) throw new Fault("malformed", `${where} must be an object`);
    this.#value = value as CanonicalObject;
    this.#members = new Map(Object.entries(this.#value));
    this.#where = where;
  }

  /** The whole object, for a caller that checks it by other means. */
  asObject(): CanonicalObject {
    return this.#value;
  }

  has(key: string): boolean {
    return this.#members.has(key);
  }

  value(key: string): CanonicalValue {
    this.#asked.add(key);
    const value = this.#members.get(key);
    if (value === undefined) throw this.fault(key, "must be there");
    return value;
  }

  object(key: string): ObjectReader {
    return new ObjectReader(this.value(key), `${this.#where}.${key}`);
  }

  text(key: string, pattern: RegExp): string {
    const value = this.value(key);
    if (typeof value !== "string" || !pattern.test(value)) throw this.fault(key, `must match ${pattern.source}`);
    return value;
  }

  oneOf<T extends string>(key: string, words: readonly T[]): T {
    const value = this.value(key);
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) throw this.fault(key, `must be one of ${words.join(", ")}`);
    return word;
  }

  integer(key: string): number {
    const value = this.value(key);
    if (typeof value !== "number") throw this.fault(key, "must be an integer");
    return value;
  }

  list(key: string, most: number): readonly CanonicalValue[] {
    const value = this.value(key);
    if (!Array.isArray(value)) throw this.fault(key, "must be a list");
    if (value.length > most)
      throw new Fault("limit-exceeded", `${this.#where}.${key} must have at most ${most} entries`);
    return value;
  }

  bytes(key: string): Uint8Array {
    return parseBytes(this.value(key), `${this.#where}.${key}`);
  }

  hex(key: string, octets: number): Uint8Array {
    return parseLowerHex(this.value(key), octets, `${this.#where}.${key}`);
  }

  finish(): void {
    for (const key of this.#members.keys()) {
      if (!this.#asked.has(key))
        throw new Fault("malformed", `${this.#where} must not have the key ${JSON.stringify(key)}`);
    }
  }

  fault(key: string, rule: string): Fault {
    return new Fault("malformed", `${this.#where}.${key} ${rule}`);
  }
}

/** Standard base64 with padding, in its one spelling. */
export function parseBytes(value: CanonicalValue, where: string): Uint8Array {
  if (typeof value !== "string") throw new Fault("malformed", `${where} must be base64 text`);
  const bytes = parseBase64(value);
  if (encodeBase64(bytes) !== value) throw new Fault("malformed", `${where} must be base64 in its one spelling`);
  return bytes;
}

export function parseLowerHex(value: CanonicalValue, octets: number, where: string): Uint8Array {
  if (typeof value !== "string" || value.length !== 2 * octets || !/^[0-9a-f]*$/.test(value))
    throw new Fault("malformed", `${where} must be ${2 * octets} lower-case hexadecimal digits`);
  return parseHex(value);
}
