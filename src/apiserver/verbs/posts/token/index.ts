// POST serviceaccounts/<name>/token: gather the account and the object that the token is bound to, plan the claims,
// sign. The token is only in this answer; nothing is stored.

import { type KubeObject, NODES, PODS, type Resource, SECRETS } from "../../../../api/meta/index.ts";
import { encodeBoundClaims } from "../../../authentication/service-account/claims.ts";
import { randomUid } from "../../../random.ts";
import { formatTime } from "../../../resources/metadata.ts";
import { notFound } from "../../../status/status.ts";
import { keyOf } from "../../../storage/key.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { PostedCall, PostHandler } from "../../stored-call.ts";
import { planToken, type TokenFacts, type TokenPlan, type TokenRequest } from "./plan.ts";

export const requestToken: PostHandler = async (posted, body) => {
  const { parts } = posted;
  const request: TokenRequest = body;
  const plan = planToken(gather(posted, request));
  if ("refusal" in plan) throw plan.refusal;
  const token = parts.tokens.sign(encodeBoundClaims(plan.claims, parts.tokens.issuer));
  const object = answerOf(request, plan, { token, nowMs: parts.clock.now() });
  return { kind: "object", status: 201, content: { object } };
};

function gather({ parts, resource, namespace, name }: PostedCall, request: TokenRequest): TokenFacts {
  const serviceAccount = parts.storage.get(keyOf(resource, { namespace, name }))?.object;
  if (serviceAccount === undefined) throw notFound(resource, name);
  const bound = boundObject(parts.storage, namespace, request);
  const nodeName = (bound as (KubeObject & { spec?: { nodeName?: string } }) | undefined)?.spec?.nodeName ?? "";
  return {
    request,
    serviceAccount,
    bound,
    node: bound?.kind === "Pod" && nodeName !== "" ? read(parts, NODES, { name: nodeName }) : undefined,
    audiences: parts.tokens.audiences,
    id: randomUid(parts),
    nowMs: parts.clock.now(),
  };
}

function read(
  { storage }: { readonly storage: Storage },
  resource: Resource,
  place: { namespace?: string; name: string },
) {
  return storage.get(keyOf(resource, place))?.object;
}

function boundObject(storage: Storage, namespace: string, { spec }: TokenRequest): KubeObject | undefined {
  const { kind, name = "" } = spec?.boundObjectRef ?? {};
  const resource = [PODS, SECRETS, NODES].find((one) => one.kind === kind);
  if (resource === undefined || name === "") return undefined;
  return read({ storage }, resource, resource.namespaced ? { namespace, name } : { name });
}

function answerOf(request: TokenRequest, plan: TokenPlan, signed: { token: string; nowMs: number }): KubeObject {
  const { namespace, serviceAccount, issuedAt } = plan.claims;
  const expirationTimestamp = formatTime((issuedAt + plan.expirationSeconds) * 1_000);
  const answer: KubeObject & { spec: unknown; status: unknown } = {
    kind: request.kind,
    apiVersion: request.apiVersion,
    metadata: {
      name: serviceAccount.name,
      namespace,
      uid: serviceAccount.uid,
      creationTimestamp: formatTime(signed.nowMs),
    },
    spec: {
      audiences: plan.audiences,
      expirationSeconds: plan.expirationSeconds,
      // Written even when there is none, as the Go type does.
      boundObjectRef: request.spec?.boundObjectRef ?? null,
    },
    status: { token: signed.token, expirationTimestamp },
  };
  return answer;
}
