// A stored definition -> the kinds it makes, one for each served version. Behaviour of
// k8s.io/apiextensions-apiserver/pkg/registry/customresource.

import type { KubeObject, Resource } from "../../../api/meta/index.ts";
import type { Json } from "../../../kernel/json/index.ts";
import type { FieldError } from "../field-error.ts";
import { countedGeneration, firstGeneration } from "../metadata.ts";
import { META_SHAPE } from "../shape.ts";
import { defineStrategy, type Strategy, SUBRESOURCE_VERBS, type Subresource, type TakenIn } from "../strategy.ts";
import { compareVersions } from "../version-priority.ts";
import { type DefinedVersion, type Definition, identityOf, isConditionTrue } from "./definition.ts";
import { faceOf, type Versions, versionsOf } from "./face.ts";
import { parseJsonPath } from "./json-path.ts";
import { printedTable } from "./printer-columns.ts";
import { scaleSpeech } from "./scale.ts";
import {
  type CustomSchema,
  embeddedErrors,
  listErrors,
  parseSchema,
  pruneObject,
  validateValue,
  withDefaults,
} from "./schema/index.ts";

interface CustomObject extends KubeObject {
  status?: Json;
}

/** In the order of discovery. */
const VERBS: readonly string[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/** Empty until the definition is established: until then its names may belong to another definition. */
export function kindsOf(definition: Definition): readonly Strategy[] {
  if (!isConditionTrue(definition, "Established")) return [];
  const written = new Map((definition.spec.versions ?? []).map((one) => [one.name ?? "", one]));
  const versions = versionsOf(definition, (name) => parseSchema(written.get(name)?.schema?.openAPIV3Schema));
  const served = [...written.values()].filter((one) => one.served === true);
  return served.map((one) => kindOf(definition, one, versions));
}

function kindOf(definition: Definition, version: DefinedVersion, versions: Versions): Strategy {
  const { spec, status } = definition;
  const names = status?.acceptedNames ?? {};
  const { name = "" } = version;
  const schema = versions.schemas.get(name) ?? parseSchema({});
  const resource: Resource = {
    group: spec.group ?? "",
    version: name,
    plural: names.plural ?? "",
    kind: names.kind ?? "",
    namespaced: spec.scope === "Namespaced",
  };
  const hasStatus = version.subresources?.status !== undefined;
  const isTerminating = isConditionTrue(definition, "Terminating");
  return defineStrategy<CustomObject>({
    resource,
    singular: names.singular ?? "",
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    // A definition that is being deleted admits no new objects.
    verbs: isTerminating ? VERBS.filter((verb) => verb !== "create") : VERBS,
    updatesUnconditionally: false,
    face: faceOf(definition, name, versions),
    prepareCreate: (sent) => firstGeneration(hasStatus ? withStatus(sent, undefined) : sent),
    prepareUpdate: (sent, current) => {
      const next = hasStatus ? withStatus(sent, current.status) : sent;
      return countedGeneration(next, current, withoutMetadata);
    },
    validateCreate: (next) => objectErrors(next, schema),
    validateUpdate: (next, current) => objectErrors(next, schema, current),
    subresources: [...(hasStatus ? [statusOf(schema)] : []), ...scaleOf(version, schema)],
    selectableFields: selectableOf(version),
    custom: {
      definition: nameOf(definition),
      identity: identityOf(definition),
      listKind: names.listKind ?? `${resource.kind}List`,
      schema,
      document: version.schema?.openAPIV3Schema ?? {},
      deprecation: deprecationOf(definition, version),
      takeIn: (sent) => takeIn(sent, schema),
    },
    table: printedTable(version.additionalPrinterColumns),
  }) as unknown as Strategy;
}

function nameOf({ metadata }: Definition): string {
  return metadata.name ?? "";
}

function withStatus(object: CustomObject, status: Json | undefined): CustomObject {
  const { status: _sent, ...rest } = object;
  return status === undefined ? rest : { ...rest, status };
}

function withoutMetadata({ metadata: _metadata, ...rest }: CustomObject): unknown {
  return rest;
}

/** Only the status is taken, and of metadata only managedFields. */
function statusOf(schema: CustomSchema): Subresource<CustomObject> {
  return {
    name: "status",
    verbs: SUBRESOURCE_VERBS,
    prepareUpdate: (sent, current) => {
      const { managedFields } = sent.metadata;
      const metadata = { ...current.metadata, ...(managedFields === undefined ? {} : { managedFields }) };
      return withStatus({ ...current, metadata }, sent.status);
    },
    validateUpdate: (next, current) => {
      const inner = schema.properties.get("status");
      const { status } = next;
      if (inner === undefined || status === undefined) return [];
      const errors = validateValue(status, inner, { field: "status", old: current.status });
      return [...errors, ...newListErrors(next, schema, current)];
    },
  };
}

/** The whole object is validated, not only the number of replicas. */
function scaleOf({ subresources }: DefinedVersion, schema: CustomSchema): readonly Subresource<CustomObject>[] {
  if (subresources?.scale === undefined) return [];
  return [
    {
      name: "scale",
      verbs: SUBRESOURCE_VERBS,
      speaks: scaleSpeech(subresources.scale),
      prepareUpdate: (sent, current) => countedGeneration(sent, current, withoutMetadata),
      validateUpdate: (next, current) => objectErrors(next, schema, current),
    },
  ];
}

function objectErrors(next: CustomObject, schema: CustomSchema, current?: CustomObject): readonly FieldError[] {
  return [
    ...validateValue(asJson(next), schema, { old: current === undefined ? undefined : asJson(current) }),
    ...embeddedErrors(asJson(next), schema),
    ...newListErrors(next, schema, current),
  ];
}

/** Existing duplicates may stay: otherwise objects could not be updated after their definition became stricter. */
function newListErrors(next: CustomObject, schema: CustomSchema, current?: CustomObject): readonly FieldError[] {
  const errors = listErrors(asJson(next), schema);
  const wasGood = errors.length === 0 || current === undefined || listErrors(asJson(current), schema).length === 0;
  return wasGood ? errors : [];
}

function asJson(object: KubeObject): Json {
  return object as unknown as Json;
}

const META_FIELDS: ReadonlySet<string> = new Set(Object.keys(META_SHAPE));

function takeIn(sent: KubeObject, schema: CustomSchema): TakenIn {
  const { value, unknown } = pruneObject(sent, schema);
  const strange = Object.keys(sent.metadata).filter((name) => !META_FIELDS.has(name));
  const metadata = Object.fromEntries(Object.entries(sent.metadata).filter(([name]) => META_FIELDS.has(name)));
  const object = withDefaults({ ...value, metadata }, schema);
  return { object, unknown: [...strange.map((name) => `metadata.${name}`), ...unknown] };
}

/** Recommends a newer version when there is one. */
function deprecationOf({ spec, status }: Definition, version: DefinedVersion): string | undefined {
  const { deprecated, deprecationWarning, name = "" } = version;
  if (deprecated !== true) return undefined;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const called = (one: string) => `${spec.group}/${one} ${status?.acceptedNames?.kind}`;
  const living = (spec.versions ?? []).filter((one) => one.served === true && one.deprecated !== true);
  const [best] = living.map((one) => one.name ?? "").sort(compareVersions);
  const isBetter = best !== undefined && compareVersions(best, name) < 0;
  return `${called(name)} is deprecated${isBetter ? `; use ${called(best)}` : ""}`;
}

function selectableOf({ selectableFields = [] }: DefinedVersion): (object: KubeObject) => Record<string, string> {
  const paths = selectableFields.map(({ jsonPath = "" }) => ({
    name: jsonPath.slice(1),
    find: parseJsonPath(jsonPath),
  }));
  return (object) => {
    const found = paths.map(({ name, find }) => [name, textOf(find?.(asJson(object))[0])]);
    return Object.fromEntries(found) as Record<string, string>;
  };
}

function textOf(value: Json | undefined): string {
  return value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
}
