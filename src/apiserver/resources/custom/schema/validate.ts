// Does a value fit its schema? Behaviour and words of k8s.io/kube-openapi/pkg/validation/validate. On an update, what
// was wrong before and has not changed is let through, as in Kubernetes since 1.33 ("ratcheting").

import { isJsonObject, isSameJson, type Json, type JsonObject } from "../../../../kernel/json/index.ts";
import { Fault } from "../../../../kernel/outcome/index.ts";
import { createMatchBudget } from "../../../../kernel/regexp/index.ts";
import { type FieldError, invalid, required } from "../../field-error.ts";
import { checkSize, checkValue, rootOf, type ValuePlace } from "./check-value.ts";
import type { CustomSchema } from "./schema.ts";

interface Validation {
  /** Where the value stands in its object: empty for the whole, "status" for the status alone. */
  readonly field?: string;
  /** What was there before; absent on create. */
  readonly old?: Json | undefined;
}

export function validateValue(
  value: Json,
  schema: CustomSchema,
  { field = "", old }: Validation = {},
): readonly FieldError[] {
  const work = { left: MAX_VALIDATIONS };
  return validate(value, schema, { path: "", field, old, budget: createMatchBudget(), work }).errors;
}

/**
 * Values times the alternatives of their schemas: a thousand alternatives for each of thirty thousand values would hold
 * the server for minutes. An honest object needs one or two for each value.
 */
const MAX_VALIDATIONS = 100_000;

/** Validation stops after this many mistakes. */
const ENOUGH_ERRORS = 100;

interface Context extends ValuePlace {
  readonly work: { left: number };
  readonly old: Json | undefined;
}

interface Result {
  readonly errors: readonly FieldError[];
  /** How many checks were made: of several alternatives that fail, the one that came furthest is reported. */
  readonly checks: number;
}

const NOTHING: Result = { errors: [], checks: 0 };

function merge(results: readonly Result[]): Result {
  return {
    errors: results.flatMap((one) => one.errors),
    checks: results.reduce((sum, one) => sum + one.checks, 0),
  };
}

function validate(value: Json, schema: CustomSchema, context: Context): Result {
  context.work.left -= 1;
  if (context.work.left < 0) {
    throw new Fault("limit-exceeded", `the schema asks for more than ${MAX_VALIDATIONS} checks of this object`);
  }
  const own: Result = { errors: checkValue(value, schema, context), checks: 1 };
  if (value === null) return own;
  const inside = isJsonObject(value)
    ? validateFields(value, schema, context)
    : Array.isArray(value)
      ? validateItems(value, schema, context)
      : NOTHING;
  const result = merge([own, validateAlternatives(value, schema, context), inside]);
  const isUnchanged = result.errors.length > 0 && context.old !== undefined && isSameJson(value, context.old);
  return isUnchanged ? { ...result, errors: [] } : result;
}

function validateItems(items: readonly Json[], schema: CustomSchema, context: Context): Result {
  const size = { errors: checkSize(items, schema.limits, context), checks: 1 };
  if (schema.items === undefined) return size;
  const inner = schema.items;
  const before = oldItems(schema, context.old);
  const results: Result[] = [size];
  let errors = 0;
  for (const [index, item] of items.entries()) {
    const at = `[${index}]`;
    const place = { path: context.path + at, field: context.field + at, budget: context.budget, work: context.work };
    const result = validate(item, inner, { ...place, old: before(item) });
    results.push(result);
    errors += result.errors.length;
    if (errors > ENOUGH_ERRORS) break;
  }
  return merge(results);
}

/** Items of a list with keys are the same item as long as the keys are. */
function oldItems(schema: CustomSchema, old: Json | undefined): (item: Json) => Json | undefined {
  if (schema.listType !== "map" || !Array.isArray(old)) return () => undefined;
  const byKey = new Map(old.map((item: Json) => [itemKey(item, schema.listMapKeys), item]));
  return (item) => byKey.get(itemKey(item, schema.listMapKeys));
}

export function itemKey(item: Json, keys: readonly string[]): string {
  return JSON.stringify(keys.map((key) => (isJsonObject(item) ? item[key] : undefined) ?? null));
}

function validateFields(object: JsonObject, schema: CustomSchema, context: Context): Result {
  const names = Object.keys(object);
  const results: Result[] = [{ errors: checkSize(names.length, schema.limits, context), checks: 1 }];
  for (const name of names) {
    const inner = schema.properties.get(name) ?? schema.additional;
    const at = inside(context, name);
    if (inner === false) {
      const detail = `${at.path} in body is a forbidden property`;
      results.push({ errors: [invalid(at.field, name, detail)], checks: 0 });
    } else if (typeof inner === "object") results.push(validate(object[name] ?? null, inner, at));
  }
  const missing = schema.required.filter((name) => !Object.hasOwn(object, name));
  results.push({ errors: missing.map((name) => required(inside(context, name).field)), checks: 0 });
  return merge(results);
}

function inside(context: Context, name: string): Context {
  const { path, field, budget, work, old } = context;
  const before = isJsonObject(old) ? old[name] : undefined;
  const join = (start: string) => (start === "" ? name : `${start}.${name}`);
  return { path: join(path), field: join(field), budget, work, old: before };
}

function validateAlternatives(value: Json, schema: CustomSchema, context: Context): Result {
  const { anyOf, oneOf, allOf, not } = schema;
  if (anyOf.length === 0 && oneOf.length === 0 && allOf.length === 0 && not === undefined) return NOTHING;
  const tries = (alternatives: readonly CustomSchema[]) => alternatives.map((one) => validate(value, one, context));
  return merge([
    anyOf.length === 0 ? NOTHING : judgeAnyOf(tries(anyOf), context),
    oneOf.length === 0 ? NOTHING : judgeOneOf(tries(oneOf), context),
    allOf.length === 0 ? NOTHING : judgeAllOf(tries(allOf), context),
    not === undefined ? NOTHING : judgeNot(validate(value, not, context), context),
  ]);
}

/** These mistakes belong to no single field, so Kubernetes prints no path for them. */
function about(context: Context, text: string): FieldError {
  return invalid(rootOf(context), "", `${JSON.stringify(context.path)} must ${text}`);
}

function judgeAnyOf(results: readonly Result[], context: Context): Result {
  const good = results.find((one) => one.errors.length === 0);
  if (good !== undefined) return good;
  const best = furthest(results);
  return { ...best, errors: [about(context, "validate at least one schema (anyOf)"), ...best.errors] };
}

function judgeOneOf(results: readonly Result[], context: Context): Result {
  const good = results.filter((one) => one.errors.length === 0);
  if (good.length === 1 && good[0] !== undefined) return good[0];
  const found = good.length === 0 ? "Found none valid" : `Found ${good.length} valid alternatives`;
  const error = about(context, `validate one and only one schema (oneOf). ${found}`);
  const best = good.length === 0 ? furthest(results) : NOTHING;
  return { ...best, errors: [error, ...best.errors] };
}

function judgeAllOf(results: readonly Result[], context: Context): Result {
  const all = merge(results);
  if (all.errors.length === 0) return all;
  const none = results.every((one) => one.errors.length > 0) ? ". None validated" : "";
  return { ...all, errors: [...all.errors, about(context, `validate all the schemas (allOf)${none}`)] };
}

function judgeNot(result: Result, context: Context): Result {
  const errors = result.errors.length === 0 ? [about(context, "not validate the schema (not)")] : [];
  return { errors, checks: 0 };
}

function furthest(results: readonly Result[]): Result {
  return results.reduce((best, one) => (one.checks > best.checks ? one : best), results[0] ?? NOTHING);
}
