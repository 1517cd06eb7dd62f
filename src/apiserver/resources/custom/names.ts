// Which names a definition may have, and whether it gets them: within one group every resource name and every kind
// belongs to one definition. Behaviour of k8s.io/apiextensions-apiserver/pkg/controller/status.

import { type FieldError, invalid, required } from "../field-error.ts";
import { rfc1035Label } from "../names.ts";
import { conditionOf, type DefinedNames, type Definition, type DefinitionStatus, withCondition } from "./definition.ts";

const MIXED_CASE = "may have mixed case, but should otherwise match: ";

export function namesErrors(names: DefinedNames, field: string): readonly FieldError[] {
  const missing = (["plural", "singular", "kind", "listKind"] as const).filter((one) => (names[one] ?? "") === "");
  return [...missing.map((one) => required(`${field}.${one}`)), ...spellingErrors(names, field)];
}

export function spellingErrors(names: DefinedNames, field: string): readonly FieldError[] {
  const { kind = "", listKind = "", shortNames = [], categories = [] } = names;
  return [
    ...(["plural", "singular"] as const).flatMap((one) => labelErrors(names[one], `${field}.${one}`)),
    ...kindErrors(kind, `${field}.kind`),
    ...kindErrors(listKind, `${field}.listKind`),
    ...shortNames.flatMap((one, at) => labelErrors(one, `${field}.shortNames[${at}]`)),
    ...(kind !== "" && kind === listKind
      ? [invalid(`${field}.listKind`, listKind, "kind and listKind may not be the same")]
      : []),
    ...categories.flatMap((one, at) => labelErrors(one, `${field}.categories[${at}]`)),
  ];
}

function labelErrors(name: string | undefined, field: string): readonly FieldError[] {
  const errors = name === undefined || name === "" ? [] : rfc1035Label(name);
  return errors.length === 0 ? [] : [invalid(field, name, errors.join(","))];
}

function kindErrors(kind: string, field: string): readonly FieldError[] {
  const errors = kind === "" ? [] : rfc1035Label(kind.toLowerCase());
  return errors.length === 0 ? [] : [invalid(field, kind, MIXED_CASE + errors.join(","))];
}

/** Names that other definitions of the group have. */
interface Taken {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

function takenBy(others: readonly Definition[]): Taken {
  const accepted = others.map(({ status }) => status?.acceptedNames ?? {});
  return {
    resources: new Set(accepted.flatMap((one) => [one.plural ?? "", one.singular ?? "", ...(one.shortNames ?? [])])),
    kinds: new Set(accepted.flatMap((one) => [one.kind ?? "", one.listKind ?? ""])),
  };
}

const CONFLICTS = [
  { name: "plural", among: "resources", reason: "PluralConflict" },
  { name: "singular", among: "resources", reason: "SingularConflict" },
  { name: "shortNames", among: "resources", reason: "ShortNamesConflict" },
  { name: "kind", among: "kinds", reason: "KindConflict" },
  { name: "listKind", among: "kinds", reason: "ListKindConflict" },
] as const;

/**
 * The status with current names and conditions. Where a name is taken, the accepted names stay as before.
 * differs from upstream: a controller does this there a moment later, and Established follows in a second step.
 */
export function judgeNames(definition: Definition, all: readonly Definition[], nowMs: number): DefinitionStatus {
  const { spec, status = {}, metadata } = definition;
  const others = all.filter((one) => one.spec.group === spec.group && one.metadata.name !== metadata.name);
  const taken = takenBy(others);
  const wanted: DefinedNames = spec.names ?? {};
  const had: DefinedNames = status.acceptedNames ?? {};
  let accepted: DefinedNames = { ...wanted };
  let conflict: { readonly reason: string; readonly message: string } | undefined;
  for (const { name, among, reason } of CONFLICTS) {
    const used = conflictsOf(wanted[name], had[name], taken[among]);
    if (used.length === 0) continue;
    conflict = { reason, message: messageOf(used) };
    const { [name]: _refused, ...rest } = accepted;
    accepted = had[name] === undefined ? rest : { ...rest, [name]: had[name] };
  }
  return { ...status, acceptedNames: withRequired(accepted), conditions: conditions(definition, conflict, nowMs) };
}

function conflictsOf(
  wanted: string | readonly string[] | undefined,
  had: string | readonly string[] | undefined,
  taken: ReadonlySet<string>,
): readonly string[] {
  const own = new Set([had ?? []].flat());
  return [wanted ?? []].flat().filter((name) => !own.has(name) && taken.has(name));
}

function messageOf(used: readonly string[]): string {
  const texts = used.map((name) => `${JSON.stringify(name)} is already in use`);
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}

/** plural and kind are always written, even empty. */
function withRequired(names: DefinedNames): DefinedNames {
  return { plural: "", kind: "", ...names };
}

function conditions(
  definition: Definition,
  conflict: { readonly reason: string; readonly message: string } | undefined,
  nowMs: number,
): NonNullable<DefinitionStatus["conditions"]> {
  const accepted = conflict === undefined;
  const why = conflict ?? { reason: "NoConflicts", message: "no conflicts found" };
  const names = { type: "NamesAccepted", status: accepted ? ("True" as const) : ("False" as const), ...why };
  const before = definition.status?.conditions ?? [];
  const withNames = withCondition(before, names, nowMs);
  // Established stays true: there may be objects.
  if (conditionOf(definition, "Established")?.status === "True") return withNames;
  const established = accepted
    ? { status: "True" as const, reason: "InitialNamesAccepted", message: "the initial names have been accepted" }
    : { status: "False" as const, reason: "NotAccepted", message: "not all names are accepted" };
  return withCondition(withNames, { type: "Established", ...established }, nowMs);
}
