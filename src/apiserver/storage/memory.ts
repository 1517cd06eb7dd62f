// Storage that forgets at the end of the process: for tests and for programs that embed the server.

import { createEngine, FIRST_REVISION } from "./engine.ts";
import type { HistoryLimits } from "./history.ts";
import type { Storage } from "./storage.ts";

export interface MemoryStorageOptions {
  readonly historyLimits?: HistoryLimits | undefined;
}

export function createMemoryStorage({ historyLimits }: MemoryStorageOptions = {}): Storage {
  const journal = { append: async () => undefined, close: async () => undefined };
  return createEngine({ journal, revision: FIRST_REVISION, rows: [], historyLimits });
}
