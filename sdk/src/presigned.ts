// A request that the machine signed for its platform and the verifier sends in its place, as a second proof (AWS: STS
// GetCallerIdentity). Its target is untrusted, and the verifier is inside the cluster's network: so it is sent only to
// hosts that the operator named, over https, once, without following redirects.
import type { JsonValue } from "./evidence.ts";
import { exactly } from "./reading.ts";

/** A platform that has not answered by then is waited for in another look. */
const LIMIT_MS = 10_000;
/** GetCallerIdentity answers with some 500 octets. */
const MAX_ANSWER_OCTETS = 65_536;

export interface PresignedRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PresignedRules {
  /** `sts.eu-west-1.amazonaws.com`, with the port where it is another than https has: exactly these. */
  readonly hosts: readonly string[];
  /** Exactly this one: `/`. */
  readonly path: string;
  /**
   * Parameters that must be present, each once: `{ Action: "GetCallerIdentity" }`. Answers to other calls may contain
   * text of the caller's.
   */
  readonly query: Readonly<Record<string, string>>;
  /**
   * Names of headers that the machine may set, in lower case. The verifier must check that its signature covers them.
   */
  readonly headers: readonly string[];
}

/** Evidence of the form {headers, method, url}, or why it is not sent. */
export function readPresigned(
  evidence: JsonValue | undefined,
  rules: PresignedRules,
): PresignedRequest | { readonly why: string } {
  const { method, url: text, headers = {} } = exactly(evidence, ["headers", "method", "url"]) ?? {};
  if (method !== "GET" && method !== "POST") return { why: "a presigned request is a GET or a POST, with its headers" };
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.protocol !== "https:") return { why: "a presigned request goes to an https address" };
  const why = whyNotAsked(url, rules);
  if (why !== undefined) return { why };
  const own = readHeaders(headers);
  const foreign = own === undefined ? "" : Object.keys(own).find((name) => !rules.headers.includes(name));
  if (own === undefined || foreign !== undefined)
    return { why: `header ${JSON.stringify(foreign)} is not for the machine` };
  return { method, url, headers: own };
}

function whyNotAsked(url: URL, { hosts, path, query }: PresignedRules): string | undefined {
  if (!hosts.includes(url.host)) return `${url.host} is no host that presigned requests may go to`;
  if (url.username + url.password + url.hash !== "") return "the address has a user, a password or a fragment";
  if (url.pathname !== path) return `a presigned request goes to the path ${path}`;
  const missing = Object.entries(query).find(([name, value]) => !asksOnce(url, name, value));
  return missing === undefined ? undefined : `a presigned request asks ${missing.join("=")}, once`;
}

function asksOnce({ searchParams }: URL, name: string, value: string): boolean {
  const asked = searchParams.getAll(name);
  return asked.length === 1 && asked[0] === value;
}

function readHeaders(value: JsonValue): Readonly<Record<string, string>> | undefined {
  if (typeof value !== "object" || Array.isArray(value)) return undefined;
  const pairs = Object.entries(value);
  return pairs.every(([, text]) => typeof text === "string") ? (value as Readonly<Record<string, string>>) : undefined;
}

export interface PlatformAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

/** For `gather`. Throws where the platform cannot be reached, redirects, or does not end: then the node waits. */
export async function sendPresigned(
  { method, url, headers }: PresignedRequest,
  { signal, fetch = globalThis.fetch }: { readonly signal: AbortSignal; readonly fetch?: typeof globalThis.fetch },
): Promise<PlatformAnswer> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const response = await fetch(url, { method, headers, redirect: "error", signal: limited });
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_ANSWER_OCTETS) throw new TypeError(`${url.host} sent more than ${MAX_ANSWER_OCTETS} octets`);
  }
  return { status: response.status, body: Buffer.concat(pieces) };
}
