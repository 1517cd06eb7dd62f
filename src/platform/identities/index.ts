// NodeIdentities by their owner, on the server. An identity has one of two names
// (docs/decisions/0013-identity-names.md); callers need not know which of them.

import {
  type IdentityOwner,
  identityNames,
  isIdentityOf,
  NODE_IDENTITIES,
  type NodeIdentity,
} from "../../api/countersign/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { KubeClient } from "../kube/index.ts";

/** As it is on the server now. */
export async function findIdentity(
  management: KubeClient,
  owner: IdentityOwner,
  signal?: AbortSignal | undefined,
): Promise<NodeIdentity | undefined> {
  // The owner of the readable name when this identity was made may be gone since: both are looked at.
  for (const name of identityNames(owner)) {
    const found = await getIfThere(management, name, signal);
    if (found !== undefined && isIdentityOf(found, owner)) return found;
  }
  return undefined;
}

async function getIfThere(
  management: KubeClient,
  name: string,
  signal: AbortSignal | undefined,
): Promise<NodeIdentity | undefined> {
  try {
    return await management.get<NodeIdentity>(NODE_IDENTITIES, { name }, { signal });
  } catch (error) {
    if (isFault(error, "not-found")) return undefined;
    throw error;
  }
}

/**
 * Under its readable name, or under the other where that is another's. Fault `already-exists` where the owner has one
 * under the name that was tried; the caller has seen that there was none.
 */
export async function createIdentity(
  management: KubeClient,
  identity: NodeIdentity,
  signal?: AbortSignal | undefined,
): Promise<NodeIdentity> {
  const [readable, second] = identityNames(identity.spec);
  const named = (name: string): NodeIdentity => ({ ...identity, metadata: { ...identity.metadata, name } });
  try {
    return await management.create<NodeIdentity>(NODE_IDENTITIES, named(readable), { signal });
  } catch (error) {
    if (!isFault(error, "already-exists")) throw error;
    const there = await getIfThere(management, readable, signal);
    if (there === undefined || isIdentityOf(there, identity.spec)) throw error;
    return await management.create<NodeIdentity>(NODE_IDENTITIES, named(second), { signal });
  }
}
