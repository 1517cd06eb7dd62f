// The Machine for which a bootstrap token was made, where tokens belong to Machines (rule machine-is-expected).
// Whatever is not known for certain is `NotRead`: a token that was bound to one Machine must never pass for one that is
// bound to none.

import { TOKEN_NAMESPACE, TOKEN_SECRET_TYPE, tokenSecretName } from "../../api/bootstrap/index.ts";
import { BOOTSTRAP_USER_PREFIX } from "../../api/certificates/index.ts";
import type { Secret } from "../../api/core/index.ts";
import { SECRETS } from "../../api/meta/index.ts";
import { isFault, type Seen } from "../../kernel/outcome/index.ts";
import type { Informer, KubeClient } from "../../platform/kube/index.ts";

/** On the Secret of a bootstrap token: the Machine it was made for, `namespace/name`. */
export const TOKEN_MACHINE_ANNOTATION = "countersign.dev/machine";

interface TokenMachine {
  readonly namespace: string;
  readonly name: string;
}

/** Absent: the requester has no bootstrap token, or one that is bound to no Machine. */
export type TokenMachines = (username: string, signal?: AbortSignal) => Promise<Seen<TokenMachine>>;

interface TokenMachinesOptions {
  readonly client: Pick<KubeClient, "list">;
  readonly tokens: Pick<Informer<Secret>, "get" | "hasSynced">;
}

export function createTokenMachines({ client, tokens }: TokenMachinesOptions): TokenMachines {
  return async (username, signal) => {
    if (!username.startsWith(BOOTSTRAP_USER_PREFIX)) return { kind: "Absent" };
    if (!tokens.hasSynced()) return UNSYNCED;
    const id = username.slice(BOOTSTRAP_USER_PREFIX.length);
    // The requester showed its token to the API server a moment ago: a copy without it is older than the token.
    const secret = tokens.get(tokenSecretName(id), TOKEN_NAMESPACE) ?? (await find(client, id, signal));
    return secret === undefined
      ? { kind: "NotRead", why: `bootstrap token ${id} is gone, or may not be read` }
      : readMachineOf(secret);
  };
}

const UNSYNCED = { kind: "NotRead", why: "the bootstrap tokens are not known yet, or may not be read" } as const;

/** A list of one: the right to list and watch these Secrets is all that the controller has. */
async function find(
  client: Pick<KubeClient, "list">,
  id: string,
  signal: AbortSignal | undefined,
): Promise<Secret | undefined> {
  const fieldSelector = `type=${TOKEN_SECRET_TYPE},metadata.name=${tokenSecretName(id)}`;
  try {
    const { items } = await client.list<Secret>(SECRETS, { namespace: TOKEN_NAMESPACE, fieldSelector, signal });
    return items[0];
  } catch (error) {
    if (isFault(error, "forbidden")) return undefined;
    throw error;
  }
}

/** A text that names no Machine binds the token to none: a typing error opens nothing. */
function readMachineOf({ metadata }: Secret): Seen<TokenMachine> {
  const words = metadata.annotations?.[TOKEN_MACHINE_ANNOTATION];
  if (words === undefined) return { kind: "Absent" };
  const slash = words.indexOf("/");
  return { kind: "Present", value: { namespace: words.slice(0, Math.max(slash, 0)), name: words.slice(slash + 1) } };
}
