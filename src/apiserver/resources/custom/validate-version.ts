// The smaller parts of one version of a definition: printer columns, subresources, selectable fields, deprecation.

import { isJsonObject } from "../../../kernel/json/index.ts";
import { duplicate, type FieldError, invalid, required, tooMany } from "../field-error.ts";
import type { DefinedVersion, PrinterColumn } from "./definition.ts";
import { objectOf, textOf } from "./schema/schema.ts";

const COLUMN_TYPES: readonly string[] = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS: readonly string[] = [
  "byte",
  "date",
  "date-time",
  "double",
  "float",
  "int32",
  "int64",
  "password",
];
const MAX_SELECTABLE_FIELDS = 8;
const MAX_WARNING_CHARACTERS = 256;
const SELECTABLE_TYPES: readonly string[] = ["string", "boolean", "integer"];

export function columnErrors(columns: readonly PrinterColumn[], field: string): readonly FieldError[] {
  return columns.flatMap(({ name = "", type = "", format = "", jsonPath = "" }, index) => {
    const at = `${field}[${index}]`;
    const types = `must be one of ${COLUMN_TYPES.join(",")}`;
    return [
      ...(name === "" ? [required(`${at}.name`)] : []),
      ...(type === "" ? [required(`${at}.type`, types)] : []),
      ...(type !== "" && !COLUMN_TYPES.includes(type) ? [invalid(`${at}.type`, type, types)] : []),
      ...(format !== "" && !COLUMN_FORMATS.includes(format)
        ? [invalid(`${at}.format`, format, `must be one of ${COLUMN_FORMATS.join(",")}`)]
        : []),
      ...(jsonPath === "" ? [required(`${at}.JSONPath`)] : pathErrors(jsonPath, `${at}.JSONPath`)),
    ];
  });
}

function pathErrors(path: string, field: string): readonly FieldError[] {
  return path.startsWith(".") ? [] : [invalid(field, path, "must be a simple json path starting with .")];
}

export function subresourceErrors(subresources: DefinedVersion["subresources"], field: string): readonly FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const { specReplicasPath = "", statusReplicasPath = "", labelSelectorPath = "" } = scale;
  return [
    ...scalePathErrors(specReplicasPath, `${field}.scale.specReplicasPath`, ".spec"),
    ...scalePathErrors(statusReplicasPath, `${field}.scale.statusReplicasPath`, ".status"),
    ...(labelSelectorPath === "" || /^\.(?:spec|status)\./.test(labelSelectorPath)
      ? []
      : [
          invalid(
            `${field}.scale.labelSelectorPath`,
            labelSelectorPath,
            "should be a json path under either .spec or .status",
          ),
        ]),
  ];
}

function scalePathErrors(path: string, field: string, under: string): readonly FieldError[] {
  if (path === "") return [required(field)];
  const errors = pathErrors(path, field);
  if (errors.length > 0 || path.startsWith(`${under}.`)) return errors;
  return [invalid(field, path, `should be a json path under ${under}`)];
}

export function selectableErrors(
  { selectableFields = [], schema }: DefinedVersion,
  field: string,
): readonly FieldError[] {
  const seen = new Set<string>();
  const errors = selectableFields.flatMap(({ jsonPath = "" }, index): readonly FieldError[] => {
    const at = `${field}[${index}].jsonPath`;
    if (jsonPath === "") return [required(at)];
    const type = typeAt(schema?.openAPIV3Schema, jsonPath);
    if (type === undefined) return [invalid(at, jsonPath, "is an invalid path: does not refer to a valid field")];
    const isRepeated = seen.has(jsonPath);
    seen.add(jsonPath);
    return [
      ...(jsonPath.startsWith(".metadata.") ? [invalid(at, jsonPath, "must not point to fields in metadata")] : []),
      ...(SELECTABLE_TYPES.includes(type) ? [] : [invalid(at, jsonPath, WRONG_SELECTABLE)]),
      ...(isRepeated ? [duplicate(at, jsonPath)] : []),
    ];
  });
  return seen.size > MAX_SELECTABLE_FIELDS ? [...errors, tooMany(field, seen.size, MAX_SELECTABLE_FIELDS)] : errors;
}

const WRONG_SELECTABLE =
  "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";

function typeAt(schema: unknown, path: string): string | undefined {
  let at = isJsonObject(schema) ? schema : undefined;
  if (!path.startsWith(".")) return undefined;
  for (const name of path.slice(1).split(".")) at = objectOf(objectOf(at?.["properties"])?.[name]);
  return at === undefined ? undefined : textOf(at["type"]);
}

export function deprecationErrors({ deprecated, deprecationWarning: text }: DefinedVersion, field: string) {
  if (text === undefined) return [];
  const at = `${field}.deprecationWarning`;
  const problems = [
    ...(deprecated === true ? [] : ["can only be set for deprecated versions"]),
    ...(text.length > MAX_WARNING_CHARACTERS ? [`must be <= ${MAX_WARNING_CHARACTERS} characters long`] : []),
    ...(text === "" ? ["must not be an empty string"] : []),
    ...(/\p{C}/u.test(text) ? ["must only contain printable UTF-8 characters"] : []),
  ];
  return problems.map((problem) => invalid(at, text, problem));
}
