// The one spelling of a provider's object, so that what a provider wrote is what its verifier reads.
import type { JsonObject, JsonValue } from "./evidence.ts";
import { LIMITS } from "./limits.ts";

const { maxEvidenceLevels: MAX_DEPTH, maxEvidenceCharacters: MAX_CHARACTERS } = LIMITS;
const PRINTABLE = /^[\x20-\x7e]*$/;

/** Why an object cannot travel as evidence; undefined: it can. */
export function evidenceProblem(value: JsonObject): string | undefined {
  const problem = problemOf(value, "evidence", 1);
  if (problem !== undefined) return problem;
  const { length } = JSON.stringify(value);
  return length <= MAX_CHARACTERS
    ? undefined
    : `evidence must have at most ${MAX_CHARACTERS} characters, it has ${length}`;
}

function problemOf(value: JsonValue, where: string, depth: number): string | undefined {
  switch (typeof value) {
    case "string":
      return PRINTABLE.test(value) ? undefined : `${where} must be printable ASCII`;
    case "number":
      return Number.isSafeInteger(value) && value >= 0 ? undefined : `${where} must be an integer from 0 to 2^53 - 1`;
    case "boolean":
      return undefined;
    case "object":
      return value === null ? `${where} must not be null` : compositeProblem(value, where, depth);
    default:
      return `${where} must be a string, an integer, a boolean, a list or an object`;
  }
}

function compositeProblem(value: readonly JsonValue[] | JsonObject, where: string, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return `${where} is nested deeper than ${MAX_DEPTH} levels`;
  for (const [key, member] of Object.entries(value)) {
    if (!PRINTABLE.test(key)) return `${where} has a key that is not printable ASCII`;
    const problem = problemOf(member, `${where}.${key}`, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
