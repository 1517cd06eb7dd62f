// The two ways in which a watch cannot begin, as the last event of its stream: the HTTP status has been sent by then.

import type { Status } from "../../api/meta/index.ts";
import type { Fault } from "../../kernel/outcome/index.ts";
import type { WatchedEvent } from "./events.ts";

/** Clients list again when they see it. */
export function expiredEvent({ message }: Fault): WatchedEvent {
  return { type: "ERROR", status: { ...FAILURE, message, reason: "Expired", code: 410 } };
}

/** The requested revision did not come in time. Clients look for the cause and try again after the seconds given. */
export function tooLargeEvent({ message }: Fault): WatchedEvent {
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  return {
    type: "ERROR",
    status: {
      ...FAILURE,
      message: `Timeout: ${message}`,
      reason: "Timeout",
      details: { causes, retryAfterSeconds: 1 },
      code: 504,
    },
  };
}

const FAILURE = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" } as const satisfies Status;
