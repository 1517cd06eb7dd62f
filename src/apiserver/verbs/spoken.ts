// A subresource whose bodies are of another kind than its parent (Speech in resources/strategy.ts): read, update and
// patch of that kind, each turned into a write of the parent. differs from upstream: no server-side apply, for which
// fields would have to be owned in two kinds at once.

import type { KubeObject } from "../../api/meta/index.ts";
import type { Json } from "../../kernel/json/index.ts";
import type { Answer } from "../call.ts";
import { mediaTypeOf, readBody, readJsonBody } from "../entry/body.ts";
import type { Speech } from "../resources/strategy.ts";
import { badRequest, conflict, invalidObject, methodNotAllowed, notFound } from "../status/status.ts";
import type { Content, Stored } from "../storage/storage.ts";
import { checkPlace, decodeBody } from "./decode.ts";
import { isLostRace, MAX_WRITE_TRIES, told } from "./lost-races.ts";
import { applyJsonPatch, applyMergePatch } from "./patch/json-patch.ts";
import { keyFor, type StoredCall } from "./stored-call.ts";
import { replace } from "./update.ts";
import { writeOptions } from "./write-options.ts";

const PATCHES: Readonly<Record<string, (document: Json, patch: Json) => Json>> = {
  "application/json-patch+json": applyJsonPatch,
  "application/merge-patch+json": applyMergePatch,
};

export async function spoken(stored: StoredCall, speech: Speech): Promise<Answer> {
  switch (stored.call.info.verb) {
    case "get":
      return answer(currentOf(stored), speech);
    case "update":
      return write(stored, speech, await readUpdate(stored, speech));
    case "patch":
      return write(stored, speech, await readPatch(stored, speech));
    default:
      throw methodNotAllowed();
  }
}

function answer({ object }: Content, speech: Speech): Answer {
  return { kind: "object", status: 200, content: { object: speech.show(object) } };
}

function currentOf(stored: StoredCall): Stored {
  const { name } = stored.call.info;
  const found = stored.parts.storage.get(keyFor(stored, name));
  if (found === undefined) throw notFound(stored.resource, name);
  return found;
}

/** The object that the client wants, given what is shown now. */
type Wish = (shown: KubeObject) => KubeObject;

async function readUpdate({ call }: StoredCall, speech: Speech): Promise<Wish> {
  const { fieldValidation: how } = writeOptions(call, "UpdateOptions");
  const sent = decodeBody(await readBody(call.request, speech.resource), speech, { call, how });
  return () => sent;
}

async function readPatch({ call }: StoredCall, speech: Speech): Promise<Wish> {
  const { fieldValidation: how } = writeOptions(call, "PatchOptions");
  const body = await readJsonBody(call.request, Object.keys(PATCHES));
  const change = PATCHES[mediaTypeOf(call.request)];
  if (body === undefined || change === undefined) throw badRequest("the body of a patch must not be empty");
  return (shown) => decodeBody(change(shown as unknown as Json, body), speech, { call, how });
}

async function write(stored: StoredCall, speech: Speech, wish: Wish): Promise<Answer> {
  const { call, namespace } = stored;
  const { name } = call.info;
  const { manager } = writeOptions(call, call.info.verb === "patch" ? "PatchOptions" : "UpdateOptions");
  for (let tries = 1; ; tries += 1) {
    const current = currentOf(stored);
    const said = wish(speech.show(current.object));
    checkPlace(said, { name, namespace });
    checkPreconditions(stored, said, current);
    const errors = speech.validate(said);
    if (errors.length > 0) throw invalidObject(stored.resource, name, errors);
    try {
      const sent = speech.keep(said, current.object);
      return answer(await replace(stored, current, { sent, owners: { manager } }), speech);
    } catch (error) {
      const isConditional = call.info.verb === "update" && (said.metadata.resourceVersion ?? "") !== "";
      if (!isLostRace(error) || isConditional || tries === MAX_WRITE_TRIES) throw told(error, stored);
    }
  }
}

function checkPreconditions({ resource, call }: StoredCall, said: KubeObject, current: Stored): void {
  const { uid = "", resourceVersion = "" } = said.metadata;
  const isOther = uid !== "" && uid !== current.object.metadata.uid;
  if (isOther || (resourceVersion !== "" && resourceVersion !== String(current.revision)))
    throw conflict(resource, call.info.name);
}
