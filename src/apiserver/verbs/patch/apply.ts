// Server-side apply: the client sends all fields that it wants and owns them. Fields that it applied before and no
// longer sends are removed; fields that another manager owns and that would change are a conflict. A missing object is
// created.

import { apiVersionOf } from "../../../api/meta/index.ts";
import { isJsonObject, type JsonObject } from "../../../kernel/json/index.ts";
import { type Fault, isFault } from "../../../kernel/outcome/index.ts";
import type { Answer } from "../../call.ts";
import { readYamlBody } from "../../entry/body.ts";
import { heavyTurn } from "../../limits/lane.ts";
import {
  type Applied,
  applyConfiguration,
  describeConflicts,
  NO_MANAGERS,
  type TrackedWrite,
} from "../../ownership/index.ts";
import { formatTime } from "../../resources/metadata.ts";
import { conform, type StructSchema, schemaOfKind } from "../../schema/index.ts";
import { applyConflict, badRequest, notFound } from "../../status/status.ts";
import type { Stored } from "../../storage/storage.ts";
import { createObject } from "../create.ts";
import { checkPlace, decodeObject } from "../decode.ts";
import { duplicateFields } from "../duplicate-fields.ts";
import { emptyObject, ignoredFields, managersOf, ownable, ownedByCreator, writerOf } from "../field-manager.ts";
import { isLostRace, writeUntilWon } from "../lost-races.ts";
import { keyFor, type StoredCall } from "../stored-call.ts";
import { checkMayCreate, replace } from "../update.ts";
import { type WriteOptions, writeOptions } from "../write-options.ts";
import { isExcusedByLastApplied, withLastApplied } from "./last-applied.ts";
import { patched } from "./patched.ts";

export const APPLY_TYPE = "application/apply-patch+yaml";

/** The manager that owns the fields of an object without owners before its first apply. */
const BEFORE_FIRST_APPLY = "before-first-apply";

interface Intent {
  readonly configuration: JsonObject;
  readonly schema: StructSchema;
  readonly options: WriteOptions;
}

export async function apply(stored: StoredCall): Promise<Answer> {
  const { call, parts } = stored;
  const options = writeOptions(call, "PatchOptions", true);
  const intent = await readIntent(stored, options);
  let wasMissing = false;
  const attempt = () => {
    const current = parts.storage.get(keyFor(stored, call.info.name));
    wasMissing = current === undefined;
    return current === undefined ? applyNew(stored, intent) : applyToLive(stored, current, intent);
  };
  const isLost = (error: unknown) => isLostRace(error) || (wasMissing && isFault(error, "already-exists"));
  return writeUntilWon(stored, attempt, isLost);
}

async function readIntent(stored: StoredCall, options: WriteOptions): Promise<Intent> {
  const { call, resource, strategy, namespace } = stored;
  const configuration = await readYamlBody(call.request);
  await heavyTurn(stored);
  if (!isJsonObject(configuration)) throw badRequest("error decoding YAML: an apply configuration must be an object");
  checkRepeated(call, options);
  checkType(configuration, stored);
  const schema = schemaOfKind(strategy);
  if (schema === undefined) throw badRequest(`${resource.kind} cannot be applied`);
  checkFields(configuration, schema, stored);
  await heavyTurn(stored);
  const { metadata } = decodeObject(configuration, strategy);
  if (metadata.managedFields !== undefined) throw badRequest("metadata.managedFields must be nil");
  checkPlace({ kind: "", apiVersion: "", metadata }, { name: call.info.name, namespace });
  return { configuration, schema, options };
}

/** Of a repeated key the last value counts; the client is warned or refused as fieldValidation demands. */
function checkRepeated(call: StoredCall["call"], { fieldValidation }: WriteOptions): void {
  const [complaint] = fieldValidation === "Ignore" ? [] : duplicateFields(call);
  if (complaint === undefined) return;
  const told = `error converting YAML to JSON: ${complaint}`;
  if (fieldValidation === "Strict") throw badRequest(`error strict decoding YAML: ${told}`);
  call.warnings.push(told);
}

function checkType({ apiVersion = "", kind = "" }: JsonObject, { resource }: StoredCall): void {
  if (apiVersion === apiVersionOf(resource) && kind === resource.kind) return;
  throw badRequest(`invalid object type: ${groupVersion(String(apiVersion))}, Kind=${String(kind)}`);
}

/** `/v1`, `apps/v1`: how Go prints a group and a version. */
function groupVersion(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
}

/**
 * A configuration is accepted whole or not at all, whatever fieldValidation says: a field that does not exist cannot be
 * owned. differs from upstream: refused as a mistake of the client (400); there it is an internal error.
 */
function checkFields(configuration: JsonObject, schema: StructSchema, { resource }: StoredCall): void {
  const { unknown, problem } = conform(configuration, schema);
  const [first] = unknown;
  const why = first === undefined ? problem : `.${first}: field not declared in schema`;
  if (why === undefined) return;
  const metadata = isJsonObject(configuration["metadata"]) ? configuration["metadata"] : {};
  const place = `${String(metadata["namespace"] ?? "")}/${String(metadata["name"] ?? "")}`;
  const type = `${groupVersion(apiVersionOf(resource))}, Kind=${resource.kind}`;
  throw badRequest(`failed to create typed patch object (${place}; ${type}): ${why}`);
}

function writeOf(
  stored: StoredCall,
  { schema, options }: Intent,
  live: Pick<TrackedWrite, "live" | "managers">,
): TrackedWrite {
  return {
    ...live,
    schema,
    writer: writerOf(stored, options.manager, "Apply"),
    time: formatTime(stored.parts.clock.now()),
    ignored: ignoredFields(stored),
  };
}

async function applyNew(stored: StoredCall, intent: Intent): Promise<Answer> {
  const { call, resource, subresource, strategy } = stored;
  const { name } = call.info;
  if (subresource !== undefined) throw notFound(resource, name);
  checkMayCreate(stored);
  await heavyTurn(stored);
  const write = writeOf(stored, intent, { live: emptyObject(stored, intent.schema), managers: NO_MANAGERS });
  const applied = applyConfiguration(write, intent.configuration, intent.options);
  const managers = applied.kind === "applied" ? applied.managers : NO_MANAGERS;
  await heavyTurn(stored);
  const sent = decodeObject(intent.configuration, strategy);
  if ((sent.metadata.name ?? "") === "") throw noName(name);
  return { kind: "object", status: 201, content: await createObject(stored, sent, { managers }) };
}

async function applyToLive(stored: StoredCall, current: Stored, intent: Intent): Promise<Answer> {
  const { object } = current;
  await heavyTurn(stored, current);
  const write = writeOf(stored, intent, { live: ownable(object), managers: ownersOf(stored, object) });
  const applied = applyOrExcuse(write, intent);
  if (applied.kind === "conflict") {
    const { message, causes } = describeConflicts(applied.conflicts);
    throw applyConflict(message, causes);
  }
  if (applied.kind === "unchanged") return { kind: "object", status: 200, content: current };
  await heavyTurn(stored, current);
  const document = withLastApplied(applied.object, intent.configuration, intent.options.manager);
  const sent = patched(stored, current, document, "Ignore");
  // A manager that had applied labels and now applies no metadata has removed the name with them.
  if (sent.metadata.name === undefined) throw noName(stored.call.info.name);
  const { managers } = applied;
  return { kind: "object", status: 200, content: await replace(stored, current, { sent, owners: { managers } }) };
}

function noName(name: string): Fault {
  return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
}

function ownersOf(stored: StoredCall, object: Stored["object"]): TrackedWrite["managers"] {
  const managers = managersOf(object);
  if (managers.size > 0) return managers;
  return managersOf(ownedByCreator(stored, { owners: { manager: BEFORE_FIRST_APPLY }, sent: object, next: object }));
}

/** kubectl's client-side apply left its fields to the manager of updates; its server-side apply may take them over. */
function applyOrExcuse(write: TrackedWrite, { configuration, options, schema }: Intent): Applied {
  const applied = applyConfiguration(write, configuration, options);
  if (applied.kind !== "conflict" || options.manager !== "kubectl") return applied;
  const isExcused = isExcusedByLastApplied(applied.conflicts, write.live, schema);
  return isExcused ? applyConfiguration(write, configuration, { force: true }) : applied;
}
