// How many requests run at once, and for how long. Too many: 429 and when to come back. Too long: 504, although what was
// begun may still happen. Watches are neither counted nor timed here: they have their own end (watching/lifetime.ts).
// Behaviour of k8s.io/apiserver/pkg/server/filters/{maxinflight,timeout}.go.

import { MASTERS_GROUP } from "../../api/access/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { Answer, Call, Next, Parts } from "../call.ts";
import { badRequest, requestTimeout, tooManyRequests } from "../reply/status.ts";
import { kindOf } from "./gate.ts";
import { parseGoDuration } from "./go-duration.ts";

/** Long enough for the line to move, short enough that nobody notices. */
const RETRY_AFTER_SECONDS = 1;

export async function runLimits(call: Call, next: Next, parts: Parts): Promise<Answer> {
  if (call.info.verb === "watch") return next();
  const timeoutMs = Math.min(parts.gate.timeoutMs, askedTimeout(call) ?? Number.POSITIVE_INFINITY);
  const kind = kindOf(call.info.verb);
  // Administrators get in when everybody else has to wait: somebody must be able to repair things.
  const isCounted = !call.user.groups.includes(MASTERS_GROUP);
  if (isCounted && !parts.gate.enter(kind)) {
    parts.meter.dropped(kind);
    throw tooManyRequests(RETRY_AFTER_SECONDS);
  }
  parts.meter.inside(kind, 1);
  try {
    return await withDeadline(next, timeoutMs, parts);
  } finally {
    parts.meter.inside(kind, -1);
    if (isCounted) parts.gate.leave(kind);
  }
}

/** `timeout=10s`, which every client with a timeout of its own sends along. */
function askedTimeout(call: Call): number | undefined {
  const text = call.query.first("timeout") ?? "";
  if (text === "") return undefined;
  const ms = parseGoDuration(text);
  if (ms === undefined) throw badRequest("invalid timeout specified in the request URL");
  return ms > 0 ? ms : undefined;
}

async function withDeadline(next: Next, timeoutMs: number, { clock }: Parts): Promise<Answer> {
  const answered = new AbortController();
  const late = clock.sleep(timeoutMs, answered.signal).then(
    () => {
      throw requestTimeout();
    },
    // The answer came first.
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([next(), late]);
  } finally {
    answered.abort(new Fault("aborted", "the request is answered"));
  }
}
