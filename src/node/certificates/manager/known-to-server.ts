// Does the API server still know a certificate? Any path tells: a certificate that does not authenticate is answered with 401
// even where nobody needs to authenticate.

import { isFault } from "../../../kernel/outcome/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";

const QUESTION_LIMIT_MS = 5_000;

/** Undefined when the server does not say: it is away, or busy. */
export async function isKnownToServer(client: KubeClient, signal: AbortSignal): Promise<boolean | undefined> {
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
