// Bootstrap tokens whose time is over are deleted: nobody can use them, and nobody should find them.
// Behaviour of kubernetes/pkg/controller/bootstrap/tokencleaner.go.

import { readExpiration, TOKEN_NAMESPACE, TOKEN_SECRET_TYPE } from "../../api/bootstrap/index.ts";
import type { Secret } from "../../api/core/index.ts";
import { SECRETS } from "../../api/meta/index.ts";
import { controllerUser } from "./inside-client.ts";
import type { Controller } from "./loop.ts";

export const bootstrapTokens: Controller = {
  name: "bootstrap-tokens",
  user: controllerUser("token-cleaner"),
  watches: [
    {
      resource: SECRETS,
      keysOf: ({ type, object }) =>
        type !== "DELETED" && isToken(object as Secret) ? [object.metadata.name ?? ""] : [],
    },
  ],
  look: async (name, client, nowMs) => {
    const secret = client.get<Secret>(SECRETS, { namespace: TOKEN_NAMESPACE, name });
    if (secret === undefined || !isToken(secret)) return undefined;
    const endMs = readExpiration(secret);
    if (endMs === undefined) return undefined;
    if (endMs > nowMs) return endMs - nowMs;
    await client.remove(SECRETS, { namespace: TOKEN_NAMESPACE, name }, { uid: secret.metadata.uid });
    return undefined;
  },
};

function isToken({ type, metadata }: Secret): boolean {
  return type === TOKEN_SECRET_TYPE && metadata.namespace === TOKEN_NAMESPACE;
}
