// What the API server says about this node's credentials and about the request that waits.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import { apiVersionOf, CSRS, type KubeObject, SELF_SUBJECT_ACCESS_REVIEWS } from "../../api/meta/index.ts";
import { type Fault, isFault, type Seen } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { getHttps, type ServerTrust } from "../../platform/http/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { KeySeal } from "../../platform/pair/index.ts";
import { whoAmI } from "../certificates/index.ts";
import { judgeRequest } from "../certificates/judge.ts";
import type { JoinPlaces } from "../join/index.ts";
import type { PendingRequest, Reach, RequestRight } from "./facts.ts";

const CALL_LIMIT_MS = 5_000;

/** The user name by which the server knows the client's credential; absent when the server refuses it. */
export async function introduce(client: KubeClient | undefined, signal?: AbortSignal): Promise<Seen<string>> {
  if (client === undefined) return { kind: "NotRead", why: "the API server was not asked" };
  try {
    return { kind: "Present", value: await whoAmI(client, { signal, timeoutMs: CALL_LIMIT_MS }) };
  } catch (error) {
    if (!isFault(error)) throw error;
    return error.code === "unauthorized" ? { kind: "Absent" } : { kind: "NotRead", why: error.message };
  }
}

/** A review by the API server about the caller itself. */
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

/**
 * One request to an API server without a credential: does the name resolve, does a server answer, does the CA vouch for
 * it, and what time is it there? Sent like every other request, through a proxy where one is configured.
 */
interface ProbeTarget {
  readonly server: string;
  readonly caPem: string;
  readonly tlsServerName?: string | undefined;
  readonly proxyUrl?: string | undefined;
  /** For HTTPS_PROXY and NO_PROXY. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

const PROBE_LIMIT_MS = 5_000;
/** The body of /version is not read; an API server sends no longer one. */
const MAX_ANSWER_OCTETS = 65_536;
/** Of getaddrinfo(3): there is no such name, or no server that could tell. */
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

/**
 * The connection's own message where the server is at fault, because the finding names the server anyway. A proxy has
 * to be named.
 */
function whyOf({ code, message, detail, cause }: Fault): string {
  const isOfServer = code === "untrusted" || detail["error"] !== undefined;
  return isOfServer && cause instanceof Error && cause.message !== "" ? cause.message : message;
}

/**
 * A wrong clock is a common cause of distrust, so the time of an untrusted server is read as a hint. Nothing else of it
 * is used.
 */
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

export interface HealthOptions {
  readonly places: Pick<
    JoinPlaces,
    "certDirectory" | "kubeconfigPath" | "execKubeconfigPath" | "bootstrapPath" | "attestationPath"
  >;
  readonly directory: string;
  /** The name of a waiting request is made of it. */
  readonly nodeName: string;
  /** Opens a sealed key; absent where the join named nothing that could. */
  readonly keySeal?: KeySeal | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** For HTTPS_PROXY and NO_PROXY, and PATH, where the plugin is looked for. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

export interface HealthClients {
  readonly node?: KubeClient;
  readonly bootstrap?: KubeClient;
}
