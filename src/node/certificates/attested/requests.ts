// The requests of an exchange at the API server, as a joining node may use it: create, read, watch. An unreachable
// server is tried again until the caller gives up; the last failure explains the wait.

import { type CertificateSigningRequest, isIssued } from "../../../api/certificates/index.ts";
import { CSRS } from "../../../api/meta/index.ts";
import {
  CHALLENGE_ANNOTATION,
  type FinishedRequest,
  HELLO_OBJECT_PREFIX,
  SUPPORTED_VERSIONS_ANNOTATION,
} from "../../../attestation/evidence/index.ts";
import type { CertificateRequests, SavedRequest } from "../../../attestation/exchange/index.ts";
import { encodeBase64, parseBase64, parseUtf8 } from "../../../kernel/bytes/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import { type BackoffLimits, backoffMs, type KubeClient, waitAfterMs } from "../../../platform/kube/index.ts";
import { judgeRequest } from "../judge.ts";
import { type RequestProgress, requestObject, whoAmI } from "../request.ts";
import { WATCH_TROUBLE } from "../watch-request.ts";

/** Between two tries of a call, and between two looks where there is no watch. */
const RETRY: BackoffLimits = { baseMs: 500, maxMs: 10_000 };
/** The server ends a watch after this; a new one then starts where it ended. */
const WATCH_SECONDS = 300;

interface RequestsOptions extends RequestProgress {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

export function createCertificateRequests(options: RequestsOptions): CertificateRequests {
  const { client, signal } = options;
  /** Objects that a create or a watch returned and `find` has not used yet: they save a read. */
  const fresh = new Map<string, CertificateSigningRequest>();
  /** Where a watch continues. */
  const versions = new Map<string, string>();
  let user: string | undefined;

  const show = (csr: CertificateSigningRequest) => {
    const { name = "", resourceVersion = "" } = csr.metadata;
    fresh.set(name, csr);
    versions.set(name, resourceVersion);
  };
  const isOurs = async (csr: CertificateSigningRequest, { uid, request }: SavedRequest): Promise<boolean> => {
    if (uid !== undefined) return csr.metadata.uid === uid;
    if (csr.spec.request !== encodeBase64(request)) return false;
    user ??= await patiently(options, () => whoAmI(client, { signal }));
    return csr.spec.username === user;
  };

  return {
    create: async (request) => {
      const created = await patiently(options, () => createUnlessThere(options, request));
      if (created === undefined) return undefined;
      show(created);
      if (!isHello(request)) options.onRequested?.(request.name, false);
      return { uid: created.metadata.uid ?? "" };
    },
    find: async (request) => {
      const csr = fresh.get(request.name) ?? (await patiently(options, () => readUnlessGone(options, request.name)));
      fresh.delete(request.name);
      if (csr === undefined) return { kind: "Gone" };
      versions.set(request.name, csr.metadata.resourceVersion ?? "");
      const ours = await isOurs(csr, request);
      if (ours && request.uid === undefined && !isHello(request)) options.onRequested?.(request.name, true);
      if (ours) options.onState?.(judgeRequest(csr));
      return { isOurs: ours, ...seenIn(csr) };
    },
    untilChanged: async ({ name }) => {
      const changed = await watchOnce(options, name, versions.get(name));
      if (changed !== undefined) show(changed);
    },
  };
}

function isHello({ name }: FinishedRequest): boolean {
  return name.startsWith(HELLO_OBJECT_PREFIX);
}

/** The object as the plan of an exchange reads it. */
function seenIn(csr: CertificateSigningRequest) {
  const { uid = "", annotations = {} } = csr.metadata;
  const state = judgeRequest(csr);
  const supportedVersions = annotations[SUPPORTED_VERSIONS_ANNOTATION];
  return {
    kind: "Found" as const,
    uid,
    ...(supportedVersions === undefined ? {} : { supportedVersions }),
    denied: state.kind === "denied" || state.kind === "failed" ? state.said : undefined,
    challenge: annotations[CHALLENGE_ANNOTATION],
    certificate: isIssued(csr) ? parseUtf8(parseBase64(csr.status?.certificate ?? "")) : undefined,
  };
}

function isAnswer(csr: CertificateSigningRequest): boolean {
  const { denied, challenge, certificate } = seenIn(csr);
  return denied !== undefined || challenge !== undefined || certificate !== undefined;
}

async function createUnlessThere({ client, signal, onServerTime }: RequestsOptions, request: FinishedRequest) {
  try {
    const created = await client.create(CSRS, requestObject(request), { signal });
    const serverMs = Date.parse(created.metadata.creationTimestamp ?? "");
    if (Number.isFinite(serverMs)) onServerTime?.(serverMs);
    return created;
  } catch (error) {
    if (isFault(error, "already-exists")) return undefined;
    throw error;
  }
}

async function readUnlessGone({ client, signal }: RequestsOptions, name: string) {
  try {
    return await client.get<CertificateSigningRequest>(CSRS, { name }, { signal });
  } catch (error) {
    if (isFault(error, "not-found")) return undefined;
    throw error;
  }
}

/**
 * The first change since `resourceVersion` that is an answer; undefined when the object must be read again, because it
 * was deleted or the watch broke.
 */
async function watchOnce(options: RequestsOptions, name: string, resourceVersion: string | undefined) {
  const { client, clock, random, signal, onState } = options;
  const fieldSelector = `metadata.name=${name}`;
  const from = { fieldSelector, resourceVersion, timeoutSeconds: WATCH_SECONDS, signal };
  try {
    for await (const { type, object } of client.watch<CertificateSigningRequest>(CSRS, from)) {
      if (type === "DELETED") return undefined;
      if (type === "BOOKMARK") continue;
      if (isAnswer(object)) return object;
      // Approved, or a reason to wait: the watch continues.
      onState?.(judgeRequest(object));
    }
  } catch (error) {
    if (!isFault(error) || !WATCH_TROUBLE.has(error.code)) throw error;
    await clock.sleep(waitAfterMs(error, backoffMs(RETRY, 0, random())), signal);
    return undefined;
  }
  await clock.sleep(RETRY.baseMs, signal);
  return undefined;
}

async function patiently<T>(options: RequestsOptions, call: () => Promise<T>): Promise<T> {
  const { clock, random, signal, onState } = options;
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!isFault(error) || !error.retryable) throw error;
      onState?.({ kind: "pending", approved: false, why: `the API server has not answered yet: ${error.message}` });
      await clock.sleep(waitAfterMs(error, backoffMs(RETRY, attempt, random())), signal);
    }
  }
}
