// The types of kinds in src/api name only what the product reads; every field they name is one of the tables, with its
// type.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { findMessage, type Message, type MessageField } from "../../encoding/index.ts";
import { API_GROUPS } from "./index.ts";

type Type =
  | { readonly is: "object"; readonly fields: ReadonlyMap<string, Type> }
  | { readonly is: "list" | "map"; readonly of: Type }
  | { readonly is: "text" | "number" | "boolean" | "any" };

const FOLDERS = ["core", "access", "certificates"];
const ROOT = fileURLToPath(new URL("../../../api/", import.meta.url));
const SOURCE = FOLDERS.flatMap((folder) => readdirSync(`${ROOT}${folder}`).map((file) => `${ROOT}${folder}/${file}`))
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => readFileSync(file, "utf8"))
  .join("\n")
  .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");

/** The text of an interface or of an alias by its name. */
function declarationOf(name: string): string | undefined {
  return new RegExp(`(?:interface ${name}\\b[^{]*|type ${name} =)([\\s\\S]*?)\\n(?:\\}|(?=\\n|export|type))`).exec(
    `${SOURCE}\n`,
  )?.[1];
}

function named(token: string): Type {
  if (token.startsWith('"') || token === "string") return { is: "text" };
  if (token === "number" || token === "boolean") return { is: token };
  const declared = declarationOf(token);
  return declared === undefined ? { is: "any" } : parseType(declared);
}

/** Reads the small part of TypeScript that these types are written in. */
function parseType(text: string): Type {
  const tokens = text.match(/"[^"]*"|\w+|[{}[\]<>|&;:?,]/g)?.filter((token) => token !== "readonly") ?? [];
  let at = 0;
  const take = (token: string) => tokens[at] === token && ++at > 0;

  function union(): Type {
    const parts = [intersection()];
    while (take("|")) parts.push(intersection());
    return parts[0] ?? { is: "any" };
  }

  function intersection(): Type {
    let left = postfix();
    while (take("&")) {
      const right = postfix();
      const fields = [left, right].flatMap((one) => (one.is === "object" ? [...one.fields] : []));
      left = { is: "object", fields: new Map(fields) };
    }
    return left;
  }

  function postfix(): Type {
    let type = primary();
    while (tokens[at] === "[" && tokens[at + 1] === "]") {
      at += 2;
      type = { is: "list", of: type };
    }
    return type;
  }

  function primary(): Type {
    const token = tokens[at++] ?? "";
    if (token === "{") return members();
    if (token === "Readonly") return generic((inner) => inner);
    if (token === "Record") return generic((of) => ({ is: "map", of }));
    return named(token);
  }

  /** Of several arguments the last one counts: the value of a Record. */
  function generic(make: (inner: Type) => Type): Type {
    take("<");
    let inner = union();
    while (take(",")) inner = union();
    take(">");
    return make(inner);
  }

  function members(): Type {
    const fields = new Map<string, Type>();
    while (at < tokens.length && !take("}")) {
      const name = tokens[at++] ?? "";
      take("?");
      take(":");
      fields.set(name, union());
      take(";");
    }
    return { is: "object", fields };
  }

  return union();
}

const SCALARS: Readonly<Record<string, readonly string[]>> = {
  text: ["string", "bytes"],
  number: ["int32", "int64", "double"],
  boolean: ["bool"],
};

function problems(type: Type, field: MessageField, path: string): readonly string[] {
  if (type.is === "any") return [];
  if (field.shape === "single") return singleProblems(type, field, path);
  return type.is === field.shape ? problems(type.of, { ...field, shape: "single" }, path) : [path];
}

function singleProblems(type: Type, { scalar, message }: MessageField, path: string): readonly string[] {
  if (scalar !== undefined) return SCALARS[type.is]?.includes(scalar) === true ? [] : [path];
  // A message with a form of its own (a time, a quantity, a list in a map) is no object of its fields.
  if (message().form !== undefined) return [];
  if (type.is === "object") return objectProblems(type.fields, message(), path);
  // A message whose fields are read by variable names is a map in TypeScript.
  return type.is === "map" ? [] : [path];
}

function objectProblems(fields: ReadonlyMap<string, Type>, message: Message, path: string): readonly string[] {
  const known = new Map(fieldsOf(message).map((field) => [field.name, field]));
  return [...fields].flatMap(([name, type]) => {
    const field = known.get(name);
    return field === undefined ? [`${path}.${name}`] : problems(type, field, `${path}.${name}`);
  });
}

/** Fields of a nested message stand beside their neighbours in JSON. */
function fieldsOf({ fields }: Message): readonly MessageField[] {
  return fields.flatMap((field) => (field.name === undefined ? fieldsOf(field.message()) : [field]));
}

const KINDS = API_GROUPS.flatMap(({ apiVersion, kinds = [], reviews = [] }) =>
  // The type of an Event is that of its stored form.
  [...kinds.filter(({ face }) => face === undefined), ...reviews].map(({ resource: { kind } }) => ({
    apiVersion,
    kind,
  })),
);

it("the types of kinds name fields of the tables", () => {
  const declared = KINDS.flatMap((kind) => {
    const text = declarationOf(kind.kind.replace(/^CSI/, "Csi"));
    const type = text === undefined ? undefined : parseType(text);
    return type?.is === "object" ? [{ kind, type }] : [];
  });
  expect(declared.length).toBeGreaterThan(20);
  expect(
    declared.flatMap(({ kind, type }) => objectProblems(type.fields, findMessage(kind) as Message, kind.kind)),
  ).toEqual([]);
});
