// What the API server says about this node's credentials and about the request that waits.

import { type CertificateSigningRequest, CLIENT_USAGES } from "../../api/certificates/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { parsePrivateKey } from "../../platform/keys/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import { judgeRequest } from "../certificates/judge.ts";
import { requestName } from "../certificates/request-name.ts";
import { subjectOf } from "../certificates/template.ts";
import { whoAmI } from "../join/index.ts";
import type { PendingRequest, Seen } from "./facts.ts";
import type { HealthClients, HealthOptions } from "./options.ts";

const CALL_LIMIT_MS = 5_000;

/** As whom the server knows the client's credential; absent when it refuses it. */
export async function introduce(client: KubeClient | undefined, signal?: AbortSignal): Promise<Seen<string>> {
  if (client === undefined) return { kind: "unread", why: "the API server was not asked" };
  try {
    return { kind: "present", value: await whoAmI(client, { signal, timeoutMs: CALL_LIMIT_MS }) };
  } catch (error) {
    if (!isFault(error)) throw error;
    return error.code === "unauthorized" ? { kind: "absent" } : { kind: "unread", why: error.message };
  }
}

/** The request's name comes from its key, so it is found without having been noted anywhere. */
export async function findPending(
  keyPem: string,
  { bootstrap, node }: HealthClients,
  { nodeName, signal }: HealthOptions,
): Promise<Seen<PendingRequest>> {
  const client = bootstrap ?? node;
  if (client === undefined)
    return { kind: "unread", why: "a key waits for its certificate; the API server was not asked" };
  try {
    const { publicKey } = parsePrivateKey(keyPem).signer;
    const name = requestName({ publicKey, ...subjectOf(nodeName), usages: CLIENT_USAGES });
    const csr = await client.get<CertificateSigningRequest>(CSRS, { name }, { signal, timeoutMs: CALL_LIMIT_MS });
    return { kind: "present", value: { name, state: judgeRequest(csr) } };
  } catch (error) {
    if (!isFault(error)) throw error;
    return error.code === "not-found" ? { kind: "absent" } : { kind: "unread", why: error.message };
  }
}
