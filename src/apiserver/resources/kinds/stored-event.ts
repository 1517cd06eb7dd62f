// An Event as it is kept, whichever of its two faces wrote it.

import type { Event } from "../../../api/core/index.ts";

/** As it is kept. Times that were never set are `null`: every API server shows them so. */
export interface StoredEvent extends Omit<Event, "firstTimestamp" | "lastTimestamp" | "source"> {
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  source?: { readonly component?: string; readonly host?: string };
  action?: string;
  related?: object;
  series?: { readonly count?: number; readonly lastObservedTime?: string };
}
