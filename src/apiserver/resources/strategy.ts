// What one kind does differently from the others: the contract between the verbs (apiserver/verbs) and a kind.
// Pure: an object goes in, an object or a list of mistakes comes out.

import type { UserInfo } from "../../api/access/index.ts";
import type { KubeObject, Resource } from "../../api/meta/index.ts";
import type { SignedBytes } from "../../kernel/crypto/index.ts";
import type { Json } from "../../kernel/json/index.ts";
import type { PublicKey } from "../../kernel/x509/index.ts";
import type { CustomSchema } from "./custom/schema/schema.ts";
import type { FieldError } from "./field-error.ts";
import { dnsSubdomain, type NameRule } from "./names.ts";
import { DEFAULT_TABLE, type TableLayout } from "./table.ts";

/** What a rule knows besides the objects. */
export interface WriteFacts {
  readonly user: UserInfo;
  readonly nowMs: number;
  /** The stored objects of a kind: two Services must not have one address. */
  list(resource: Resource): readonly KubeObject[];
}

/** A kind that is stored as another one, such as the two kinds of Event. */
export interface Face<T extends KubeObject = KubeObject> {
  /** The kind in which the objects are stored. */
  readonly of: Resource;
  show(kept: KubeObject): T;
  keep(shown: T): KubeObject;
}

/** How a write through one endpoint turns what the client sent into what is stored. */
export interface UpdateRules<T extends KubeObject> {
  /** Takes from `current` what this endpoint may not change. */
  prepareUpdate(sent: T, current: T, facts: WriteFacts): T;
  validateUpdate(next: T, current: T): readonly FieldError[];
  /** Fields that this endpoint never takes from a client; by default the status, and through /status the spec. */
  readonly resets?: readonly string[];
}

export interface Subresource<T extends KubeObject = KubeObject> extends UpdateRules<T> {
  readonly name: string;
  readonly verbs: readonly string[];
  /** For a subresource that is read and written as another kind than its parent: autoscaling/v1 Scale. */
  readonly speaks?: Speech<T>;
}

/** Another kind that shows a part of an object. */
export interface Speech<T extends KubeObject = KubeObject> {
  readonly resource: Resource;
  show(object: T): KubeObject;
  /** The object with the changes that were sent. */
  keep(said: KubeObject, object: T): T;
  validate(said: KubeObject): readonly FieldError[];
}

/**
 * A subresource that is POSTed to with a body of its own kind: serviceaccounts/token, pods/binding, pods/eviction. This
 * is its description; its handler is in verbs/posts under `<plural>/<name>`, because it reads and writes storage.
 */
export interface CreateSubresource<Body extends KubeObject = KubeObject> {
  readonly name: string;
  /** The kind of the body, which discovery shows as the kind of the subresource. */
  readonly resource: Resource;
  validate(body: Body): readonly FieldError[];
}

/** What only custom kinds have (custom/kind.ts). */
export interface CustomKind {
  /** The name of its definition. */
  readonly definition: string;
  /** What it was made from, see identityOf in custom/definition.ts. */
  readonly identity: string;
  readonly listKind: string;
  /** Parsed: what may be in an object, and how apply merges its lists and maps. */
  readonly schema: CustomSchema;
  /** As it was written, for the OpenAPI documents. */
  readonly document: Json;
  /** The warning that every request for a deprecated version gets. */
  readonly deprecation: string | undefined;
  /** A body pruned and with defaults. */
  takeIn(sent: KubeObject): TakenIn;
}

export interface TakenIn {
  readonly object: KubeObject;
  /** The paths of the pruned fields, such as `spec.color`. */
  readonly unknown: readonly string[];
}

/** A signature that a new object must carry. Rules are synchronous, so it is verified before them (verbs/create.ts). */
export interface Proof<T extends KubeObject = KubeObject> {
  /** Undefined when there is nothing to verify; validateCreate reports why. */
  signed(next: T): { readonly key: PublicKey; readonly signed: SignedBytes } | undefined;
  /** The mistake of an invalid signature, reported before those of validateCreate. */
  refuse(next: T): FieldError;
}

export interface Strategy<T extends KubeObject = KubeObject> extends UpdateRules<T> {
  readonly resource: Resource;
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** `kubectl get all` and the like. */
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource<T>[];
  readonly creates: readonly CreateSubresource[];
  readonly nameRule: NameRule;
  /** PUT of a missing object creates it. */
  readonly createsOnUpdate: boolean;
  /** PUT without a resourceVersion is accepted: the last writer wins. */
  readonly updatesUnconditionally: boolean;
  /** DELETE answers with the object instead of a Status. */
  readonly answersDeleteWithObject: boolean;
  /** Fields that the server fills in when the client leaves them out: no writer owns them. */
  readonly filledIn?: readonly string[];
  /** Absent for kinds that are stored as they are shown. */
  readonly face?: Face<T>;
  /** Objects of this kind are written one at a time: preparing one depends on what the others have allocated. */
  readonly writesInTurn: boolean;
  /** How long a deleted object stays so that it can be shut down; 0 removes it at once. */
  graceSeconds?(object: T, asked: number | undefined): number;
  prepareCreate(sent: T, facts: WriteFacts): T;
  /** Absent for kinds whose objects are not signed. */
  readonly proof?: Proof<T>;
  validateCreate(next: T): readonly FieldError[];
  /** Conflicts with other objects, such as an address in use. Asked when the object itself is valid. */
  conflicts(next: T, facts: WriteFacts): readonly FieldError[];
  /** The fields a field selector may name, besides metadata.name and metadata.namespace. */
  selectableFields(object: T): Readonly<Record<string, string>>;
  /** Warning headers for an object that was accepted. */
  warnings?(next: T, current: T | undefined): readonly string[];
  /** For a deletion that has to wait: the object with the finalizer that it waits for. */
  prepareDelete?(current: T, nowMs: number): T;
  /** What keeps a deleted object besides its finalizers: a namespace stays until it is empty. */
  isHeld?(object: T): boolean;
  /** Absent for the kinds that are built in. */
  readonly custom?: CustomKind;
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
  | "nameRule"
  | "table"
  | "shortNames"
  | "categories"
  | "verbs"
  | "subresources"
  | "creates"
  | "createsOnUpdate"
  | "updatesUnconditionally"
  | "answersDeleteWithObject"
  | "writesInTurn"
  | "prepareCreate"
  | "prepareUpdate"
  | "validateCreate"
  | "validateUpdate"
  | "conflicts"
  | "selectableFields";

/** A kind is its names and what it does differently; a kind without rules of its own is its names alone. */
export function defineStrategy<T extends KubeObject>(
  own: Omit<Strategy<T>, Defaulted> & Partial<Pick<Strategy<T>, Defaulted>>,
): Strategy<T> {
  return {
    singular: own.resource.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    verbs: ALL_VERBS,
    subresources: [],
    creates: [],
    createsOnUpdate: false,
    updatesUnconditionally: true,
    answersDeleteWithObject: false,
    writesInTurn: false,
    nameRule: dnsSubdomain,
    table: DEFAULT_TABLE,
    prepareCreate: (sent) => sent,
    prepareUpdate: (sent) => sent,
    validateCreate: () => [],
    validateUpdate: () => [],
    conflicts: () => [],
    selectableFields: () => ({}),
    ...own,
  };
}
