// What one kind does differently from the others: the contract between the verbs (apiserver/verbs) and a kind.
// Pure: an object goes in, an object or a list of mistakes comes out.

import type { UserInfo } from "../../api/access/index.ts";
import type { KubeObject, Resource } from "../../api/meta/index.ts";
import type { FieldError } from "./field-error.ts";
import type { NameRule } from "./names.ts";
import type { Shape } from "./shape.ts";
import type { TableLayout } from "./table.ts";

/** What a rule may know beside the objects. */
export interface WriteFacts {
  readonly user: UserInfo;
  readonly nowMs: number;
}

/** How a write through one endpoint turns what the client sent into what is stored. */
export interface UpdateRules<T extends KubeObject> {
  /** Keeps from `current` whatever this endpoint may not change. */
  prepareUpdate(sent: T, current: T, facts: WriteFacts): T;
  validateUpdate(next: T, current: T): readonly FieldError[];
}

export interface Subresource<T extends KubeObject = KubeObject> extends UpdateRules<T> {
  readonly name: string;
  readonly verbs: readonly string[];
}

export interface Strategy<T extends KubeObject = KubeObject> extends UpdateRules<T> {
  readonly resource: Resource;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource<T>[];
  readonly nameRule: NameRule;
  /** The fields this server reads, with their types; others travel along untouched. */
  readonly shape: Shape;
  /** PUT of a missing object creates it. */
  readonly createsOnUpdate: boolean;
  /** PUT without a resourceVersion is accepted: the last writer wins. */
  readonly updatesUnconditionally: boolean;
  /** DELETE answers with the object instead of a Status. */
  readonly answersDeleteWithObject: boolean;
  prepareCreate(sent: T, facts: WriteFacts): T;
  validateCreate(next: T): readonly FieldError[];
  /** The fields a field selector may name, beside metadata.name and metadata.namespace. */
  selectableFields(object: T): Readonly<Record<string, string>>;
  readonly table: TableLayout<T>;
}

export const ALL_VERBS: readonly string[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];
export const SUBRESOURCE_VERBS: readonly string[] = ["get", "patch", "update"];

type Defaulted =
  | "singular"
  | "shortNames"
  | "verbs"
  | "subresources"
  | "createsOnUpdate"
  | "updatesUnconditionally"
  | "answersDeleteWithObject"
  | "prepareCreate"
  | "prepareUpdate"
  | "validateCreate"
  | "validateUpdate"
  | "selectableFields";

/** A strategy with the usual answers where the kind has none of its own. */
export function defineStrategy<T extends KubeObject>(
  own: Omit<Strategy<T>, Defaulted> & Partial<Pick<Strategy<T>, Defaulted>>,
): Strategy<T> {
  return {
    singular: own.resource.kind.toLowerCase(),
    shortNames: [],
    verbs: ALL_VERBS,
    subresources: [],
    createsOnUpdate: false,
    updatesUnconditionally: true,
    answersDeleteWithObject: false,
    prepareCreate: (sent) => sent,
    prepareUpdate: (sent) => sent,
    validateCreate: () => [],
    validateUpdate: () => [],
    selectableFields: () => ({}),
    ...own,
  };
}
