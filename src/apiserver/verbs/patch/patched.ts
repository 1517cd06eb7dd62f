// A patched object is held to everything that a body is held to.

import type { KubeObject } from "../../../api/meta/index.ts";
import { checkJson, type Json } from "../../../kernel/json/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { mediaTypeOf } from "../../entry/body.ts";
import { conflict, invalidObject } from "../../status/status.ts";
import type { Stored } from "../../storage/storage.ts";
import { checkPlace, decode } from "../decode.ts";
import { duplicateFields } from "../duplicate-fields.ts";
import type { StoredCall } from "../stored-call.ts";
import type { FieldValidation } from "../write-options.ts";

export function patched(stored: StoredCall, current: Stored, document: Json, how: FieldValidation): KubeObject {
  const { call, resource, namespace } = stored;
  const { name } = call.info;
  // One patch may add up to the limit of depth to what is stored; all patches together may not.
  checkJson(document);
  const sent = decodePatched(document, stored, how);
  checkPlace(sent, { name, namespace });
  const { resourceVersion = "" } = sent.metadata;
  if (resourceVersion !== "" && resourceVersion !== String(current.revision)) throw conflict(resource, name);
  return sent;
}

/** A patch that spoils the object is a bad patch (422), not a bad body (400). */
function decodePatched(document: Json, { strategy, call }: StoredCall, how: FieldValidation): KubeObject {
  try {
    const { object, unknown } = decode(document, strategy);
    if (how === "Ignore") return object;
    const complaints = [...duplicates(call), ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`)];
    if (how === "Strict" && complaints.length > 0) {
      throw new Fault("malformed", `strict decoding error: ${complaints.join(", ")}`);
    }
    for (const complaint of complaints) if (!call.warnings.includes(complaint)) call.warnings.push(complaint);
    return object;
  } catch (error) {
    if (!isFault(error, "malformed")) throw error;
    throw badPatch(error.message);
  }
}

function duplicates(call: StoredCall["call"]): readonly string[] {
  const repeated = duplicateFields(call);
  // A JSON patch is a list of operations: a repeated key in it is not a place in the object, and the message says so.
  const isOperations = mediaTypeOf(call.request) === "application/json-patch+json";
  return isOperations ? repeated.map((text) => `json patch ${text}`) : repeated;
}

/** This refusal names no kind. differs from upstream: the patched object is not repeated in the message. */
function badPatch(detail: string): Fault {
  const nameless = { group: "", version: "", plural: "", kind: "", namespaced: false };
  return invalidObject(nameless, "", [{ type: "Invalid value", field: "patch", detail }]);
}
