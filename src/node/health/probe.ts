// One question to an API server, without a credential: does the name lead somewhere, does somebody answer, does the CA
// vouch for it, and what time is it there? It goes the way that every other question goes, through a proxy where one is named.

import { type Fault, isFault } from "../../kernel/outcome/index.ts";
import { getHttps, type ServerTrust } from "../../platform/http/index.ts";
import type { Reach } from "./facts.ts";

export interface ProbeTarget {
  readonly server: string;
  readonly caPem: string;
  readonly tlsServerName?: string | undefined;
  readonly proxyUrl?: string | undefined;
  /** For HTTPS_PROXY and NO_PROXY. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

const PROBE_LIMIT_MS = 5_000;
/** What /version says is not read; a page that is longer is none of an API server's. */
const MAX_ANSWER_OCTETS = 65_536;
/** Of getaddrinfo(3): there is no such name, or nobody who could say so. */
const NO_NAME: readonly unknown[] = ["ENOTFOUND", "EAI_AGAIN"];

export async function probeServer(target: ProbeTarget): Promise<Reach> {
  try {
    return { kind: "answers", serverMs: await askTime(target, { caPem: target.caPem }) };
  } catch (error) {
    if (!isFault(error) || error.code === "aborted") throw error;
    const { error: word } = error.detail;
    if (NO_NAME.includes(word)) {
      return { kind: "no-name", host: new URL(target.server).hostname, why: String(word) };
    }
    if (error.code !== "untrusted") return { kind: "unreachable", why: whyOf(error) };
    return { kind: "untrusted", why: whyOf(error), serverMs: await timeOfStranger(target) };
  }
}

/** The connection's own words, where it is the server's: which server is meant is said anyway. A proxy has to be named. */
function whyOf({ code, message, detail, cause }: Fault): string {
  const isOfServer = code === "untrusted" || detail["error"] !== undefined;
  return isOfServer && cause instanceof Error && cause.message !== "" ? cause.message : message;
}

/** A wrong clock is a common cause of distrust, so even a stranger is asked for the time. Nothing else of it is used. */
async function timeOfStranger(target: ProbeTarget): Promise<number | undefined> {
  try {
    return await askTime(target, { anybody: true });
  } catch (error) {
    if (!isFault(error) || error.code === "aborted") throw error;
    return undefined; // it is only a hint
  }
}

async function askTime(target: ProbeTarget, trust: ServerTrust): Promise<number | undefined> {
  const { server, tlsServerName, proxyUrl, env, signal } = target;
  const url = new URL("/version", server).href;
  const limits = { timeoutMs: PROBE_LIMIT_MS, maxBytes: MAX_ANSWER_OCTETS };
  const { headers } = await getHttps({ url, trust, tlsServerName, proxyUrl, env, signal, ...limits });
  const ms = Date.parse(String(headers["date"] ?? ""));
  return Number.isNaN(ms) ? undefined : ms;
}
