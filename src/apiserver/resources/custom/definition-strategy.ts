// CustomResourceDefinition as a kind that is stored: what creation stamps, what an update may touch, what its status
// says. What it makes of the definition is in kind.ts.

import { isJsonObject, type Json } from "../../../kernel/json/index.ts";
import { countedGeneration, firstGeneration } from "../metadata.ts";
import { defineStrategy, SUBRESOURCE_VERBS, type WriteFacts } from "../strategy.ts";
import {
  CLEANUP_FINALIZER,
  CUSTOM_RESOURCE_DEFINITIONS,
  type Definition,
  type DefinitionSpec,
  storageVersionOf,
  withCondition,
} from "./definition.ts";
import { judgeNames, spellingErrors } from "./names.ts";
import { hasUnreadRules, isKnownFormat, parseSchema } from "./schema/index.ts";
import { definitionErrors, definitionUpdateErrors } from "./validate-definition.ts";

const UNREAD_RULES = "x-kubernetes-validations are stored but not evaluated by this server";
const NO_WEBHOOK = "spec.conversion: webhooks are not called by this server, only apiVersion is converted";

/** Warning headers for a definition that was accepted. */
function definitionWarnings({ spec }: Definition): readonly string[] {
  const schemas = (spec.versions ?? []).map((version) => version.schema?.openAPIV3Schema);
  const formats = new Set(schemas.flatMap((schema) => formatsIn(schema)));
  return [
    ...[...formats].filter((format) => !isKnownFormat(format)).map((format) => `unrecognized format "${format}"`),
    // differs from upstream: there is no CEL here. Cluster API's definitions carry such rules and work without them.
    ...(schemas.some((schema) => hasUnreadRules(parseSchema(schema))) ? [UNREAD_RULES] : []),
    // differs from upstream: Cluster API's definitions name a webhook; their objects are kept and shown as they came.
    ...(spec.conversion?.strategy === "Webhook" ? [NO_WEBHOOK] : []),
  ];
}

function formatsIn(schema: Json | undefined): readonly string[] {
  if (!isJsonObject(schema)) return Array.isArray(schema) ? schema.flatMap((one: Json) => formatsIn(one)) : [];
  const own = typeof schema["format"] === "string" && schema["format"] !== "" ? [schema["format"]] : [];
  return [...own, ...Object.values(schema).flatMap((inner) => formatsIn(inner))];
}

export const definitionStrategy = defineStrategy<Definition>({
  resource: CUSTOM_RESOURCE_DEFINITIONS,
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  updatesUnconditionally: false,
  // Otherwise two definitions could both find the same name free.
  writesInTurn: true,
  prepareCreate: (sent, facts) => judged(firstGeneration(storing({ ...withSpecDefaults(sent), status: {} })), facts),
  prepareUpdate: (sent, current, facts) => {
    const kept = storing({ ...withSpecDefaults(sent), status: current.status ?? {} });
    return judged(
      countedGeneration(kept, current, ({ spec }) => spec),
      facts,
    );
  },
  validateCreate: definitionErrors,
  validateUpdate: definitionUpdateErrors,
  warnings: definitionWarnings,
  prepareDelete: terminating,
  subresources: [
    {
      name: "status",
      verbs: SUBRESOURCE_VERBS,
      prepareUpdate: (sent, current) => ({ ...sent, spec: current.spec, status: sent.status ?? {} }),
      validateUpdate: (next) => spellingErrors(next.status?.acceptedNames ?? {}, "status.acceptedNames"),
    },
  ],
});

function withSpecDefaults(definition: Definition): Definition {
  const spec: DefinitionSpec = definition.spec ?? {};
  const { names = {} } = spec;
  const { kind = "" } = names;
  const given = { singular: kind.toLowerCase(), ...(kind === "" ? {} : { listKind: `${kind}List` }) };
  const { singular = "", listKind = "" } = names;
  const filled = {
    ...names,
    ...(singular === "" ? { singular: given.singular } : {}),
    ...(listKind === "" && given.listKind !== undefined ? { listKind: given.listKind } : {}),
  };
  const conversion = spec.conversion ?? { strategy: "None" };
  return { ...definition, spec: { ...spec, names: filled, conversion } };
}

/** Versions in which objects may be stored: all former ones and the current one. */
function storing(definition: Definition): Definition {
  const { status = {} } = definition;
  const name = storageVersionOf(definition)?.name;
  const stored = status.storedVersions ?? [];
  const storedVersions = name === undefined || stored.includes(name) ? stored : [...stored, name];
  return { ...definition, status: { ...status, storedVersions } };
}

function judged(definition: Definition, { nowMs, list }: WriteFacts): Definition {
  const all = list(CUSTOM_RESOURCE_DEFINITIONS) as readonly Definition[];
  return { ...definition, status: judgeNames(definition, all, nowMs) };
}

/** controllers/definitions.ts deletes the objects of the kind first, and then removes the finalizer. */
function terminating(definition: Definition, nowMs: number): Definition {
  const { metadata, status = {} } = definition;
  const finalizers = metadata.finalizers ?? [];
  const message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
  const condition = { type: "Terminating", status: "True", reason: "InstanceDeletionPending", message } as const;
  return {
    ...definition,
    metadata: {
      ...metadata,
      finalizers: finalizers.includes(CLEANUP_FINALIZER) ? finalizers : [...finalizers, CLEANUP_FINALIZER],
    },
    status: { ...status, conditions: withCondition(status.conditions ?? [], condition, nowMs) },
  };
}
