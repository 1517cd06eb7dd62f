// A verified token's claims -> the facts its judgement needs: the stored objects it names, read at this moment. Nothing is
// cached, so a deleted account, Secret or Pod ends its tokens with the next request.

import type { Secret } from "../../../api/core/index.ts";
import { type KubeObject, NODES, PODS, type Resource, SECRETS, SERVICE_ACCOUNTS } from "../../../api/meta/index.ts";
import type { BoundClaims, LegacyClaims, Reference } from "./claims.ts";
import type { BoundFacts, LegacyFacts } from "./facts.ts";

/** An object of storage, or undefined. */
export type GetObject = (
  resource: Resource,
  place: { readonly namespace?: string | undefined; readonly name: string },
) => KubeObject | undefined;

export function gatherBound(claims: BoundClaims, get: GetObject, nowMs: number): BoundFacts {
  const { namespace } = claims;
  const read = (resource: Resource, one: Reference | undefined) =>
    one === undefined ? undefined : get(resource, { namespace: resource.namespaced ? namespace : "", name: one.name });
  return {
    nowMs,
    claims,
    serviceAccount: read(SERVICE_ACCOUNTS, claims.serviceAccount),
    pod: read(PODS, claims.pod),
    secret: read(SECRETS, claims.secret),
    node: read(NODES, claims.node),
  };
}

export function gatherLegacy(claims: LegacyClaims, get: GetObject, token: string): LegacyFacts {
  const { namespace, serviceAccount, secretName } = claims;
  return {
    claims,
    token,
    serviceAccount: get(SERVICE_ACCOUNTS, { namespace, name: serviceAccount.name }),
    secret: get(SECRETS, { namespace, name: secretName }) as Secret | undefined,
  };
}
