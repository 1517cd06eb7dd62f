// resourceVersion, resourceVersionMatch, limit, continue, sendInitialEvents, and which of them may be combined.
// Behaviour of k8s.io/apimachinery/pkg/apis/meta/internalversion/validation.

import type { Resource } from "../../api/meta/index.ts";
import { countParameter, isTrue, type Query } from "../entry/target.ts";
import { type FieldError, forbiddenField, notSupported } from "../resources/field-error.ts";
import { badRequest, invalidObject } from "../status/status.ts";

const LIST_OPTIONS: Resource = {
  group: "meta.k8s.io",
  version: "v1",
  plural: "listoptions",
  kind: "ListOptions",
  namespaced: false,
};
const MATCHES: readonly string[] = ["Exact", "NotOlderThan", ""];

export interface ReadOptions {
  /** Undefined when the client did not ask for one; 0 means "any". */
  readonly resourceVersion: number | undefined;
  readonly match: string;
  readonly limit: number | undefined;
  readonly continueToken: string;
  readonly sendInitialEvents: boolean | undefined;
}

export function readOptions(query: Query, isWatch: boolean): ReadOptions {
  const sent = query.first("sendInitialEvents");
  const options: ReadOptions = {
    resourceVersion: parseVersion(query.first("resourceVersion") ?? ""),
    match: query.first("resourceVersionMatch") ?? "",
    limit: countParameter(query, "limit"),
    continueToken: query.first("continue") ?? "",
    sendInitialEvents: sent === undefined || sent === "" ? undefined : isTrue(sent),
  };
  const errors = isWatch ? watchErrors(options) : listErrors(options);
  if (errors.length > 0) throw invalidObject(LIST_OPTIONS, "", errors);
  return options;
}

function parseVersion(text: string): number | undefined {
  if (text === "") return undefined;
  if (!/^(?:0|[1-9]\d{0,15})$/.test(text)) throw badRequest(`resourceVersion: Invalid value: ${JSON.stringify(text)}`);
  return Number(text);
}

const MATCH = "resourceVersionMatch";

function listErrors(options: ReadOptions): readonly FieldError[] {
  const { match, resourceVersion, continueToken } = options;
  const errors: FieldError[] = [];
  if (match !== "") {
    if (resourceVersion === undefined)
      errors.push(forbiddenField(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`));
    if (continueToken !== "") errors.push(forbiddenField(MATCH, `${MATCH} is forbidden when continue is provided`));
    if (!MATCHES.includes(match)) errors.push(notSupported(MATCH, match, MATCHES));
    if (match === "Exact" && resourceVersion === 0) {
      errors.push(forbiddenField(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return errors;
}

function watchErrors(options: ReadOptions): readonly FieldError[] {
  const { match, sendInitialEvents, continueToken } = options;
  const errors: FieldError[] = [];
  if (match !== "") {
    if (sendInitialEvents === undefined) {
      errors.push(forbiddenField(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`));
    }
    if (match !== "NotOlderThan") errors.push(notSupported(MATCH, match, ["NotOlderThan"]));
    if (continueToken !== "") errors.push(forbiddenField(MATCH, `${MATCH} is forbidden when continue is provided`));
  } else if (sendInitialEvents !== undefined) {
    errors.push(forbiddenField(MATCH, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  return errors;
}

export function exactly(options: ReadOptions): number | undefined {
  const { resourceVersion, match, limit } = options;
  if (resourceVersion === undefined || resourceVersion === 0) return undefined;
  if (match === "Exact") return resourceVersion;
  // The rule from before resourceVersionMatch existed: a version with a limit means exactly that version.
  return match === "" && limit !== undefined ? resourceVersion : undefined;
}
