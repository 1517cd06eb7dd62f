// patch: read, apply, then the way of an update. A lost race is tried again unless the patch names a resourceVersion.

import type { KubeObject } from "../../../api/meta/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import type { Answer } from "../../call.ts";
import { mediaTypeOf, readJsonBody } from "../../entry/body.ts";
import { checkJson, type Json } from "../../entry/json.ts";
import { badRequest, conflict, invalidObject, notFound } from "../../reply/status.ts";
import type { Stored } from "../../storage/storage.ts";
import { checkPlace, decodeObject } from "../decode.ts";
import { keyFor, type StoredCall } from "../stored-call.ts";
import { isLostRace, MAX_WRITE_TRIES, replace, told } from "../update.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";

const PATCHES: Readonly<Record<string, (document: Json, patch: Json) => Json>> = {
  "application/json-patch+json": applyJsonPatch,
  "application/merge-patch+json": applyMergePatch,
};

export async function patch(stored: StoredCall): Promise<Answer> {
  const { call, resource, parts } = stored;
  const { name } = call.info;
  const body = await readJsonBody(call.request, Object.keys(PATCHES));
  const apply = PATCHES[mediaTypeOf(call.request)];
  if (body === undefined || apply === undefined) throw badRequest("the body of a patch must not be empty");
  for (let tries = 1; ; tries += 1) {
    const current = parts.storage.get(keyFor(stored, name));
    if (current === undefined) throw notFound(resource, name);
    const sent = patched(stored, current, apply(current.object as unknown as Json, body));
    try {
      return { kind: "object", status: 200, object: await replace(stored, sent, current) };
    } catch (error) {
      if (!isLostRace(error) || tries === MAX_WRITE_TRIES) throw told(error, stored);
    }
  }
}

/** The patched document, held to everything a body is held to. */
function patched(stored: StoredCall, current: Stored, document: Json): KubeObject {
  const { call, resource, namespace } = stored;
  const { name } = call.info;
  // Each patch may add one limit's depth to what is stored; in sum they may not.
  checkJson(document);
  const sent = decodePatched(document, stored);
  checkPlace(sent, { name, namespace });
  const { resourceVersion = "" } = sent.metadata;
  if (resourceVersion !== "" && resourceVersion !== String(current.revision)) throw conflict(resource, name);
  return sent;
}

/** A patch that spoils the object is a bad patch (422), not a bad body (400). */
function decodePatched(document: Json, { strategy, call }: StoredCall): KubeObject {
  try {
    return decodeObject(document, strategy);
  } catch (error) {
    if (!isFault(error, "malformed")) throw error;
    throw invalidObject(strategy.resource, call.info.name, [
      { type: "Invalid value", field: "patch", detail: error.message },
    ]);
  }
}
