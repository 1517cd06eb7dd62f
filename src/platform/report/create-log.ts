// Opens a log that writes. The writer is loaded only when it is asked for: the exec plugin starts at every
// credential refresh and must not wait for a logging library.

import type { Log, LogOptions } from "./log.ts";

export async function createLog(options: LogOptions = {}): Promise<Log> {
  const { createPinoLog } = await import("./pino-log.ts");
  return createPinoLog(options);
}
