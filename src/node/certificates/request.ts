// From a key to a checked certificate, over the CertificateSigningRequest API: create the request or find the one that
// an earlier start made, wait for the decision, check the answer. Nothing is stored here.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import { apiVersionOf, CSRS, type KubeObject, SELF_SUBJECT_REVIEWS } from "../../api/meta/index.ts";
import type { FinishedRequest } from "../../attestation/evidence/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { encodePem } from "../../kernel/pem/index.ts";
import { type Signer, signCertificateRequest } from "../../kernel/x509/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import {
  type BackoffLimits,
  backoffMs,
  type CallOptions,
  type KubeClient,
  waitAfterMs,
} from "../../platform/kube/index.ts";
import { type Limit, withinLimit as withinAnyLimit } from "../../platform/signals/index.ts";
import { checkIssued, type NodeRoots } from "./check.ts";
import { judgeReuse, type RequestState } from "./judge.ts";
import { extensionsOf, namesOf, requestName, subjectOf, usagesOf, type WantedCertificate } from "./template.ts";
import { watchRequest } from "./watch-request.ts";

/** kubeadm waits five minutes for a node; a plugin or a join that waits longer only hides the reason. */
export const REQUEST_LIMIT_MS = 280_000;
/** Between two tries to reach a server that is away: a fleet that lost it together must not come back together. */
const CREATE_BACKOFF: BackoffLimits = { baseMs: 1_000, maxMs: 30_000 };

export interface RequestProgress {
  /** The provider has answered the controller's challenge. */
  readonly onAttested?: () => void;
  /** The request is at the server; `reused` when an earlier start had made it. */
  readonly onRequested?: (name: string, reused: boolean) => void;
  /** Every change of state, with the reason while it is pending. */
  readonly onState?: (state: RequestState) => void;
  /** What the server's clock said when it stored our request; whole seconds. */
  readonly onServerTime?: (serverMs: number) => void;
}

export interface RequestOptions extends RequestProgress, WantedCertificate {
  readonly client: KubeClient;
  readonly key: Signer;
  readonly signerName: string;
  /** The request with its evidence. Left out: a plain PKCS#10, as a kubelet's. */
  readonly attested?: FinishedRequest | undefined;
  /** The CAs that may sign for this cluster's nodes. */
  readonly roots: NodeRoots;
  readonly clock: Clock;
  /** In [0, 1); for the back-off. */
  readonly random?: (() => number) | undefined;
  readonly limitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The certificate chain in PEM, leaf first. */
export async function requestCertificate(options: RequestOptions): Promise<string> {
  const { client, clock, key, roots, signal, limitMs = REQUEST_LIMIT_MS, random = Math.random } = options;
  let why = "the API server has not accepted the request yet";
  const onState = (state: RequestState) => {
    if (state.kind === "pending") why = state.why;
    options.onState?.(state);
  };
  const certificatePem = await withinLimit({ clock, limitMs, signal, awaited: () => why }, async (stop) => {
    const { name = "", uid = "" } = (await createOrFind(options, stop)).metadata;
    return watchRequest({ client, clock, random, name, uid, signal: stop, onState });
  });
  const { nodeName, serving } = options;
  const issued = { certificatePem, publicKey: key.publicKey, nodeName, serving, roots, nowMs: clock.now() };
  const verdict = checkIssued(issued);
  if (verdict.kind === "Deny") throw new Fault("untrusted", verdict.message, { detail: { check: verdict.rule } });
  return certificatePem;
}

async function createOrFind(options: RequestOptions, signal: AbortSignal): Promise<CertificateSigningRequest> {
  const { clock, random = Math.random } = options;
  const object = buildRequest(options);
  for (let attempt = 0; ; attempt++) {
    const found = await tryCreate(object, options, signal);
    if (!isFault(found)) return found;
    await clock.sleep(waitAfterMs(found, backoffMs(CREATE_BACKOFF, attempt, random())), signal);
  }
}

/** A Fault means: try again. A create whose answer was lost shows as `already-exists` then. */
async function tryCreate(
  object: CertificateSigningRequest,
  options: RequestOptions,
  signal: AbortSignal,
): Promise<CertificateSigningRequest | Fault> {
  const name = object.metadata.name ?? "";
  try {
    const created = await options.client.create(CSRS, object, { signal });
    const serverMs = Date.parse(created.metadata.creationTimestamp ?? "");
    if (Number.isFinite(serverMs)) options.onServerTime?.(serverMs);
    options.onRequested?.(name, false);
    return created;
  } catch (error) {
    if (isFault(error, "already-exists")) return findOwn(name, options, signal);
    if (isFault(error) && error.retryable) return tell(error, options);
    throw error;
  }
}

/** The wait is explained by what the server said last. */
function tell(fault: Fault, { onState }: RequestOptions): Fault {
  onState?.({
    kind: "pending",
    approved: false,
    why: `the API server has not accepted the request yet: ${fault.message}`,
  });
  return fault;
}

/** A Fault when it was deleted between the two calls, or the server is away: then creating is tried again. */
async function findOwn(
  name: string,
  options: RequestOptions,
  signal: AbortSignal,
): Promise<CertificateSigningRequest | Fault> {
  let existing: CertificateSigningRequest;
  try {
    existing = await options.client.get<CertificateSigningRequest>(CSRS, { name }, { signal });
  } catch (error) {
    if (isFault(error, "not-found") || (isFault(error) && error.retryable)) return error;
    throw error;
  }
  const { signerName, serving, clock } = options;
  const { publicKey } = options.key;
  const subject = subjectOf(options.nodeName);
  const verdict = judgeReuse(existing, {
    publicKey,
    ...subject,
    signerName,
    names: namesOf(serving),
    nowMs: clock.now(),
  });
  if (verdict.kind === "Deny") {
    const detail = { name, reason: verdict.reason };
    throw new Fault("already-exists", `request ${name} exists already and cannot be used: ${verdict.message}`, {
      detail,
    });
  }
  options.onRequested?.(name, true);
  return existing;
}

function buildRequest(options: RequestOptions): CertificateSigningRequest {
  const { key, nodeName, serving, signerName, attested } = options;
  if (attested !== undefined) return requestObject(attested);
  const subject = subjectOf(nodeName);
  const usages = usagesOf(options);
  const name = requestName({ publicKey: key.publicKey, ...subject, usages, names: namesOf(serving) });
  const pkcs10 = signCertificateRequest({ subject, extensions: extensionsOf(options) }, key);
  return requestObject({ name, signerName, usages, request: encodeUtf8(encodePem("CERTIFICATE REQUEST", pkcs10)) });
}

export function requestObject({ name, request, signerName, usages }: FinishedRequest): CertificateSigningRequest {
  return {
    apiVersion: apiVersionOf(CSRS),
    kind: CSRS.kind,
    metadata: { name },
    spec: { request: encodeBase64(request), signerName, usages },
  };
}

/** Bounds the wait for a certificate. */
interface CertificateLimit extends Omit<Limit, "overdue"> {
  /** What is awaited now. */
  readonly awaited: () => string;
}

export function withinLimit<T>(limit: CertificateLimit, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { awaited, ...rest } = limit;
  const overdue = () => `no certificate after ${Math.round(limit.limitMs / 1_000)} s: ${awaited()}`;
  return withinAnyLimit({ ...rest, overdue }, act);
}

interface SelfSubjectReview extends KubeObject {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

/**
 * The user name by which the API server knows the client's credential, from a review that changes nothing. Fault
 * `unauthorized` if it knows none.
 */
export async function whoAmI(client: KubeClient, options: CallOptions = {}): Promise<string> {
  const review: SelfSubjectReview = {
    apiVersion: apiVersionOf(SELF_SUBJECT_REVIEWS),
    kind: SELF_SUBJECT_REVIEWS.kind,
    metadata: {},
  };
  const { status } = await client.create(SELF_SUBJECT_REVIEWS, review, options);
  return status?.userInfo?.username ?? "";
}
