// The rules of x-kubernetes-list-type: every item of a map list has its keys, and items of a set are scalars or atomic.

import type { Json, JsonObject } from "../../../../kernel/json/index.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../field-error.ts";
import { listOf, objectOf, textOf } from "./schema.ts";

const LIST_TYPES: readonly string[] = ["atomic", "set", "map"];

export function listTypeErrors(schema: JsonObject, field: string): readonly FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  const keys = listOf(schema["x-kubernetes-list-map-keys"]);
  const errors: FieldError[] = [];
  if (listType !== undefined) {
    errors.push(...arrayErrors(schema, field));
    if (!LIST_TYPES.includes(textOf(listType))) {
      errors.push(notSupported(`${field}.x-kubernetes-list-type`, listType, LIST_TYPES));
    }
  }
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    const at = `${field}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? required(at, detail) : invalid(at, listType, detail));
  }
  if (listType === "map") errors.push(...mapErrors(schema, keys, field));
  return listType === "map" || listType === "set" ? [...errors, ...itemErrors(schema, keys, field)] : errors;
}

function arrayErrors(schema: JsonObject, field: string): readonly FieldError[] {
  const type = textOf(schema["type"]);
  const detail = "must be array if x-kubernetes-list-type is specified";
  if (type === "") return [required(`${field}.type`, detail)];
  if (type !== "array") return [invalid(`${field}.type`, type, detail)];
  return schema["x-kubernetes-list-type"] === "set" ? setErrors(objectOf(schema["items"]) ?? {}, field) : [];
}

/** Items of a set are compared as a whole, so they must be atomic. */
function setErrors(items: JsonObject, field: string): readonly FieldError[] {
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items["x-kubernetes-list-type"];
  if (items["type"] === "array" && listType !== undefined && listType !== "atomic") {
    return [invalid(`${field}.items.x-kubernetes-list-type`, listType, detail)];
  }
  if (items["type"] === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    return [invalid(`${field}.items.x-kubernetes-map-type`, listType ?? null, detail)];
  }
  return [];
}

function mapErrors(schema: JsonObject, keys: readonly Json[], field: string): readonly FieldError[] {
  const at = `${field}.x-kubernetes-list-map-keys`;
  const items = objectOf(schema["items"]);
  const errors: FieldError[] = [];
  if (keys.length === 0) errors.push(required(at, "must not be empty if x-kubernetes-list-type is map"));
  if (items === undefined) {
    return [...errors, required(`${field}.items`, "must have a schema if x-kubernetes-list-type is map")];
  }
  if (items["type"] !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalid(`${field}.items.type`, textOf(items["type"]), detail)];
  }
  const properties = objectOf(items["properties"]) ?? {};
  for (const [index, key] of keys.entries()) {
    const property = objectOf(properties[textOf(key)]);
    if (property === undefined) errors.push(invalid(at, keys, "entries must all be names of item properties"));
    if (property?.["type"] === "array" || property?.["type"] === "object") {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(`${field}.items.properties[${textOf(key)}].type`, items["type"], detail));
    }
    if (keys.indexOf(key) < index) errors.push(invalid(at, keys, "must not contain duplicate entries"));
  }
  return errors;
}

function itemErrors(schema: JsonObject, keys: readonly Json[], field: string): readonly FieldError[] {
  const items = objectOf(schema["items"]);
  if (items === undefined) return [];
  const listType = textOf(schema["x-kubernetes-list-type"]);
  const errors: FieldError[] = [];
  if (items["nullable"] === true) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(forbiddenField(`${field}.items.nullable`, detail));
  }
  const needed = listOf(items["required"]);
  for (const key of listType === "map" ? keys : []) {
    const property = objectOf(objectOf(items["properties"])?.[textOf(key)]);
    const at = `${field}.items.properties[${textOf(key)}]`;
    if (property !== undefined && !needed.includes(key) && property["default"] === undefined) {
      const detail =
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
      errors.push(required(`${at}.default`, detail));
    }
    if (property?.["nullable"] === true) {
      const detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
      errors.push(forbiddenField(`${at}.nullable`, detail));
    }
  }
  return errors;
}
