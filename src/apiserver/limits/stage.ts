// How many requests run at once, and for how long. Too many: 429 and when to come back. Too long: 504, although what
// was begun may still happen. A request holds no place while it waits for bytes or for a revision. Watches are counted
// separately, as long as they are open, and not timed here (watching/lifetime.ts ends them). Behaviour of
// k8s.io/apiserver/pkg/server/filters/{maxinflight,timeout}.go. differs from upstream: the number of open watches is
// bounded.

import type { Answer, Call, Next } from "../call.ts";
import { badRequest, requestTimeout, tooManyRequests } from "../status/status.ts";
import type { Watch } from "../watching/watch.ts";
import { type Bound, type Gate, kindOf, type RequestKind } from "./gate.ts";
import type { Lane } from "./lane.ts";
import { isAdministrator } from "./shares.ts";

export interface LimitsParts {
  readonly gate: Gate;
  readonly lane: Lane;
  readonly meter: {
    /** A request is inside (+1) or has left (-1). */
    inside(kind: RequestKind, by: 1 | -1): void;
    /** A request was refused because too many others were running. */
    dropped(kind: RequestKind): void;
  };
}

/** Long enough for other requests to finish, short enough not to be noticed. */
const RETRY_AFTER_SECONDS = 1;

/** Watches end after minutes. */
const RETRY_WATCH_AFTER_SECONDS = 30;

export async function runLimits(call: Call, next: Next, parts: LimitsParts): Promise<Answer> {
  call.pause = () => parts.lane.turn(call.user.username);
  if (call.info.verb === "watch") return watchWithin(call, next, parts);
  const timeoutMs = Math.min(parts.gate.timeoutMs, askedTimeout(call) ?? Number.POSITIVE_INFINITY);
  const place = placeOf(call, parts);
  const giveBack = holdBody(call, parts);
  try {
    place.enter();
    call.outside = async (wait) => {
      place.leave();
      const result = await wait();
      place.enter();
      return result;
    };
    return await withDeadline(next, timeoutMs, parts);
  } finally {
    place.end();
    giveBack();
  }
}

interface Place {
  /** Refuses when there is no place for this user. */
  enter(): void;
  leave(): void;
  /** Final: what was begun may go on after its request was answered with 504, and takes no place any more. */
  end(): void;
}

function placeOf(call: Call, { gate, meter }: LimitsParts): Place {
  const kind = kindOf(call.info.verb);
  const isCounted = !isAdministrator(call.user);
  let hasEnded = false;
  let held: (() => void) | undefined;
  const leave = () => {
    held?.();
    held = undefined;
  };
  return {
    enter: () => {
      if (hasEnded) return;
      const free = isCounted ? gate.places[kind].enter(call.user) : () => undefined;
      if (free === undefined) {
        meter.dropped(kind);
        throw tooManyRequests(RETRY_AFTER_SECONDS);
      }
      meter.inside(kind, 1);
      held = () => {
        meter.inside(kind, -1);
        free();
      };
    },
    leave,
    end: () => {
      hasEnded = true;
      leave();
    },
  };
}

/**
 * Bytes of the body are counted as they arrive; a user that holds too many is refused, and the rest of the body is not
 * read.
 */
function holdBody(call: Call, { gate, meter }: LimitsParts): () => void {
  if (isAdministrator(call.user)) return () => undefined;
  const hold = gate.bodies.open(call.user);
  call.holdBytes = (bytes) => {
    if (hold.add(bytes)) return;
    meter.dropped("mutating");
    throw tooManyRequests(RETRY_AFTER_SECONDS, TOO_MANY_BYTES);
  };
  return hold.end;
}

const TOO_MANY_BYTES = "Too many bytes in the bodies of open requests, please try again later.";

/** A place is held until the watch has ended, which may be long after its request was answered. */
async function watchWithin(call: Call, next: Next, { gate, meter }: LimitsParts): Promise<Answer> {
  if (isAdministrator(call.user)) return next();
  const leave = gate.watches.enter(call.user.username);
  if (typeof leave === "string") {
    meter.dropped("readOnly");
    throw tooManyRequests(RETRY_WATCH_AFTER_SECONDS, TOO_MANY_WATCHES[leave]);
  }
  let watch: Watch | undefined;
  try {
    const answer = await next();
    if (answer.kind === "events") watch = answer.watch;
    return answer;
  } finally {
    if (watch === undefined || watch.ended.aborted) leave();
    else watch.ended.addEventListener("abort", leave, { once: true });
  }
}

const TOO_MANY_WATCHES: Readonly<Record<Bound, string>> = {
  each: "Too many open watches of this user, please close some or try again later.",
  all: "Too many open watches, please try again later.",
};

/** `timeout=10s`, which every client with a timeout of its own sends. */
function askedTimeout(call: Call): number | undefined {
  const text = call.query.first("timeout") ?? "";
  if (text === "") return undefined;
  const ms = parseGoDuration(text);
  if (ms === undefined) throw badRequest("invalid timeout specified in the request URL");
  return ms > 0 ? ms : undefined;
}

function withDeadline(next: Next, timeoutMs: number, { gate }: LimitsParts): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const answered = gate.deadlines.add(timeoutMs, () => reject(requestTimeout()));
    next().then(resolve, reject).finally(answered);
  });
}

// Durations in Go's notation: `10s`, `1m30s`, `1.5h`, `250ms`.

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
/** Longer than any real duration. */
const MAX_CHARACTERS = 64;
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/gy;

/** Milliseconds; undefined for what Go would not read. */
export function parseGoDuration(text: string): number | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const sign = text.startsWith("-") ? -1 : 1;
  const body = text.replace(/^[+-]/, "");
  if (body === "0") return 0;
  let ms = 0;
  let end = 0;
  for (const [whole, amount, unit] of body.matchAll(PART)) {
    ms += Number(amount) * (UNITS[unit ?? ""] ?? 0);
    end += whole.length;
  }
  return body !== "" && end === body.length ? sign * ms : undefined;
}
