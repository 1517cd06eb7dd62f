// The paths by which definitions point into objects: printer columns, scale, selectable fields. The subset of kubectl's
// JSONPath that real definitions use: `.a.b`, `.a\.b`, `['a']`, `[0]`, `[*]`, `[?(@.type=="Ready")]`.

import { isJsonObject, type Json } from "../../../kernel/json/index.ts";

type Step = (value: Json) => readonly Json[];

/** More than any path of a real definition. */
const MAX_PATH_CHARACTERS = 512;
/** A path with `[*]` may fan out; only the first result is shown. */
const MAX_RESULTS = 1_000;

const NAME = /^\.((?:[^.[\]\\]|\\.)+)/;
const QUOTED = /^\[(?:'([^']*)'|"([^"]*)")\]/;
const INDEX = /^\[(-?\d{1,9})\]/;
const ALL = /^(?:\[\*\]|\.\*)/;
const FILTER = /^\[\?\(@((?:\.[\w/-]+)+)\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|(true|false|-?\d+))\)\]/;

/** Undefined for a path outside of the subset, which then finds nothing. */
export function parseJsonPath(path: string): ((object: Json) => readonly Json[]) | undefined {
  if (path.length > MAX_PATH_CHARACTERS) return undefined;
  const steps: Step[] = [];
  for (let rest = path === "." ? "" : path; rest !== ""; ) {
    const parsed = parseStep(rest);
    if (parsed === undefined) return undefined;
    steps.push(parsed.step);
    rest = rest.slice(parsed.length);
  }
  return (object) =>
    steps.reduce<readonly Json[]>((found, step) => found.flatMap(step).slice(0, MAX_RESULTS), [object]);
}

function parseStep(text: string): { readonly step: Step; readonly length: number } | undefined {
  const all = ALL.exec(text);
  if (all !== null) return { step: values, length: all[0].length };
  const name = NAME.exec(text);
  if (name !== null) return { step: field((name[1] ?? "").replace(/\\(.)/g, "$1")), length: name[0].length };
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return { step: field(quoted[1] ?? quoted[2] ?? ""), length: quoted[0].length };
  const index = INDEX.exec(text);
  if (index !== null) return { step: item(Number(index[1])), length: index[0].length };
  const filter = FILTER.exec(text);
  return filter === null ? undefined : { step: matching(filter), length: filter[0].length };
}

function field(name: string): Step {
  return (value) => (isJsonObject(value) && Object.hasOwn(value, name) ? [value[name] ?? null] : []);
}

function item(index: number): Step {
  return (value) => (Array.isArray(value) ? value.slice(index, index === -1 ? undefined : index + 1) : []);
}

function values(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
}

function matching([, path = "", operator, double, single, bare]: RegExpExecArray): Step {
  const wanted = double ?? single ?? bare ?? "";
  const find = parseJsonPath(path) ?? (() => []);
  return (value) =>
    values(value).filter((one) => {
      const [found] = find(one);
      return found !== undefined && (String(found) === wanted) === (operator === "==");
    });
}
