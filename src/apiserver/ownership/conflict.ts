// Conflicts of server-side apply, in the words of Kubernetes: clients print them, and people search for them.

import { type FieldSet, fieldPaths } from "./field-set.ts";
import type { FieldWriter } from "./managers.ts";
import { describePath } from "./path-element.ts";

export interface Conflict {
  readonly writer: FieldWriter;
  readonly fields: FieldSet;
}

interface ConflictCause {
  readonly reason: "FieldManagerConflict";
  readonly message: string;
  readonly field: string;
}

interface ConflictReport {
  readonly message: string;
  readonly causes: readonly ConflictCause[];
}

/** By manager, each with the fields in conflict. */
export function describeConflicts(conflicts: readonly Conflict[]): ConflictReport {
  const groups = [...conflicts]
    .sort((one, other) => (one.writer.manager < other.writer.manager ? -1 : 1))
    .map((conflict) => ({ who: describeWriter(conflict), fields: [...fieldPaths(conflict.fields)].map(describePath) }));
  const causes = groups.flatMap(({ who, fields }) =>
    fields.map((field): ConflictCause => ({ reason: "FieldManagerConflict", message: `conflict with ${who}`, field })),
  );
  const [only, second] = causes;
  if (only !== undefined && second === undefined) {
    return { message: `Apply failed with 1 conflict: ${only.message}: ${only.field}`, causes };
  }
  const texts = groups.map(
    ({ who, fields }) => `conflicts with ${who}:\n${fields.map((one) => `- ${one}`).join("\n")}`,
  );
  return { message: `Apply failed with ${causes.length} conflicts: ${texts.join("\n")}`, causes };
}

/** Managers that apply are shown by name alone, those that update with their version. */
function describeWriter({ writer }: Conflict): string {
  const { manager, operation, apiVersion, subresource } = writer;
  const name = JSON.stringify(manager);
  if (operation === "Apply") return name;
  const sub = subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`;
  return `${name}${sub} using ${apiVersion}`;
}
