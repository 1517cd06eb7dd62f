// Reports what is awaited, only when it takes long enough to wonder, and again when it changes.

import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";

/** A signer answers within a fraction of this; a reason that is outdated at once would only worry people. */
const WONDER_AFTER_MS = 2_000;

export interface Patience {
  note(why: string): void;
  end(): void;
}

export function createPatience(clock: Clock, say: (why: string) => void): Patience {
  const ended = new AbortController();
  let why = "";
  let said = "";
  let isLong = false;

  function speak(): void {
    if (why !== said) say(why);
    said = why;
  }

  async function wonder(): Promise<void> {
    try {
      await clock.sleep(WONDER_AFTER_MS, ended.signal);
    } catch (error) {
      if (isFault(error, "aborted")) return;
      throw error;
    }
    isLong = true;
    speak();
  }

  return {
    note: (next) => {
      if (why === "") void wonder();
      why = next;
      if (isLong) speak();
    },
    end: () => ended.abort(),
  };
}
