// The query of a request. Only the first value of a parameter counts, for authorizers and verbs alike.

import { Fault } from "../../kernel/outcome/index.ts";

/** Kubernetes knows some twenty parameters. */
const MAX_PAIRS = 100;

export interface Query {
  first(name: string): string | undefined;
  has(name: string): boolean;
}

export function parseQuery(text: string): Query {
  const values = new Map<string, string>();
  let pairs = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    pairs += 1;
    if (pairs > MAX_PAIRS) throw new Fault("limit-exceeded", `the query has more than ${MAX_PAIRS} parameters`);
    if (!values.has(name)) values.set(name, value);
  }
  return { first: (name) => values.get(name), has: (name) => values.has(name) };
}

export const NO_QUERY: Query = parseQuery("");

/** As Kubernetes reads a boolean parameter: absent, `false` and `0` are false, everything else is true. */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && value.toLowerCase() !== "false" && value !== "0";
}

/** A count; less than one means none. Fault `malformed` when it is not a whole number. */
export function countParameter(query: Query, name: string): number | undefined {
  const text = query.first(name);
  if (text === undefined || text === "") return undefined;
  if (!/^-?\d{1,15}$/.test(text)) throw new Fault("malformed", `query parameter ${name} must be a whole number`);
  return Number(text) > 0 ? Number(text) : undefined;
}
