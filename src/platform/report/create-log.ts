// The door to the writing log. The writer is loaded only when somebody asks for it: the exec plugin starts at every
// credential refresh and must not wait for a logging library.

import type { Log, LogOptions } from "./log.ts";

export async function createLog(options: LogOptions = {}): Promise<Log> {
  const { createPinoLog } = await import("./pino-log.ts");
  return createPinoLog(options);
}
