// Boot order does not matter: a server that is not up, a document or signature that does not exist yet are waited for,
// with a limit and with reports. A final refusal, and a proof that does not hold, end the wait at once.

import { Fault, type FaultCode, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";

/** Node and control plane may start together. As kubeadm. */
export const DISCOVERY_LIMIT_MS = 300_000;
/** A token that was made this moment is signed within milliseconds, so the first looks come quickly. */
const FIRST_PAUSE_MS = 250;
/** As kubeadm: a control plane that is being installed takes minutes. */
const LONGEST_PAUSE_MS = 5_000;

interface Waiting {
  readonly clock: Clock;
  readonly limitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before each pause, with what is awaited. */
  readonly onWaiting?: ((why: string) => void) | undefined;
}

export type DiscoveryAttempt<T> = { readonly value: T } | { readonly why: string };

/** Fault `timeout` with the last thing that was awaited. */
export async function untilAnswered<T>(waiting: Waiting, attempt: () => Promise<DiscoveryAttempt<T>>): Promise<T> {
  const { clock, signal, onWaiting, limitMs = DISCOVERY_LIMIT_MS } = waiting;
  const deadlineMs = clock.now() + limitMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const outcome = await orWhy(attempt);
    if ("value" in outcome) return outcome.value;
    if (clock.now() + pauseMs > deadlineMs) {
      throw new Fault("timeout", `the cluster was not found in time: ${outcome.why}`);
    }
    onWaiting?.(outcome.why);
    await clock.sleep(pauseMs, signal);
  }
}

/** A control plane that is just coming up refuses connections, lacks the ConfigMap, or has not bound its role yet. */
const NOT_UP_YET: ReadonlySet<FaultCode> = new Set([
  "forbidden",
  "not-found",
  "timeout",
  "too-many-requests",
  "unauthorized",
  "unavailable",
]);

async function orWhy<T>(attempt: () => Promise<DiscoveryAttempt<T>>): Promise<DiscoveryAttempt<T>> {
  try {
    return await attempt();
  } catch (error) {
    if (isFault(error) && NOT_UP_YET.has(error.code)) return { why: error.message };
    throw error;
  }
}

/**
 * The addresses in their order until one works. One that is refused does not stop the others, but when none of them
 * works its refusal is the answer: it says more than that another server is down.
 */
export async function tryInOrder<T>(
  addresses: readonly string[],
  attempt: (address: string) => Promise<DiscoveryAttempt<T>>,
): Promise<DiscoveryAttempt<T>> {
  const whys: string[] = [];
  let refusal: Fault | undefined;
  for (const address of addresses) {
    try {
      const outcome = await orWhy(() => attempt(address));
      if ("value" in outcome) return outcome;
      whys.push(outcome.why);
    } catch (error) {
      if (!isFault(error) || error.code === "aborted") throw error;
      refusal ??= error;
    }
  }
  if (refusal !== undefined) throw refusal;
  return { why: whys.length > 0 ? whys.join("; ") : "no address is known" };
}

export interface DiscoverDeps extends Waiting {
  /** For SSL_CERT_FILE and SSL_CERT_DIR, which say where this machine's roots are; HTTPS_PROXY and NO_PROXY. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The whole of standard input, for the file `-`. */
  readonly readStdin?: (() => Promise<string>) | undefined;
  /** A document was read and its signature holds; the server is not proved yet. May be called again after a pause. */
  readonly onDiscovered?: ((server: string) => void) | undefined;
}
