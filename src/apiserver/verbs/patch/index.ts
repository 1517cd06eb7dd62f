// patch: read, apply, then as an update. A lost race is tried again unless the patch names a resourceVersion.
// Server-side apply has its own file: it may create, and it tracks owners.

import type { Json } from "../../../kernel/json/index.ts";
import type { Answer } from "../../call.ts";
import { mediaTypeOf, readJsonBody } from "../../entry/body.ts";
import { heavyTurn } from "../../limits/lane.ts";
import { ANY, type Schema, schemaOfKind } from "../../schema/index.ts";
import { badRequest, notFound } from "../../status/status.ts";
import { writeUntilWon } from "../lost-races.ts";
import { keyFor, type StoredCall } from "../stored-call.ts";
import { replace } from "../update.ts";
import { writeOptions } from "../write-options.ts";
import { APPLY_TYPE, apply } from "./apply.ts";
import { applyJsonPatch, applyMergePatch } from "./json-patch.ts";
import { patched } from "./patched.ts";
import { applyStrategicMerge } from "./strategic-merge.ts";

type Patch = (document: Json, patch: Json, schema: Schema) => Json;

const STRATEGIC = "application/strategic-merge-patch+json";

const PATCHES: Readonly<Record<string, Patch>> = {
  "application/json-patch+json": applyJsonPatch,
  "application/merge-patch+json": applyMergePatch,
  [STRATEGIC]: applyStrategicMerge,
};

/** The schemas of custom kinds do not describe merging as this kind of patch needs it. */
function patchTypes({ strategy }: StoredCall): readonly string[] {
  return [...Object.keys(PATCHES).filter((type) => type !== STRATEGIC || strategy.custom === undefined), APPLY_TYPE];
}

export async function patch(stored: StoredCall): Promise<Answer> {
  const { call, resource, parts } = stored;
  if (mediaTypeOf(call.request) === APPLY_TYPE) return apply(stored);
  const { manager, fieldValidation } = writeOptions(call, "PatchOptions");
  const change = await readPatch(stored);
  return writeUntilWon(stored, async () => {
    const current = parts.storage.get(keyFor(stored, call.info.name));
    if (current === undefined) throw notFound(resource, call.info.name);
    await heavyTurn(stored, current);
    const document = change(current.object as unknown as Json);
    await heavyTurn(stored, current);
    const sent = patched(stored, current, document, fieldValidation);
    return { kind: "object", status: 200, content: await replace(stored, current, { sent, owners: { manager } }) };
  });
}

async function readPatch(stored: StoredCall): Promise<(document: Json) => Json> {
  const { call, strategy } = stored;
  const body = await readJsonBody(call.request, patchTypes(stored));
  const change = PATCHES[mediaTypeOf(call.request)];
  if (body === undefined || change === undefined) throw badRequest("the body of a patch must not be empty");
  const schema = schemaOfKind(strategy) ?? ANY;
  return (document) => change(document, body, schema);
}
