// What the API server says about this node's credentials and about the request that waits.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import { apiVersionOf, CSRS, type KubeObject, SELF_SUBJECT_ACCESS_REVIEWS } from "../../api/meta/index.ts";
import { isFault, type Seen } from "../../kernel/outcome/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import { whoAmI } from "../certificates/index.ts";
import { judgeRequest } from "../certificates/judge.ts";
import type { PendingRequest, RequestRight } from "./facts.ts";
import type { HealthClients } from "./options.ts";

const CALL_LIMIT_MS = 5_000;

/** As whom the server knows the client's credential; absent when it refuses it. */
export async function introduce(client: KubeClient | undefined, signal?: AbortSignal): Promise<Seen<string>> {
  if (client === undefined) return { kind: "NotRead", why: "the API server was not asked" };
  try {
    return { kind: "Present", value: await whoAmI(client, { signal, timeoutMs: CALL_LIMIT_MS }) };
  } catch (error) {
    if (!isFault(error)) throw error;
    return error.code === "unauthorized" ? { kind: "Absent" } : { kind: "NotRead", why: error.message };
  }
}

/** Asked of the API server itself, about whoever asks. */
export async function askRight(client: KubeClient | undefined, signal?: AbortSignal): Promise<Seen<RequestRight>> {
  if (client === undefined) return { kind: "NotRead", why: "the API server was not asked" };
  const resourceAttributes = { group: CSRS.group, resource: CSRS.plural, verb: "create" };
  const review: AccessReview = {
    apiVersion: apiVersionOf(SELF_SUBJECT_ACCESS_REVIEWS),
    kind: SELF_SUBJECT_ACCESS_REVIEWS.kind,
    metadata: {},
    spec: { resourceAttributes },
  };
  try {
    const options = { signal, timeoutMs: CALL_LIMIT_MS };
    const { status } = await client.create(SELF_SUBJECT_ACCESS_REVIEWS, review, options);
    const user = await whoAmI(client, options);
    return { kind: "Present", value: { user, allowed: status?.allowed === true } };
  } catch (error) {
    if (!isFault(error)) throw error;
    return { kind: "NotRead", why: error.message };
  }
}

interface AccessReview extends KubeObject {
  readonly spec: { readonly resourceAttributes: Readonly<Record<string, string>> };
  readonly status?: { readonly allowed?: boolean };
}

/** The first of them that is there. */
export async function findPending(
  names: readonly string[],
  { bootstrap, node }: HealthClients,
  signal: AbortSignal | undefined,
): Promise<Seen<PendingRequest>> {
  const client = bootstrap ?? node;
  if (names.length === 0) return { kind: "Absent" };
  if (client === undefined)
    return { kind: "NotRead", why: "a key waits for its certificate; the API server was not asked" };
  for (const name of names) {
    try {
      const csr = await client.get<CertificateSigningRequest>(CSRS, { name }, { signal, timeoutMs: CALL_LIMIT_MS });
      return { kind: "Present", value: { name, state: judgeRequest(csr) } };
    } catch (error) {
      if (!isFault(error)) throw error;
      if (error.code !== "not-found") return { kind: "NotRead", why: error.message };
    }
  }
  return { kind: "Absent" };
}
