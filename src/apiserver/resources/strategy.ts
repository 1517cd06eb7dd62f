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

/** What a rule may know beside the objects. */
export interface WriteFacts {
  readonly user: UserInfo;
  readonly nowMs: number;
  /** What is stored of another kind, or of the same: a Service must not take the address of another. */
  list(resource: Resource): readonly KubeObject[];
}

/** A kind that is kept as another: two faces of the same stored objects, such as the two kinds of Event. */
export interface Face<T extends KubeObject = KubeObject> {
  /** Where the objects are kept. */
  readonly of: Resource;
  show(kept: KubeObject): T;
  keep(shown: T): KubeObject;
}

/** How a write through one endpoint turns what the client sent into what is stored. */
export interface UpdateRules<T extends KubeObject> {
  /** Keeps from `current` whatever this endpoint may not change. */
  prepareUpdate(sent: T, current: T, facts: WriteFacts): T;
  validateUpdate(next: T, current: T): readonly FieldError[];
  /** Fields that this endpoint never takes from a client; by default the status, and through /status the spec. */
  readonly resets?: readonly string[];
}

export interface Subresource<T extends KubeObject = KubeObject> extends UpdateRules<T> {
  readonly name: string;
  readonly verbs: readonly string[];
  /** Where it is read and written as another kind than its parent: autoscaling/v1 Scale. */
  readonly speaks?: Speech<T>;
}

/** Another kind that tells a part of an object. */
export interface Speech<T extends KubeObject = KubeObject> {
  readonly resource: Resource;
  show(object: T): KubeObject;
  /** The object with what was said about it. */
  keep(said: KubeObject, object: T): T;
  validate(said: KubeObject): readonly FieldError[];
}

/**
 * A subresource that is POSTed to with a body of a kind of its own: serviceaccounts/token, pods/binding, pods/eviction. Here
 * stands what it is called and what its body must look like; what it does is a handler in verbs/posts under
 * `<plural>/<name>`, because it reads and writes storage.
 */
export interface CreateSubresource<Body extends KubeObject = KubeObject> {
  readonly name: string;
  /** The kind of the body, which discovery tells as the kind of the subresource. */
  readonly resource: Resource;
  validate(body: Body): readonly FieldError[];
}

/** What only a kind has that is made from a stored definition (custom/kind.ts). */
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
  /** What every request for a deprecated version is told. */
  readonly deprecation: string | undefined;
  /** What a client sent, without the fields that the schema does not know, and with its defaults. */
  takeIn(sent: KubeObject): TakenIn;
}

export interface TakenIn {
  readonly object: KubeObject;
  /** The paths of the fields that were left out, such as `spec.color`. */
  readonly unknown: readonly string[];
}

/** A signature that a new object must carry. Rules cannot wait, so it is verified before they are asked (verbs/create.ts). */
export interface Proof<T extends KubeObject = KubeObject> {
  /** Undefined when there is nothing to verify; validateCreate has to say why not. */
  signed(next: T): { readonly key: PublicKey; readonly signed: SignedBytes } | undefined;
  /** What is told when it does not hold, before the mistakes that validateCreate finds. */
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
  /** Absent for the many kinds that are kept as they are shown. */
  readonly face?: Face<T>;
  /** One write of this kind at a time: what is prepared depends on what the others have taken. */
  readonly writesInTurn: boolean;
  /** How long a deleted object stays, so that whoever runs it can end it; 0 removes it at once. Most kinds need no time. */
  graceSeconds?(object: T, asked: number | undefined): number;
  prepareCreate(sent: T, facts: WriteFacts): T;
  /** Absent for the kinds whose objects nobody has to sign. */
  readonly proof?: Proof<T>;
  validateCreate(next: T): readonly FieldError[];
  /** Mistakes that only show beside the other objects: an address that is taken. Asked once the object itself is right. */
  conflicts(next: T, facts: WriteFacts): readonly FieldError[];
  /** The fields a field selector may name, beside metadata.name and metadata.namespace. */
  selectableFields(object: T): Readonly<Record<string, string>>;
  /** What a client should know about an object that was accepted: Warning headers. */
  warnings?(next: T, current: T | undefined): readonly string[];
  /** A deletion that has to wait for something: the object as it waits, with the finalizer that says for what. */
  prepareDelete?(current: T, nowMs: number): T;
  /** What keeps a deleted object beside its finalizers: a namespace stays until it is empty. */
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
