// Waits for the decision on one certificate request: a streaming list of that one object, and plain reads where the
// server or a proxy does not serve it. Ends with the certificate, or with the fault that says why there is none.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import { CSRS, INITIAL_EVENTS_END, type WatchEvent } from "../../api/meta/index.ts";
import { SUPPORTED_VERSIONS_ANNOTATION } from "../../attestation/evidence/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { type BackoffLimits, backoffMs, type KubeClient, waitAfterMs } from "../../platform/kube/index.ts";
import { judgeRequest, type RequestState } from "./judge.ts";

/**
 * Pause between two looks without a watch, or with one that ends at once: a signer takes milliseconds, an operator
 * minutes.
 */
const LOOK_BACKOFF: BackoffLimits = { baseMs: 1_000, maxMs: 10_000 };
/** The server ends a watch after this; a new one then starts with the current state. */
const WATCH_SECONDS = 300;

interface WatchRequestOptions {
  readonly client: KubeClient;
  readonly name: string;
  /** Of the object that we created or found to be ours; another object under the same name is not ours. */
  readonly uid: string;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly onState: (state: RequestState) => void;
}

export async function watchRequest(options: WatchRequestOptions): Promise<string> {
  const { clock, random, signal } = options;
  for (let attempt = 0; ; attempt++) {
    const watched = await followWatch(options);
    if (typeof watched === "string") return watched;
    const read = await readOnce(options);
    if (typeof read === "string") return read;
    const pauseMs = backoffMs(LOOK_BACKOFF, attempt, random());
    await clock.sleep(waitAfterMs(read, waitAfterMs(watched, pauseMs)), signal);
  }
}

/** The certificate; a Fault when the watch cannot be had; then a read follows, which reports what is really wrong. */
async function followWatch(options: WatchRequestOptions): Promise<string | Fault> {
  const watch = options.client.watch<CertificateSigningRequest>(CSRS, {
    fieldSelector: `metadata.name=${options.name}`,
    sendInitialEvents: true,
    timeoutSeconds: WATCH_SECONDS,
    signal: options.signal,
  });
  let seen = false;
  try {
    for await (const event of watch) {
      if (event.type !== "BOOKMARK") seen = true;
      const issued = readEvent(event, seen, options);
      if (issued !== undefined) return issued;
    }
  } catch (error) {
    if (!isFault(error) || !WATCH_TROUBLE.has(error.code)) throw error;
    return error;
  }
  return new Fault("unavailable", "the watch ended");
}

/** Accidents of the stream itself. A server that refuses streaming lists says `invalid`. */
export const WATCH_TROUBLE: ReadonlySet<string> = new Set([
  "conflict",
  "expired",
  "forbidden",
  "invalid",
  "malformed",
  "timeout",
  "too-many-requests",
  "unavailable",
  "unsupported",
]);

function readEvent(
  event: WatchEvent<CertificateSigningRequest>,
  seen: boolean,
  options: WatchRequestOptions,
): string | undefined {
  if (event.type === "BOOKMARK") {
    const isListed = event.object.metadata.annotations?.[INITIAL_EVENTS_END] === "true";
    if (isListed && !seen) throw gone(options.name);
    return undefined;
  }
  if (event.type === "DELETED") throw gone(options.name);
  return readState(event.object, options);
}

/** The certificate; a Fault when the server is away; neither while nothing is decided. */
async function readOnce(options: WatchRequestOptions): Promise<string | Fault | undefined> {
  try {
    const csr = await options.client.get<CertificateSigningRequest>(
      CSRS,
      { name: options.name },
      { signal: options.signal },
    );
    return readState(csr, options);
  } catch (error) {
    if (isFault(error, "not-found")) throw gone(options.name);
    if (isFault(error) && error.retryable) return error;
    throw error;
  }
}

function readState(csr: CertificateSigningRequest, { name, uid, onState }: WatchRequestOptions): string | undefined {
  if (csr.metadata.uid !== uid) {
    throw new Fault("failed-request", `request ${name} was deleted and made again by somebody else`, {
      detail: { name },
    });
  }
  const state = judgeRequest(csr);
  onState(state);
  switch (state.kind) {
    case "issued":
      return state.certificatePem;
    case "denied":
      throw new Fault("denied", `request ${name} was denied: ${state.why}`, {
        detail: { name, ...state.said, ...supportedBy(csr) },
      });
    case "failed":
      throw new Fault("failed-request", `request ${name} failed at its signer: ${state.why}`, {
        detail: { name, ...state.said },
      });
    case "pending":
      return undefined;
  }
}

/** The versions that the controller supports, where it names them: evidence in another version may be accepted. */
function supportedBy({ metadata }: CertificateSigningRequest): { readonly supportedVersions?: string } {
  const supportedVersions = metadata.annotations?.[SUPPORTED_VERSIONS_ANNOTATION];
  return supportedVersions === undefined ? {} : { supportedVersions };
}

function gone(name: string): Fault {
  return new Fault("failed-request", `request ${name} was deleted before it was answered`, { detail: { name } });
}
