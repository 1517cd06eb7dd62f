// One live read of an object that may be gone: for approvals, which do not rest on a copy alone.

import type { KubeObject, Resource } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";

interface Wanted {
  readonly name: string;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

export async function getIfThere(
  client: Pick<KubeClient, "get">,
  resource: Resource,
  { name, namespace, signal }: Wanted,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(resource, { name, namespace }, { signal });
  } catch (error) {
    if (isFault(error, "not-found")) return undefined;
    throw error;
  }
}
