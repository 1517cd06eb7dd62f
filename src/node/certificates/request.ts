// From a key to a checked certificate, over the CertificateSigningRequest API: create the request or find the one that an
// earlier start made, wait for the decision, check the answer. Nothing is stored here.

import {
  type CertificateSigningRequest,
  CLIENT_USAGES,
  NODE_USER_PREFIX,
  NODES_GROUP,
} from "../../api/certificates/index.ts";
import { apiVersionOf, CSRS } from "../../api/meta/index.ts";
import type { AttestationEvidence } from "../../attestation/providers/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { encodePem } from "../../kernel/pem/index.ts";
import { type Certificate, type Signer, signCertificateRequest } from "../../kernel/x509/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import { checkIssued } from "./check.ts";
import { judgeReuse, type RequestState } from "./judge.ts";
import { withinLimit } from "./limit.ts";
import { requestName } from "./request-name.ts";
import { watchRequest } from "./watch-request.ts";

/** kubeadm waits five minutes for a node; a plugin or a join that waits longer only hides the reason. */
export const REQUEST_LIMIT_MS = 280_000;
/** Between two tries to create the request while the server is away. */
const CREATE_RETRY_MS = 2_000;

export interface RequestProgress {
  /** The request is at the server; `reused` when an earlier start had made it. */
  readonly onRequested?: (name: string, reused: boolean) => void;
  /** Every change of state, with the reason while it is pending. */
  readonly onState?: (state: RequestState) => void;
}

export interface RequestOptions extends RequestProgress {
  readonly client: KubeClient;
  readonly nodeName: string;
  readonly key: Signer;
  readonly signerName: string;
  readonly evidence: AttestationEvidence;
  /** The CAs that may sign clients of this cluster. */
  readonly roots: readonly Certificate[];
  readonly clock: Clock;
  readonly limitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The certificate chain in PEM, leaf first. */
export async function requestCertificate(options: RequestOptions): Promise<string> {
  const { client, clock, key, nodeName, roots, signal, limitMs = REQUEST_LIMIT_MS } = options;
  let why = "the API server has not accepted the request yet";
  const onState = (state: RequestState) => {
    if (state.kind === "pending") why = state.why;
    options.onState?.(state);
  };
  const certificatePem = await withinLimit({ clock, limitMs, signal, awaited: () => why }, async (stop) => {
    const { name = "", uid = "" } = (await createOrFind(options, stop)).metadata;
    return watchRequest({ client, clock, name, uid, signal: stop, onState });
  });
  const verdict = checkIssued({ certificatePem, publicKey: key.publicKey, nodeName, roots, nowMs: clock.now() });
  if (verdict.kind === "Deny") throw new Fault("untrusted", verdict.message, { detail: { check: verdict.rule } });
  return certificatePem;
}

async function createOrFind(options: RequestOptions, signal: AbortSignal): Promise<CertificateSigningRequest> {
  const object = buildRequest(options);
  for (;;) {
    const found = await tryCreate(object, options, signal);
    if (found !== undefined) return found;
    await options.clock.sleep(CREATE_RETRY_MS, signal);
  }
}

/** Undefined when it is worth trying again. A create whose answer was lost shows as `already-exists` then. */
async function tryCreate(
  object: CertificateSigningRequest,
  options: RequestOptions,
  signal: AbortSignal,
): Promise<CertificateSigningRequest | undefined> {
  const name = object.metadata.name ?? "";
  try {
    const created = await options.client.create(CSRS, object, { signal });
    options.onRequested?.(name, false);
    return created;
  } catch (error) {
    if (isFault(error, "already-exists")) return findOwn(name, options, signal);
    if (isFault(error) && error.retryable) return undefined;
    throw error;
  }
}

/** Undefined when it was deleted between the two calls, or the server is away: then creating is tried again. */
async function findOwn(
  name: string,
  options: RequestOptions,
  signal: AbortSignal,
): Promise<CertificateSigningRequest | undefined> {
  let existing: CertificateSigningRequest;
  try {
    existing = await options.client.get<CertificateSigningRequest>(CSRS, { name }, { signal });
  } catch (error) {
    if (isFault(error, "not-found") || (isFault(error) && error.retryable)) return undefined;
    throw error;
  }
  const { publicKey } = options.key;
  const own = { publicKey, ...subjectOf(options.nodeName), signerName: options.signerName, nowMs: options.clock.now() };
  const verdict = judgeReuse(existing, own);
  if (verdict.kind === "Deny") {
    const detail = { name, reason: verdict.reason };
    throw new Fault("already-exists", `request ${name} exists already and cannot be used: ${verdict.message}`, {
      detail,
    });
  }
  options.onRequested?.(name, true);
  return existing;
}

function buildRequest({ key, nodeName, signerName, evidence }: RequestOptions): CertificateSigningRequest {
  const subject = subjectOf(nodeName);
  const name = requestName({ publicKey: key.publicKey, ...subject, usages: CLIENT_USAGES });
  const pem = encodePem("CERTIFICATE REQUEST", signCertificateRequest({ subject, extensions: [] }, key));
  return {
    apiVersion: apiVersionOf(CSRS),
    kind: CSRS.kind,
    metadata: { name },
    spec: { request: encodeBase64(encodeUtf8(pem + encodeEvidence(evidence))), signerName, usages: CLIENT_USAGES },
  };
}

/** A provider that proves nothing sends no block at all: the request is then a plain PKCS#10, as a kubelet's. */
function encodeEvidence({ data }: AttestationEvidence): string {
  return data.length === 0 ? "" : encodePem("KUBELET AUTHENTICATOR ATTESTATION DATA", data);
}

function subjectOf(nodeName: string): { readonly commonName: string; readonly organizations: readonly string[] } {
  return { commonName: `${NODE_USER_PREFIX}${nodeName}`, organizations: [NODES_GROUP] };
}
