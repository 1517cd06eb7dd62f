// The machine's end: it gets the signed document, and a token over this request, from the platform's metadata server,
// which answers this instance only.
//
// Settings: `metadataUrl` (default: the link-local address that clouds use).
import { encodeBytes, type JsonObject, type NodeCallOptions, type NodeProvider, optionalText } from "@countersign/sdk";
import { providerIdOf, readWords } from "./document.ts";
import { audienceOf } from "./token.ts";

const DEFAULT_URL = "http://169.254.169.254";
const SESSION_HEADER = "x-metadata-session";
/** A metadata server answers in milliseconds; one that is not there must not hold up a join. */
const CALL_LIMIT_MS = 5_000;
/** A document, a signature, a token: a metadata server sends no more. */
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
      const document = readWords(await ask("/instance/document"));
      if (document === undefined) throw new TypeError("metadata server has a document that names no instance");
      return providerIdOf(document);
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

/** A session first: a request that a proxy was tricked into sending has no PUT and no header, and gets nothing. */
async function openSession(base: URL, options: NodeCallOptions): Promise<(path: string) => Promise<Uint8Array>> {
  const session = Buffer.from(await call(new URL("/session", base), { method: "PUT" }, options)).toString("ascii");
  return (path) => call(new URL(path, base), { headers: { [SESSION_HEADER]: session } }, options);
}

async function call(url: URL, init: RequestInit, { signal }: NodeCallOptions): Promise<Uint8Array> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(CALL_LIMIT_MS)]);
  const response = await fetch(url, { ...init, redirect: "error", signal: limited });
  if (!response.ok) {
    await response.body?.cancel();
    throw new TypeError(`metadata server answered ${response.status} to ${url.pathname}`);
  }
  return await readBody(response, url.pathname);
}

/** Not more of it than a limit: what goes on without end is left there. */
async function readBody({ body }: Response, path: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_ANSWER_OCTETS)
      throw new TypeError(`metadata server sent more than ${MAX_ANSWER_OCTETS} octets for ${path}`);
  }
  return Buffer.concat(pieces);
}
