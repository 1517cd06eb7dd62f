// Things that are due later, at most one a key: of two waits for one key the one that ends sooner counts.

import { isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../clock/index.ts";

export interface Delays {
  schedule(key: string, ms: number, then: () => void): void;
  cancelAll(): void;
}

export function createDelays(clock: Clock): Delays {
  const waits = new Map<string, { readonly dueMs: number; readonly stop: AbortController }>();

  async function wait(key: string, ms: number, stop: AbortController): Promise<boolean> {
    try {
      await clock.sleep(ms, stop.signal);
    } catch (failure) {
      if (isFault(failure, "aborted")) return false; // whoever stopped it has already removed or replaced it
      throw failure;
    }
    waits.delete(key);
    return true;
  }

  return {
    schedule: (key, ms, then) => {
      const dueMs = clock.now() + ms;
      const present = waits.get(key);
      if (present !== undefined && present.dueMs <= dueMs) return;
      present?.stop.abort();
      const stop = new AbortController();
      waits.set(key, { dueMs, stop });
      void wait(key, ms, stop).then((isDue) => {
        if (isDue) then();
      });
    },
    cancelAll: () => {
      for (const { stop } of waits.values()) stop.abort();
      waits.clear();
    },
  };
}
