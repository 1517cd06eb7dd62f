// Secret and ConfigMap: keys and values of at most one MiB in sum, optionally immutable.

import type { ConfigMap, Secret } from "../../../api/core/index.ts";
import { CONFIG_MAPS, type KubeObject, SECRETS } from "../../../api/meta/index.ts";
import { encodeBase64, encodeUtf8 } from "../../../kernel/bytes/index.ts";
import { type FieldError, forbiddenField, invalid, tooLong } from "../field-error.ts";
import { utf8Length } from "../metadata.ts";
import { configKey } from "../names.ts";
import { defineStrategy } from "../strategy.ts";
import { ageCell, column, NAME_COLUMN, nameOf } from "../table.ts";

const MAX_DATA_BYTES = 1_048_576;

interface Immutable extends KubeObject {
  immutable?: boolean;
}
interface StoredSecret extends Secret, Immutable {}
interface StoredConfigMap extends ConfigMap, Immutable {
  binaryData?: Readonly<Record<string, string>>;
}

function keyErrors(field: string, values: Readonly<Record<string, string>>): readonly FieldError[] {
  return Object.keys(values).flatMap((key) => configKey(key).map((text) => invalid(`${field}[${key}]`, key, text)));
}

function base64Bytes(values: Readonly<Record<string, string>>): number {
  return Object.values(values).reduce((sum, value) => sum + Math.floor((value.replace(/=+$/, "").length * 3) / 4), 0);
}

function textBytes(values: Readonly<Record<string, string>>): number {
  return Object.values(values).reduce((sum, value) => sum + utf8Length(value), 0);
}

function changeErrors(next: Immutable, current: Immutable, fields: readonly string[]): readonly FieldError[] {
  if (current.immutable !== true) return [];
  const read = (object: Immutable, field: string) =>
    JSON.stringify((object as unknown as Record<string, unknown>)[field]);
  const changed = fields.filter((field) => read(next, field) !== read(current, field));
  const errors = changed.map((field) => forbiddenField(field, "field is immutable when `immutable` is set"));
  return next.immutable === true
    ? errors
    : [forbiddenField("immutable", "field is immutable when `immutable` is set"), ...errors];
}

/** stringData is write-only. */
function foldStringData(secret: StoredSecret): StoredSecret {
  const { stringData, ...rest } = secret;
  if (stringData === undefined) return rest;
  const encoded = Object.entries(stringData).map(([key, value]) => [key, encodeBase64(encodeUtf8(value))] as const);
  return { ...rest, data: { ...rest.data, ...Object.fromEntries(encoded) } };
}

function secretErrors(secret: StoredSecret): readonly FieldError[] {
  const data = secret.data ?? {};
  return [...keyErrors("data", data), ...(base64Bytes(data) > MAX_DATA_BYTES ? [tooLong("data", MAX_DATA_BYTES)] : [])];
}

export const secretStrategy = defineStrategy<StoredSecret>({
  resource: SECRETS,
  prepareCreate: (sent) => ({ ...foldStringData(sent), type: sent.type || "Opaque" }),
  prepareUpdate: (sent, current) => ({ ...foldStringData(sent), type: sent.type || current.type || "Opaque" }),
  validateCreate: secretErrors,
  validateUpdate: (next, current) => [
    ...(next.type === current.type ? [] : [invalid("type", next.type, "field is immutable")]),
    ...changeErrors(next, current, ["data"]),
    ...secretErrors(next),
  ],
  selectableFields: (secret) => ({ type: secret.type ?? "" }),
  table: {
    columns: [NAME_COLUMN, column("Type"), column("Data"), column("Age")],
    cells: (secret, nowMs) => [
      nameOf(secret),
      secret.type ?? "",
      Object.keys(secret.data ?? {}).length,
      ageCell(secret, nowMs),
    ],
  },
});

function configMapErrors(map: StoredConfigMap): readonly FieldError[] {
  const { data = {}, binaryData = {} } = map;
  const both = Object.keys(data).filter((key) => Object.hasOwn(binaryData, key));
  const isLarge = textBytes(data) + base64Bytes(binaryData) > MAX_DATA_BYTES;
  return [
    ...keyErrors("data", data),
    ...both.map((key) => invalid(`data[${key}]`, key, "duplicate of key present in binaryData")),
    ...keyErrors("binaryData", binaryData),
    ...(isLarge ? [tooLong("", MAX_DATA_BYTES)] : []),
  ];
}

export const configMapStrategy = defineStrategy<StoredConfigMap>({
  resource: CONFIG_MAPS,
  shortNames: ["cm"],
  validateCreate: configMapErrors,
  validateUpdate: (next, current) => [...changeErrors(next, current, ["data", "binaryData"]), ...configMapErrors(next)],
  table: {
    columns: [NAME_COLUMN, column("Data"), column("Age")],
    cells: (map, nowMs) => [
      nameOf(map),
      Object.keys(map.data ?? {}).length + Object.keys(map.binaryData ?? {}).length,
      ageCell(map, nowMs),
    ],
  },
});
