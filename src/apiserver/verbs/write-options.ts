// The parameters of a write: the manager that writes (fieldManager), how unknown fields are handled (fieldValidation),
// whether it is only tried (dryRun), whether an apply takes fields from other managers (force). A wrong one is refused
// in the name of the options' kind, as k8s.io/apimachinery/pkg/apis/meta/v1/validation does.

import type { Resource } from "../../api/meta/index.ts";
import { headerValue } from "../../platform/http/index.ts";
import type { Call } from "../call.ts";
import { isTrue } from "../entry/target.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required, tooLong } from "../resources/field-error.ts";
import { utf8Length } from "../resources/metadata.ts";
import { invalidObject } from "../status/status.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface WriteOptions {
  /** The manager that writes: the parameter, else the first word of the user agent. */
  readonly manager: string;
  readonly fieldValidation: FieldValidation;
  readonly isDryRun: boolean;
  readonly force: boolean;
}

type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions";

const MAX_MANAGER_BYTES = 128;
const VALIDATIONS: readonly string[] = ["", "Ignore", "Strict", "Warn"];

export function writeOptions(call: Call, kind: OptionsKind, isApply = false): WriteOptions {
  const { query } = call;
  const fieldManager = query.first("fieldManager") ?? "";
  const fieldValidation = query.first("fieldValidation") ?? "";
  const force = query.first("force");
  const dryRun = query.first("dryRun") ?? "";
  const errors = [
    ...(isApply ? applyErrors(fieldManager) : force === undefined ? [] : [NO_FORCE]),
    ...managerErrors(fieldManager),
    ...(dryRun === "" || dryRun === "All" ? [] : [notSupported("dryRun", [dryRun], ["All"])]),
    ...(VALIDATIONS.includes(fieldValidation) ? [] : [notSupported("fieldValidation", fieldValidation, VALIDATIONS)]),
  ];
  if (errors.length > 0) throw invalidObject(optionsResource(kind), "", errors);
  return {
    manager: fieldManager === "" ? agentOf(call) : fieldManager,
    fieldValidation: fieldValidation === "" ? "Warn" : (fieldValidation as FieldValidation),
    isDryRun: dryRun === "All",
    force: isTrue(force),
  };
}

const NO_FORCE = forbiddenField("force", "may not be specified for non-apply patch");

function applyErrors(fieldManager: string): readonly FieldError[] {
  return fieldManager === "" ? [required("fieldManager", "is required for apply patch")] : [];
}

function managerErrors(manager: string): readonly FieldError[] {
  if (utf8Length(manager) > MAX_MANAGER_BYTES) return [tooLong("fieldManager", MAX_MANAGER_BYTES)];
  const at = [...manager].findIndex((character) => /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(character));
  if (at < 0) return [];
  const point = [...manager][at]?.codePointAt(0) ?? 0;
  const shown = point.toString(16).toUpperCase().padStart(4, "0");
  return [invalid("fieldManager", manager, `invalid character U+${shown} (at position ${at})`)];
}

function agentOf({ request }: Call): string {
  const [name = ""] = (headerValue(request.headers, "user-agent") ?? "").split("/");
  // The manager is stored in the object, so the length of a user agent is bounded.
  return name === "" ? "unknown" : name.slice(0, MAX_MANAGER_BYTES);
}

function optionsResource(kind: OptionsKind): Resource {
  return { group: "meta.k8s.io", version: "v1", plural: kind.toLowerCase(), kind, namespaced: false };
}
