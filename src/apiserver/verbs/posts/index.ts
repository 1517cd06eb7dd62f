// POST to a subresource with a body of its own kind (CreateSubresource in resources/strategy.ts). The body has been
// decoded, admitted and validated; the handler reads, writes and answers.

import type { Answer, Attempt, Call } from "../../call.ts";
import { readBody } from "../../entry/body.ts";
import type { Endpoint } from "../../resources/registry.ts";
import { invalidObject, methodNotAllowed } from "../../status/status.ts";
import { decodeObject } from "../decode.ts";
import { enforce, type PostHandler, type VerbParts } from "../stored-call.ts";
import { bindPod, evictPod } from "./pod.ts";
import { requestToken } from "./token/index.ts";

/** By `<plural>/<subresource>`. */
const HANDLERS: Readonly<Record<string, PostHandler>> = {
  "pods/binding": bindPod,
  "pods/eviction": evictPod,
  "serviceaccounts/token": requestToken,
};

export async function post(
  call: Call,
  parts: VerbParts,
  endpoint: Extract<Endpoint, { kind: "posted" }>,
): Promise<Answer> {
  const { strategy, subresource } = endpoint;
  const { resource } = strategy;
  const { namespace, verb } = call.info;
  const isNamedByBody = call.info.resource !== resource.plural;
  const handle = HANDLERS[`${resource.plural}/${subresource.name}`];
  const isWhole = isNamedByBody ? namespace !== "" : call.info.name !== "";
  if (verb !== "create" || !isWhole || handle === undefined) throw methodNotAllowed();
  const body = decodeObject((await readBody(call.request, subresource.resource)) ?? {}, subresource);
  const name = isNamedByBody ? (body.metadata.name ?? "") : call.info.name;
  // Admission is enforced here and not in the handlers, so that none can forget it.
  const place = { resource, subresource: subresource.name, namespace, name };
  const attempt: Attempt = { operation: "CREATE", ...place, user: call.user, current: undefined, object: body };
  enforce(call.reviews.before(attempt), attempt);
  const errors = subresource.validate(body);
  if (errors.length > 0) throw invalidObject(subresource.resource, name, errors);
  enforce(call.reviews.after(attempt), attempt);
  return handle({ call, parts, strategy, resource, namespace, name, subresource }, body);
}
