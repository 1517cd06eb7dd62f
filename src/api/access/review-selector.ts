// The field selector of an access review: as text, or taken apart into requirements. Pure.

import { isFault } from "../../kernel/outcome/index.ts";
import { type FieldRequirement, parseFieldSelector } from "../meta/index.ts";

export interface ReviewFieldSelector {
  readonly rawSelector?: string;
  readonly requirements?: readonly {
    readonly key?: string;
    readonly operator?: string;
    readonly values?: readonly string[];
  }[];
}

const OPERATORS: ReadonlyMap<string, FieldRequirement["operator"]> = new Map([
  ["In", "="],
  ["NotIn", "!="],
]);

/**
 * What the selector requires. A requirement can only narrow what is asked for, so one that no field selector could
 * express is left out: the question is then about more than was meant, and the answer never too friendly.
 */
export function requirementsOfReview(selector: ReviewFieldSelector | undefined): readonly FieldRequirement[] {
  const { rawSelector = "", requirements = [] } = selector ?? {};
  if (requirements.length === 0) return parsed(rawSelector);
  return requirements.flatMap(({ key = "", operator = "", values = [] }): readonly FieldRequirement[] => {
    const known = OPERATORS.get(operator);
    const [value, ...more] = values;
    if (known === undefined || value === undefined || more.length > 0) return [];
    return [{ field: key, operator: known, value }];
  });
}

function parsed(text: string): readonly FieldRequirement[] {
  try {
    return parseFieldSelector(text);
  } catch (error) {
    if (isFault(error)) return [];
    throw error;
  }
}
