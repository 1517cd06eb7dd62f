// The certificate manager (KEP-266): holds one pair, the freshest valid one, and renews it in time. Its users ask for
// the pair at each use. The disk wins over memory, so that a plugin, a kubelet or a second manager may rotate in the
// same directory.

import { type Fault, isFault } from "../../../kernel/outcome/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import { createHolding } from "./holding.ts";
import { createLackLimit, createPause, retryDelayMs } from "./limits.ts";
import type { CertificateManager, ManagerOptions } from "./options.ts";
import type { RotationReason } from "./plan.ts";
import { createRotation } from "./rotation.ts";

/** Between two looks at clock, disk and names: a clock that was set, or a rotation by others, is seen after this. */
const LOOK_MS = 1_000;
/** kubelet's limit for one request; an operator may have to approve it. */
const ATTEMPT_LIMIT_MS = 900_000;
/** Between two questions whether the server still knows the certificate: its CA may have been replaced. */
const ASK_SERVER_MS = 600_000;

export function createCertificateManager(options: ManagerOptions): CertificateManager {
  const { clock, onEvent, startLimitMs = Number.POSITIVE_INFINITY } = options;
  const holding = createHolding(options);
  const rotation = createRotation(options, holding);
  const lack = createLackLimit(clock, startLimitMs);
  const pause = createPause(clock);
  const askServer = createServerQuestion(options);
  let isAsked = options.initial?.renewAtOnce ?? false;
  let failures = 0;
  let lastFailure: Fault | undefined;
  let closed: Fault | undefined;

  async function rotate(why: RotationReason, signal: AbortSignal): Promise<void> {
    try {
      await rotation.rotate(why, Math.min(ATTEMPT_LIMIT_MS, lack.remainingMs() ?? ATTEMPT_LIMIT_MS), signal);
      isAsked = false;
      failures = 0;
    } catch (error) {
      if (!isFault(error) || signal.aborted) throw error;
      // The names changed: another request, at once.
      if (error.code !== "aborted") fail(error);
    }
  }

  function fail(fault: Fault): void {
    const random = (options.random ?? Math.random)();
    // The other credential is tried at once.
    const retryMs = rotation.isRefused() ? 0 : retryDelayMs({ error: fault, before: failures, random });
    failures++;
    lastFailure = fault;
    pause.begin(retryMs);
    onEvent?.({ kind: "failed", fault, retryMs });
  }

  /**
   * True: there is a certificate whose key does not open. A new one would not help; the TPM is asked again after a
   * pause.
   */
  async function adopt(): Promise<boolean> {
    if (closed !== undefined && pause.isOn()) return true;
    closed = await holding.adopt();
    if (closed !== undefined) fail(closed);
    return closed !== undefined;
  }

  async function step(signal: AbortSignal): Promise<void> {
    const isClosed = await adopt();
    lack.note(holding.valid() !== undefined, lastFailure);
    if (isClosed && holding.valid() === undefined) return clock.sleep(LOOK_MS, signal);
    const refused = await askServer(holding.valid(), signal);
    if (refused !== undefined) rotation.noteRefused(refused);
    const next = rotation.plan(isAsked);
    if (next.kind === "rotate" && !pause.isOn()) return rotate(next.why, signal);
    if (next.kind === "wait") onEvent?.({ kind: "waiting", untilMs: next.untilMs });
    await clock.sleep(LOOK_MS, signal);
  }

  return {
    current: holding.valid,
    onChange: holding.onChange,
    run: (signal) => repeat(step, signal),
    renew: async (signal, limitMs = ATTEMPT_LIMIT_MS) => {
      const unopened = await holding.adopt();
      if (unopened !== undefined && holding.valid() === undefined) throw unopened;
      return rotation.rotate("asked", limitMs, signal);
    },
  };
}

async function repeat(step: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    for (;;) await step(signal);
  } catch (error) {
    if (!signal.aborted || !isFault(error)) throw error; // stopped: other failures do not matter then
  }
}

/** Asks now and then whether the server still knows the pair; answers the pair when it does not. */
function createServerQuestion({ clock, access, serving, isEnabled = true }: ManagerOptions) {
  let askedMs = Number.NEGATIVE_INFINITY;
  return async (pair: ReturnType<CertificateManager["current"]>, signal: AbortSignal) => {
    const isRecent = Math.abs(clock.now() - askedMs) < ASK_SERVER_MS;
    if (pair === undefined || serving !== undefined || !isEnabled || isRecent) return undefined;
    askedMs = clock.now();
    const client = access.asNode(pair);
    try {
      return (await isKnownToServer(client, signal)) === false ? pair : undefined;
    } finally {
      await client.close();
    }
  };
}

const QUESTION_LIMIT_MS = 5_000;

/**
 * Does the API server still accept the certificate? Any path shows it: a certificate that does not authenticate gets
 * 401 even where anonymous requests are allowed. Undefined when the server is unreachable or busy.
 */
async function isKnownToServer(client: KubeClient, signal: AbortSignal): Promise<boolean | undefined> {
  try {
    const { status } = await client.raw("GET", "/version", { signal, timeoutMs: QUESTION_LIMIT_MS });
    if (status === 401) return false;
    return status < 500 ? true : undefined;
  } catch (error) {
    if (isFault(error, "unauthorized")) return false;
    if (isFault(error) && error.code !== "aborted") return undefined;
    throw error;
  }
}
