// Whatever allOf, anyOf, oneOf and not restrict must be known outside of them: otherwise pruning would take it away before
// anything could be restricted.

import type { JsonObject } from "../../../../kernel/json/index.ts";
import { type FieldError, required } from "../../field-error.ts";
import { listOf, objectOf } from "./raw.ts";

interface Where {
  /** Where the field should be known. */
  readonly known: string;
  /** Where it is restricted. */
  readonly nested: string;
}

export function completenessErrors(schema: JsonObject, field: string): readonly FieldError[] {
  return junctorErrors(schema, schema, { known: field, nested: field });
}

function junctorErrors(restricting: JsonObject, schema: JsonObject, { known, nested }: Where): readonly FieldError[] {
  const parts = (["allOf", "anyOf", "oneOf"] as const).flatMap((junctor) =>
    listOf(restricting[junctor]).map((one, at) => ({ one: objectOf(one) ?? {}, path: `${nested}.${junctor}[${at}]` })),
  );
  const not = objectOf(restricting["not"]);
  const all = not === undefined ? parts : [{ one: not, path: `${nested}.not` }, ...parts];
  return all.flatMap(({ one, path }) => nestedErrors(one, schema, { known, nested: path }));
}

function nestedErrors(restricting: JsonObject, schema: JsonObject, where: Where): readonly FieldError[] {
  const errors = [...junctorErrors(restricting, schema, where)];
  const look = (inner: JsonObject, known: JsonObject | undefined, step: string) => {
    const deeper = { known: where.known + step, nested: where.nested + step };
    if (known === undefined) errors.push(required(deeper.known, `because it is defined in ${deeper.nested}`));
    else errors.push(...nestedErrors(inner, known, deeper));
  };
  const items = objectOf(restricting["items"]);
  if (items !== undefined) look(items, objectOf(schema["items"]), ".items");
  const properties = objectOf(schema["properties"]) ?? {};
  for (const [name, inner] of Object.entries(objectOf(restricting["properties"]) ?? {})) {
    look(objectOf(inner) ?? {}, objectOf(properties[name]), `.properties[${name}]`);
  }
  return errors;
}
