// Types of fields, for bodies that have no schema: DeleteOptions and the metadata of custom resources. Unknown fields
// pass.

import { parseQuantity } from "./quantity.ts";

type Scalar = "string" | "integer" | "boolean" | "bytes" | "time" | "microtime" | "quantity" | "intOrString" | "any";

/** `[shape]` is a list, `{ "*": shape }` a map, any other record an object. */
export type Shape = Scalar | readonly [Shape] | { readonly [field: string]: Shape };

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export const META_SHAPE: Shape = {
  name: "string",
  generateName: "string",
  namespace: "string",
  uid: "string",
  resourceVersion: "string",
  generation: "integer",
  creationTimestamp: "time",
  deletionTimestamp: "time",
  deletionGracePeriodSeconds: "integer",
  labels: { "*": "string" },
  annotations: { "*": "string" },
  finalizers: ["string"],
  ownerReferences: [
    {
      apiVersion: "string",
      kind: "string",
      name: "string",
      uid: "string",
      controller: "boolean",
      blockOwnerDeletion: "boolean",
    },
  ],
  managedFields: ["any"],
};

/** What is wrong, in the words of Go's decoder; undefined when everything has its type. */
export function shapeProblem(shape: Shape, value: unknown, path: string): string | undefined {
  if (shape === "any" || value === undefined || value === null) return undefined;
  if (typeof shape === "string") return scalarProblem(shape, value, path);
  if (Array.isArray(shape)) return listProblem(shape[0] as Shape, value, path);
  return recordProblem(shape as Readonly<Record<string, Shape>>, value, path);
}

function listProblem(item: Shape, value: unknown, path: string): string | undefined {
  if (!Array.isArray(value)) return mismatch(value, path, "list");
  for (const one of value) {
    // differs from upstream: Go reads a null element as an empty value.
    const problem = one === null ? mismatch(one, path, "element") : shapeProblem(item, one, path);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function recordProblem(fields: Readonly<Record<string, Shape>>, value: unknown, path: string): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return mismatch(value, path, "object");
  const any = fields["*"];
  for (const [key, one] of Object.entries(value)) {
    const shape = any ?? (Object.hasOwn(fields, key) ? fields[key] : undefined);
    const inner = any === undefined ? `${path}.${key}` : path;
    const problem = shape === undefined ? undefined : shapeProblem(shape, one, inner);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

interface ScalarRule {
  /** The name of the Go type. */
  readonly type: string;
  is(value: unknown): boolean;
  /** The syntax of a string of this type. */
  readonly text?: { readonly fits: (text: string) => boolean; readonly problem: string };
}

const isText = (value: unknown): value is string => typeof value === "string";
const TIME_TEXT = {
  fits: (text: string) => TIME.test(text) && !Number.isNaN(Date.parse(text)),
  problem: "parsing time: not RFC 3339",
};

const QUANTITY_TEXT = {
  fits: (text: string) => parseQuantity(text) !== undefined,
  problem: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
};

const SCALARS: Readonly<Record<Scalar, ScalarRule>> = {
  any: { type: "any", is: () => true },
  string: { type: "string", is: isText },
  boolean: { type: "bool", is: (value) => typeof value === "boolean" },
  integer: { type: "int64", is: Number.isSafeInteger },
  bytes: { type: "[]uint8", is: isText, text: { fits: isBase64, problem: "illegal base64 data" } },
  time: { type: "Time", is: isText, text: TIME_TEXT },
  microtime: { type: "MicroTime", is: isText, text: TIME_TEXT },
  quantity: { type: "Quantity", is: isText, text: QUANTITY_TEXT },
  intOrString: { type: "IntOrString", is: (value) => isText(value) || Number.isSafeInteger(value) },
};

function scalarProblem(shape: Scalar, value: unknown, path: string): string | undefined {
  const rule = SCALARS[shape];
  if (!rule.is(value)) return mismatch(value, path, rule.type);
  if (rule.text === undefined || rule.text.fits(String(value))) return undefined;
  return `${rule.text.problem} in Go struct field ${path}`;
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && BASE64.test(text);
}

function mismatch(value: unknown, path: string, wanted: string): string {
  return `json: cannot unmarshal ${jsonType(value)} into Go struct field ${path} of type ${wanted}`;
}

function jsonType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
