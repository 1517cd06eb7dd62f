// Validation of a CustomResourceDefinition. Texts and order of
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation.

import { isJsonObject, isSameJson, type Json } from "../../../kernel/json/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import { type FieldError, forbiddenField, immutableField, invalid, notSupported, required } from "../field-error.ts";
import { dnsSubdomain, rfc1035Label } from "../names.ts";
import { type DefinedVersion, type Definition, type DefinitionSpec, isConditionTrue } from "./definition.ts";
import { namesErrors, spellingErrors } from "./names.ts";
import { defaultErrors, schemaErrors } from "./schema/check-schema.ts";
import { structuralErrors } from "./schema/check-structural.ts";
import { parseSchema } from "./schema/index.ts";
import { columnErrors, deprecationErrors, selectableErrors, subresourceErrors } from "./validate-version.ts";

const SCOPES: readonly string[] = ["Cluster", "Namespaced"];
const STRATEGIES: readonly string[] = ["None", "Webhook"];
/** More served versions than Cluster API has ever had; each has a schema that is checked on every write. */
const MAX_VERSIONS = 32;

export function definitionErrors(definition: Definition): readonly FieldError[] {
  const { spec, metadata, status } = definition;
  const wanted = `${spec.names?.plural ?? ""}.${spec.group ?? ""}`;
  const isNamed = metadata.name === wanted;
  return [
    ...(isNamed ? [] : [invalid("metadata.name", metadata.name ?? "", 'must be spec.names.plural+"."+spec.group')]),
    ...specErrors(spec),
    ...spellingErrors(status?.acceptedNames ?? {}, "status.acceptedNames"),
    ...storedVersionErrors(definition),
    ...approvalErrors(definition),
  ];
}

export function definitionUpdateErrors(next: Definition, current: Definition): readonly FieldError[] {
  const isSettled = isConditionTrue(current, "Established");
  const [now, before] = [next.spec, current.spec];
  const isApprovalOld = isSameJson(next.metadata.annotations?.[APPROVAL], current.metadata.annotations?.[APPROVAL]);
  return [
    ...specErrors(now),
    ...(isSettled ? immutableField("spec.scope", now.scope, before.scope) : []),
    ...(isSettled ? immutableField("spec.names.kind", now.names?.kind, before.names?.kind) : []),
    ...immutableField("spec.group", now.group, before.group),
    ...immutableField("spec.names.plural", now.names?.plural, before.names?.plural),
    ...storedVersionErrors(next),
    ...(isApprovalOld ? [] : approvalErrors(next)),
  ];
}

function specErrors(spec: DefinitionSpec): readonly FieldError[] {
  const { versions = [], scope = "" } = spec;
  return [
    ...groupErrors(spec.group ?? ""),
    ...(scope === "" ? [required("spec.scope")] : []),
    ...(scope !== "" && !SCOPES.includes(scope) ? [notSupported("spec.scope", scope, SCOPES)] : []),
    ...versions.flatMap((version, at) => versionErrors(version, versions, at)),
    ...versionSetErrors(versions),
    ...namesErrors(spec.names ?? {}, "spec.names"),
    ...sharedErrors(versions),
    ...conversionErrors(spec),
    ...(spec.preserveUnknownFields === true ? [invalid("spec.preserveUnknownFields", true, PRESERVE)] : []),
  ];
}

const PRESERVE =
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";

function groupErrors(group: string): readonly FieldError[] {
  if (group === "") return [required("spec.group")];
  const errors = dnsSubdomain(group);
  if (errors.length > 0) return [invalid("spec.group", group, errors.join(","))];
  return group.includes(".") ? [] : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

function versionSetErrors(versions: readonly DefinedVersion[]): readonly FieldError[] {
  const names = versions.map(({ name }) => name);
  const storing = versions.filter(({ storage }) => storage === true);
  return [
    ...(new Set(names).size === names.length
      ? []
      : [invalid("spec.versions", names, "must contain unique version names")]),
    ...(storing.length === 1
      ? []
      : [invalid("spec.versions", names, "must have exactly one version marked as storage version")]),
    ...(versions.length > MAX_VERSIONS ? [invalid("spec.versions", names, `must be at most ${MAX_VERSIONS}`)] : []),
  ];
}

/**
 * The path of a part of a version in errors. Internally Kubernetes moves what all versions share out of them, and
 * errors have that path: a definition with one version gets errors about spec.validation, a field that v1 does not
 * have.
 */
function isShared(versions: readonly DefinedVersion[], part: keyof DefinedVersion): boolean {
  return versions.every((version) => isSameJson(version[part], versions[0]?.[part]));
}

function versionErrors(version: DefinedVersion, all: readonly DefinedVersion[], at: number): readonly FieldError[] {
  const field = `spec.versions[${at}]`;
  const { name = "", schema, subresources, additionalPrinterColumns: columns = [] } = version;
  const spelling = rfc1035Label(name);
  return [
    ...(schema?.openAPIV3Schema === undefined ? [required(`${field}.schema.openAPIV3Schema`)] : []),
    ...(spelling.length === 0 ? [] : [invalid(`${field}.name`, name, spelling.join(","))]),
    ...deprecationErrors(version, field),
    ...(isShared(all, "schema") ? [] : wholeSchemaErrors(version, `${field}.schema.openAPIV3Schema`)),
    ...(isShared(all, "subresources") ? [] : subresourceErrors(subresources, `${field}.subresources`)),
    ...(isShared(all, "additionalPrinterColumns") ? [] : columnErrors(columns, `${field}.additionalPrinterColumns`)),
    ...(isShared(all, "selectableFields") ? [] : selectableErrors(version, `${field}.selectableFields`)),
  ];
}

function sharedErrors(versions: readonly DefinedVersion[]): readonly FieldError[] {
  const [first] = versions;
  if (first === undefined) return [];
  const { subresources, additionalPrinterColumns: columns = [] } = first;
  return [
    ...(isShared(versions, "schema") ? wholeSchemaErrors(first, "spec.validation.openAPIV3Schema") : []),
    ...(isShared(versions, "subresources") ? subresourceErrors(subresources, "spec.subresources") : []),
    ...(isShared(versions, "additionalPrinterColumns") ? columnErrors(columns, "spec.additionalPrinterColumns") : []),
    ...(isShared(versions, "selectableFields") ? sharedSelectableErrors(first, isShared(versions, "schema")) : []),
  ];
}

/** Selectable fields of all versions must be in a schema that all versions share. */
function sharedSelectableErrors(version: DefinedVersion, isSchemaShared: boolean): readonly FieldError[] {
  const field = "spec.selectableFields";
  if (isSchemaShared || (version.selectableFields ?? []).length === 0) return selectableErrors(version, field);
  return [invalid(field, "", "may only be set when validations.schema is included")];
}

function wholeSchemaErrors({ schema, subresources }: DefinedVersion, field: string): readonly FieldError[] {
  const raw: Json | undefined = schema?.openAPIV3Schema;
  if (!isJsonObject(raw)) return [];
  const tooLarge = sizeErrors(raw, field);
  if (tooLarge.length > 0) return tooLarge;
  const structure = structuralErrors(raw, field);
  const isNullable = raw["nullable"] === true;
  return [
    ...(subresources?.status === undefined ? [] : rootErrors(raw, field)),
    ...(isNullable ? [forbiddenField(`${field}.nullable`, "nullable cannot be true at the root")] : []),
    ...(structure.length > 0 ? structure : defaultErrors(raw, field)),
    ...schemaErrors(raw, field),
  ];
}

/** What the root of a schema may have beside a subresource status. */
const ALLOWED_AT_ROOT =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations";
const ROOT_FIELDS: ReadonlySet<string> = new Set(
  ALLOWED_AT_ROOT.split(" ").map((name) =>
    name === "XPreserveUnknownFields"
      ? "x-kubernetes-preserve-unknown-fields"
      : name === "XValidations"
        ? "x-kubernetes-validations"
        : `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
  ),
);

function rootErrors(schema: { readonly [key: string]: Json }, field: string): readonly FieldError[] {
  const stranger = Object.keys(schema).find((name) => !ROOT_FIELDS.has(name) && name !== "nullable");
  if (stranger === undefined) return [];
  const detail = `only [${ALLOWED_AT_ROOT}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalid(field, schema, detail)];
}

function sizeErrors(raw: Json, field: string): readonly FieldError[] {
  try {
    parseSchema(raw);
    return [];
  } catch (error) {
    if (!isFault(error, "limit-exceeded")) throw error;
    return [forbiddenField(field, error.message)];
  }
}

function conversionErrors({ conversion }: DefinitionSpec): readonly FieldError[] {
  const field = "spec.conversion";
  const { strategy = "", webhook } = conversion ?? {};
  if (conversion === undefined) return [];
  if (strategy === "") return [required(`${field}.strategy`)];
  if (!STRATEGIES.includes(strategy)) return [notSupported(`${field}.strategy`, strategy, STRATEGIES)];
  if (strategy === "None") {
    const detail = "should not be set when strategy is not set to Webhook";
    return webhook === undefined ? [] : [forbiddenField(`${field}.webhookClientConfig`, detail)];
  }
  const versions = webhook?.conversionReviewVersions ?? [];
  return [
    ...(webhook?.clientConfig === undefined
      ? [required(`${field}.webhookClientConfig`, "required when strategy is set to Webhook")]
      : []),
    ...(versions.length === 0 ? [required(`${field}.conversionReviewVersions`)] : []),
  ];
}

function storedVersionErrors({ spec, status }: Definition): readonly FieldError[] {
  const field = "status.storedVersions";
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return [invalid(field, stored, "must have at least one stored version")];
  const known = new Set(spec.versions?.map(({ name }) => name));
  return stored.flatMap((name, at) => {
    if (known.has(name)) return [];
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    return [invalid(`${field}[${at}]`, name, detail)];
  });
}

/** Definitions in groups of Kubernetes need its approval annotation. */
const APPROVAL = "api-approved.kubernetes.io";

function approvalErrors({ spec, metadata }: Definition): readonly FieldError[] {
  const group = `.${spec.group ?? ""}`;
  if (!group.endsWith(".k8s.io") && !group.endsWith(".kubernetes.io")) return [];
  const field = `metadata.annotations[${APPROVAL}]`;
  const said = metadata.annotations?.[APPROVAL] ?? "";
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  const must = `protected groups must have approval annotation "${APPROVAL}"`;
  if (said === "") return [required(field, `${must}, ${see}`)];
  if (said.startsWith("unapproved") || /^[a-z][a-z0-9+.-]*:\/\/[^/]+/i.test(said)) return [];
  return [invalid(field, said, `${must} with either a URL or a reason starting with "unapproved", ${see}`)];
}
