// The machine's end: it asks its platform's metadata server, which answers this instance and no other, for the signed document and
// for a token over this request.
//
// Settings: `metadataUrl` (default: the link-local address that clouds use).
import { encodeBytes, type JsonObject, type NodeCallOptions, type NodeProvider, optionalText } from "@countersign/sdk";
import { parseJson, providerIdOf } from "./document.ts";
import { audienceOf } from "./token.ts";

const DEFAULT_URL = "http://169.254.169.254";
const SESSION_HEADER = "x-metadata-session";
/** A metadata server answers in milliseconds; one that is not there must not hold up a join. */
const CALL_LIMIT_MS = 5_000;
const MAX_ANSWER_OCTETS = 16_384;

export function createProvider(settings: JsonObject): NodeProvider {
  const base = new URL(optionalText(settings, "metadataUrl", DEFAULT_URL));
  return {
    name: "instance-identity",
    contractVersion: 1,
    versions: [1],
    freshness: "time-limited",
    canRenew: true,
    canServe: true,
    providerId: async (options) => {
      const ask = await openSession(base, options);
      const { region, instanceId } = parseJson(await ask("/instance/document")) ?? {};
      return providerIdOf({ region: String(region), instanceId: String(instanceId) });
    },
    attest: async ({ digest }, options) => {
      const ask = await openSession(base, options);
      const token = await ask(`/instance/token?audience=${encodeURIComponent(audienceOf(digest))}`);
      return {
        document: encodeBytes(await ask("/instance/document")),
        signature: Buffer.from(await ask("/instance/signature"))
          .toString("ascii")
          .trim(),
        proof: { token: Buffer.from(token).toString("ascii").trim() },
      };
    },
  };
}

/** A session first: a request that somebody tricked a proxy into sending has no PUT and no header, and gets nothing. */
async function openSession(base: URL, options: NodeCallOptions): Promise<(path: string) => Promise<Uint8Array>> {
  const session = Buffer.from(await call(new URL("/session", base), { method: "PUT" }, options)).toString("ascii");
  return (path) => call(new URL(path, base), { headers: { [SESSION_HEADER]: session } }, options);
}

async function call(url: URL, init: RequestInit, { signal }: NodeCallOptions): Promise<Uint8Array> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(CALL_LIMIT_MS)]);
  const response = await fetch(url, { ...init, redirect: "error", signal: limited });
  const body = new Uint8Array(await response.arrayBuffer());
  if (!response.ok) throw new TypeError(`metadata server answered ${response.status} to ${url.pathname}`);
  if (body.length > MAX_ANSWER_OCTETS)
    throw new TypeError(`metadata server sent ${body.length} octets for ${url.pathname}`);
  return body;
}
