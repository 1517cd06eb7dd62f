// The tables contradict neither themselves nor one another: whatever is derived from them (protobuf, validation, merging,
// documents) can be derived from every line.

import { expect, it } from "vitest";
import { PROTOBUF_KINDS } from "../../../../test/builders/protobuf-kinds.ts";
import { type Field, findMessage, type Message } from "../index.ts";
import { PACKAGES } from "./index.ts";

/** Every message that a kind is made of, by `package.Message`. */
function reachable(): ReadonlyMap<string, Message> {
  const found = new Map<string, Message>();
  const pending = PROTOBUF_KINDS.map((kind) => findMessage(kind) as Message);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const name = `${next.packageName}.${next.name}`;
    if (found.has(name)) continue;
    found.set(name, next);
    pending.push(...next.fields.filter(({ scalar }) => scalar === undefined).map((field) => field.message()));
  }
  return found;
}

const MESSAGES = reachable();
const TEXT = Object.values(PACKAGES).join("").replace(/\n +/g, " ");

/** Every field of which a check does not hold, by `package.Message.field`. */
function failing(holds: (field: Field, message: Message) => boolean): readonly string[] {
  return [...MESSAGES].flatMap(([name, message]) =>
    message.fields.filter((field) => !holds(field, message)).map((field) => `${name}.${field.name}`),
  );
}

/** Fields of a nested message stand beside their neighbours in JSON. */
function hasField({ fields }: Message, name: string): boolean {
  return fields.some((field) => field.name === name || (field.name === undefined && hasField(field.message(), name)));
}

it("every line of the tables is written once and is a part of a kind", () => {
  const written = Object.entries(PACKAGES).flatMap(([packageName, text]) =>
    [...text.matchAll(/^(\w+)(?: atomic)? =/gm)].map(([, name]) => `${packageName}.${name}`),
  );
  expect(written.filter((name) => !MESSAGES.has(name))).toEqual([]);
  expect(written).toHaveLength(new Set(written).size);
});

it("fields are in the order of the wire, with one number and one name each", () => {
  const isInPlace = (field: Field, { fields }: Message) =>
    fields.every((other) => {
      const isApart = other.number !== field.number && (other.name ?? "-") !== field.name;
      return (
        other === field || (isApart && fields.indexOf(other) < fields.indexOf(field) === other.number < field.number)
      );
    });
  expect(failing(isInPlace)).toEqual([]);
});

it("lists merge by fields that their items have, sets by the scalars they hold", () => {
  const isMergeable = ({ shape, scalar, merge, message }: Field) => {
    if (merge === undefined) return true;
    const { key } = merge.patchMerge ?? {};
    const keys = key === undefined ? merge.keys : [...merge.keys, key];
    if (shape !== "list" || (merge.listType === "map") !== merge.keys.length > 0) return false;
    return keys.length === 0 ? scalar !== undefined : keys.every((name) => hasField(message(), name));
  };
  expect(failing(isMergeable)).toEqual([]);
});

it("what is said about owners is said of maps and structs", () => {
  expect(failing(({ isAtomic, shape }) => isAtomic === undefined || shape === (isAtomic ? "map" : "single"))).toEqual(
    [],
  );
});

it("a field is marked as required or optional only where `!` has not said so", () => {
  expect(TEXT.match(/!\+|(?<!!)~/g)).toBeNull();
});
