// The bootstrap tokens that may sign, by id, as the server behind has them at this moment; and that cluster's own id.
// Followed by informers, so a request never waits for them, and a server that is not up yet is simply waited for.

import {
  type BootstrapToken,
  isExpired,
  readTokenSecret,
  type StoredToken,
  TOKEN_NAMESPACE,
  TOKEN_SECRET_TYPE,
} from "../api/bootstrap/index.ts";
import type { Secret } from "../api/core/index.ts";
import { NAMESPACES, SECRETS } from "../api/meta/index.ts";
import { createInformer, type InformerOptions, type KubeClient } from "../platform/kube/index.ts";

export interface Tokens {
  /** The token of this id, if it is alive and may sign. */
  find(id: string, nowMs: number): BootstrapToken | undefined;
  /** Undefined until it is known. */
  clusterId(): string | undefined;
  /** True once all tokens have been read. */
  hasSynced(): boolean;
  run(signal: AbortSignal): Promise<void>;
}

/** The namespace that every cluster has from its first to its last day: its uid is the cluster's id. */
const FIRST_NAMESPACE = "kube-system";

export function followTokens(
  client: KubeClient,
  options: Pick<InformerOptions<Secret>, "clock" | "random" | "log">,
): Tokens {
  const byId = new Map<string, StoredToken>();
  const secrets = createInformer<Secret>(client, SECRETS, {
    ...options,
    namespace: TOKEN_NAMESPACE,
    fieldSelector: `type=${TOKEN_SECRET_TYPE}`,
  });
  const { clock, random, log } = options;
  const namespaces = createInformer(client, NAMESPACES, {
    ...{ clock, random, log },
    fieldSelector: `metadata.name=${FIRST_NAMESPACE}`,
  });
  secrets.onChange(({ type, object }) => {
    const token = readTokenSecret(object);
    const id = /^bootstrap-token-([a-z0-9]{6})$/.exec(object.metadata.name ?? "")?.[1] ?? "";
    if (type === "DELETED" || token === undefined) byId.delete(id);
    else byId.set(id, token);
  });
  return {
    find: (id, nowMs) => {
      const token = byId.get(id);
      return token?.maySign === true && !isExpired(token, nowMs) ? token : undefined;
    },
    clusterId: () => namespaces.get(FIRST_NAMESPACE)?.metadata.uid,
    hasSynced: () => secrets.hasSynced(),
    run: async (signal) => {
      await Promise.all([secrets.run(signal), namespaces.run(signal)]);
    },
  };
}
