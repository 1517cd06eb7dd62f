// The tables contradict neither themselves nor one another, and they are the only description of a built-in kind:
// whatever is served of it (protobuf, validation, merging, documents, discovery) is derived from its lines.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { PROTOBUF_KINDS } from "../../../../test/builders/protobuf-kinds.ts";
import { findMessage, type Message, type MessageField } from "../../encoding/index.ts";
import { legacyResources } from "../../reply/discovery.ts";
import { openApiDocuments } from "../../reply/openapi/document.ts";
import { builtInSchema } from "../../schema/index.ts";
import { createRegistry } from "../registry.ts";
import { defineStrategy } from "../strategy.ts";
import { API_GROUPS } from "./index.ts";

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
const TEXT = API_GROUPS.map(({ messages }) => messages)
  .join("")
  .replace(/\n +/g, " ");

/** Every field of which a check does not hold, by `package.Message.field`. */
function failing(holds: (field: MessageField, message: Message) => boolean): readonly string[] {
  return [...MESSAGES].flatMap(([name, message]) =>
    message.fields.filter((field) => !holds(field, message)).map((field) => `${name}.${field.name}`),
  );
}

/** Fields of a nested message stand beside their neighbours in JSON. */
function hasField({ fields }: Message, name: string): boolean {
  return fields.some((field) => field.name === name || (field.name === undefined && hasField(field.message(), name)));
}

it("every line of the tables is written once and is a part of a kind", () => {
  const written = API_GROUPS.flatMap(({ packageName, messages }) =>
    [...messages.matchAll(/^(\w+)(?: atomic)? =/gm)].map(([, name]) => `${packageName}.${name}`),
  );
  expect(written.filter((name) => !MESSAGES.has(name))).toEqual([]);
  expect(written).toHaveLength(new Set(written).size);
});

it("fields are in the order of the wire, with one number and one name each", () => {
  const isInPlace = (field: MessageField, { fields }: Message) =>
    fields.every((other) => {
      const isApart = other.number !== field.number && (other.name ?? "-") !== field.name;
      return (
        other === field || (isApart && fields.indexOf(other) < fields.indexOf(field) === other.number < field.number)
      );
    });
  expect(failing(isInPlace)).toEqual([]);
});

it("lists merge by fields that their items have, sets by the scalars they hold", () => {
  const isMergeable = ({ shape, scalar, merge, message }: MessageField) => {
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

const STORED = API_GROUPS.flatMap(({ apiVersion, kinds = [] }) =>
  kinds.map((strategy) => ({ apiVersion, kind: strategy.resource.kind, strategy })),
);

describe.each(STORED)("$kind of $apiVersion", ({ apiVersion, kind, strategy }) => {
  const { resource } = strategy;
  const names = (message: Message): readonly string[] =>
    message.fields.flatMap((field) => (field.name === undefined ? names(field.message()) : [field.name]));

  it("stands in the group of its name", () => {
    expect(resource.group === "" ? resource.version : `${resource.group}/${resource.version}`).toBe(apiVersion);
  });

  it("has the fields of its line in every form", () => {
    const fields = ["apiVersion", "kind", ...names(findMessage({ apiVersion, kind }) as Message)];
    expect([...(builtInSchema(resource)?.fields().keys() ?? [])]).toEqual(fields);
    const path = `${resource.group === "" ? "api" : "apis"}/${apiVersion}`;
    const { schemas = {} } = (openApiDocuments(createRegistry()).get(path)?.["components"] ?? {}) as Components;
    const components = Object.values(schemas).filter(
      (one) => one["x-kubernetes-group-version-kind"]?.[0]?.kind === kind,
    );
    expect(components.map(({ properties }) => Object.keys(properties ?? {}))).toEqual([fields]);
    expect(findMessage({ apiVersion, kind: `${kind}List` })?.fields[1]?.message()).toBe(
      findMessage({ apiVersion, kind }),
    );
  });

  it("needs no more than its names to be served", () => {
    const plain = defineStrategy({ resource });
    expect(plain.table.columns.map(({ format }) => format)).toContain("name");
    const { group, version, plural } = resource;
    const { resources } = legacyResources(createRegistry(), group, version) as {
      resources: readonly { name: string }[];
    };
    expect(resources.map(({ name }) => name)).toContain(plural);
  });
});

interface Components {
  readonly schemas?: Readonly<Record<string, Component>>;
}
interface Component {
  readonly properties?: object;
  readonly "x-kubernetes-group-version-kind"?: readonly { readonly kind: string }[];
}

it("no other file describes what a kind is made of", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("groups"),
  );
  const named = new RegExp(`["\\n](${[...MESSAGES.keys()].filter((name) => !name.startsWith("meta.")).join("|")})\\b`);
  const describing = sources.filter((file) => named.test(readFileSync(join(root, file), "utf8")));
  expect(describing).toEqual([]);
});
