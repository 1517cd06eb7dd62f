// create of a review kind: decode, validate, answer. Nothing is stored.

import type { KubeObject } from "../../api/meta/index.ts";
import { nodeOfUser } from "../../authorizer/index.ts";
import { reviewToken } from "../authentication/stage.ts";
import { rulesForUser } from "../authorization/rbac.ts";
import type { Answer, Call } from "../call.ts";
import { readBody } from "../entry/body.ts";
import type { KnownRules, Review, ReviewFacts } from "../resources/review.ts";
import { badRequest, invalidObject, methodNotAllowed } from "../status/status.ts";
import { checkNamespace, decodeObject } from "./decode.ts";
import type { VerbParts } from "./stored-call.ts";

export async function review(kind: Review, call: Call, parts: VerbParts): Promise<Answer> {
  const { resource } = kind;
  const { verb, namespace } = call.info;
  if (verb !== "create" || (resource.namespaced && namespace === "")) throw methodNotAllowed();
  const sent = decodeObject((await readBody(call.request, resource)) ?? {}, kind);
  const asked = resource.namespaced ? placed(sent, namespace) : sent;
  const problem = kind.problem?.(asked);
  if (problem !== undefined) throw badRequest(problem);
  const errors = kind.validate(asked);
  if (errors.length > 0) throw invalidObject(resource, asked.metadata.name ?? "", errors);
  return { kind: "object", status: 201, content: { object: kind.answer(asked, factsFor(call, parts)) } };
}

function placed(sent: KubeObject, namespace: string): KubeObject {
  checkNamespace(sent.metadata.namespace ?? "", namespace);
  return { ...sent, metadata: { ...sent.metadata, namespace } };
}

function factsFor({ user }: Call, parts: VerbParts): ReviewFacts {
  const nowMs = parts.clock.now();
  return {
    user,
    nowMs,
    authorize: parts.authorizer.authorize,
    rulesIn: (namespace) => rulesIn(parts, user, namespace),
    reviewToken: (token, audiences) => reviewToken(parts.authenticators, { token, audiences, nowMs }),
  };
}

/** What a node may do depends on its pods and cannot be listed as rules. */
function rulesIn({ rbac }: VerbParts, user: ReviewFacts["user"], namespace: string): KnownRules {
  const known = rulesForUser(rbac, user, namespace);
  if (nodeOfUser(user) === undefined) return known;
  return { ...known, problems: ["node authorizer does not support user rule resolution", ...known.problems] };
}
