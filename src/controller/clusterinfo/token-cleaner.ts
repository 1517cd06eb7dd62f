// Expired bootstrap tokens are deleted: they are of no use, and should not be found. Judged by the end alone,
// so a Secret that is no good token in other ways goes too. Upstream: pkg/controller/bootstrap/tokencleaner.go.

import { readExpiration, TOKEN_NAMESPACE } from "../../api/bootstrap/index.ts";
import type { Secret } from "../../api/core/index.ts";
import { SECRETS } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { Informer, KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";
import { type Feature, UNTIL_CHANGED } from "../loop/index.ts";

/** Timers do not reach beyond 24 days, and nothing is lost by looking twice a day. */
const MAX_WAIT_MS = 12 * 3_600_000;

interface TokenCleanerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  /** Of Secrets of the type of tokens. */
  readonly tokens: Pick<Informer<Secret>, "get" | "onChange" | "hasSynced" | "waitForSync">;
}

export function createTokenCleaner({ client, clock, log, tokens }: TokenCleanerOptions): Feature {
  return {
    name: "token-cleaning",
    needs: [tokens],
    wakesOn: (wake) => tokens.onChange(({ object }) => wake(object.metadata.name ?? "")),
    handle: async (name, signal) => {
      const secret = tokens.get(name, TOKEN_NAMESPACE);
      const endMs = secret === undefined ? undefined : readExpiration(secret);
      if (secret === undefined || endMs === undefined) return UNTIL_CHANGED;
      const leftMs = endMs - clock.now();
      if (leftMs > 0) return { afterMs: Math.min(leftMs, MAX_WAIT_MS) };
      await removeToken(client, secret, signal);
      log.info("expired token removed", { secret: name });
      return UNTIL_CHANGED;
    },
  };
}

/** Only the very Secret that was looked at: one of the same name that was made since is another token. */
async function removeToken(client: KubeClient, { metadata }: Secret, signal: AbortSignal): Promise<void> {
  const target = { namespace: TOKEN_NAMESPACE, name: metadata.name ?? "" };
  try {
    await client.delete(SECRETS, target, { signal, ...(metadata.uid === undefined ? {} : { uid: metadata.uid }) });
  } catch (error) {
    if (!isFault(error, "not-found") && !isFault(error, "conflict")) throw error;
  }
}
