// Stores the bootstrap token that `up` was given. A restart is given the same token again, which keeps its expiry.

import {
  type BootstrapToken,
  buildTokenSecret,
  readTokenSecret,
  type TokenSecretOptions,
} from "../api/bootstrap/index.ts";
import type { Secret } from "../api/core/index.ts";
import { SECRETS } from "../api/meta/index.ts";
import { encodeUtf8, equalBytes } from "../kernel/bytes/index.ts";
import { Fault, isFault } from "../kernel/outcome/index.ts";
import type { KubeClient } from "../platform/kube/index.ts";

export async function storeToken(
  client: KubeClient,
  token: BootstrapToken,
  options: TokenSecretOptions,
): Promise<void> {
  const secret = buildTokenSecret(token, options);
  try {
    await client.create(SECRETS, secret);
  } catch (failure) {
    if (!isFault(failure, "already-exists")) throw failure;
    const { name = "", namespace } = secret.metadata;
    requireSame(token, await client.get<Secret>(SECRETS, { name, namespace }), failure);
  }
}

/** Fault `conflict` if the stored secret differs: a machine that is given the new token could not join with it. */
function requireSame({ id, secret }: BootstrapToken, stored: Secret, cause: Fault): void {
  const known = readTokenSecret(stored);
  if (known !== undefined && equalBytes(encodeUtf8(known.secret), encodeUtf8(secret))) return;
  const todo = `name the token that the cluster has, or another id; to replace it: start without --token, then countersign token revoke ${id}`;
  throw new Fault("conflict", `the cluster has a token ${id} with another secret`, { cause, detail: { todo } });
}
