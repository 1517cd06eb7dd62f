// How fast a replica acts (protocol 7.1): so many challenges and so many writes a second. Who comes faster is served later, not refused;
// the turns among requesters are the queue's matter.

import type { Clock } from "../../../platform/clock/index.ts";
import { createTokenBucket, type KubeClient, type Rate, type TokenBucket } from "../../../platform/kube/index.ts";

export const CHALLENGE_RATE: Rate = { perSecond: 100, burst: 100 };
/** Ten seconds' worth at once: a cluster that is brought up in one go joins its first two hundred nodes without a pause. */
export const WRITE_RATE: Rate = { perSecond: 200, burst: 2_000 };

export interface ChallengePace {
  /** 0: one more may be challenged now, and is counted. Else so long until the next. */
  takeOrWaitMs(): number;
}

export function createChallengePace({ now }: Pick<Clock, "now">, rate: Rate = CHALLENGE_RATE): ChallengePace {
  const bucket = createTokenBucket(rate, now);
  return {
    takeOrWaitMs: () => {
      const waitMs = bucket.waitMs();
      if (waitMs === 0) bucket.take();
      return waitMs;
    },
  };
}

/** For both clusters of one attestation: together they keep the rate. */
export function createWritePace({ now }: Pick<Clock, "now">, rate: Rate = WRITE_RATE): TokenBucket {
  return createTokenBucket(rate, now);
}

/** The same client, whose writes wait for their turn. */
export function paceWrites(client: KubeClient, clock: Pick<Clock, "sleep">, bucket: TokenBucket): KubeClient {
  async function turn(): Promise<void> {
    for (let waitMs = bucket.waitMs(); waitMs > 0; waitMs = bucket.waitMs()) await clock.sleep(waitMs);
    bucket.take();
  }
  return {
    ...client,
    create: async (resource, object, options) => {
      await turn();
      return await client.create(resource, object, options);
    },
    update: async (resource, object, options) => {
      await turn();
      return await client.update(resource, object, options);
    },
    patch: async (resource, target, patch, options) => {
      await turn();
      return await client.patch(resource, target, patch, options);
    },
    delete: async (resource, target, options) => {
      await turn();
      await client.delete(resource, target, options);
    },
  };
}
