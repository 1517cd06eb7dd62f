// A cluster-info document from an https URL that this machine's roots vouch for ("Method: HTTPS endpoint" of the super
// simple discovery API). Unlike an API server, its host may redirect, as document stores do. Each hop must be https,
// and the headers are sent to the first host only.

import { parseUtf8 } from "../../../kernel/bytes/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { loadText } from "../../../platform/files/index.ts";
import { getHttps, type HttpsAnswer, loadSystemRoots } from "../../../platform/http/index.ts";
import { type DiscoveredCluster, untrusted } from "../cluster.ts";
import { parseDocumentUrl, type UrlMethod } from "../method.ts";
import { faultOf, isRefusedAnswer } from "../read-cluster-info.ts";
import type { DiscoverDeps } from "../wait.ts";
import { DOCUMENT_MAX_CHARACTERS, judgeDocument } from "./judge.ts";

const FETCH_TIMEOUT_MS = 10_000;
/** A store redirects once, a company's gateway before it a second time. */
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export async function fetchDocument(method: UrlMethod, deps: DiscoverDeps): Promise<DiscoveredCluster> {
  const { caPins, clusterId, withCredentials } = method;
  const { text, url } = await fetchText(method, deps);
  const what = `the document at ${new URL(url).host}`;
  const verdict = judgeDocument({ text, what, caPins, clusterId, withCredentials });
  if (verdict.kind === "Deny") throw untrusted(verdict);
  return verdict.cluster;
}

async function fetchText(method: UrlMethod, deps: DiscoverDeps): Promise<{ text: string; url: string }> {
  const caPem = await loadSystemRoots(deps.env);
  let headers = method.headerFile === undefined ? {} : await loadHeaders(method.headerFile);
  let url = method.url;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const answer = await getHttps({
      url,
      trust: { caPem },
      headers: { accept: "application/yaml, application/json, text/plain, */*", ...headers },
      timeoutMs: FETCH_TIMEOUT_MS,
      maxBytes: 4 * DOCUMENT_MAX_CHARACTERS,
      signal: deps.signal,
      env: deps.env,
    });
    if (answer.status === 200) return { text: parseUtf8(answer.body), url };
    const next = nextOf(answer, url);
    if (new URL(next).origin !== new URL(url).origin) headers = {};
    url = next;
  }
  throw new Fault("unsupported", `${new URL(method.url).host} redirects more than ${MAX_REDIRECTS} times`);
}

/** Where a redirect goes; every other answer is a Fault. */
function nextOf(answer: HttpsAnswer, url: string): string {
  const { host } = new URL(url);
  const location = answer.headers["location"];
  if (REDIRECTS.has(answer.status) && typeof location === "string" && URL.canParse(location, url)) {
    return parseDocumentUrl(new URL(location, url).href);
  }
  if (!isRefusedAnswer(answer)) throw faultOf(answer, host);
  // Not one of the codes that are waited for: a missing header does not come by itself.
  throw new Fault(
    "bad-config",
    `${host} does not hand out the document (status ${answer.status}): give --cluster-info-header-file with the ` +
      "header that it wants",
  );
}

async function loadHeaders(path: string): Promise<Readonly<Record<string, string>>> {
  return parseHeaderFile(await loadText(path));
}

/** An Authorization header with a JWT has some KiB. */
const MAX_CHARACTERS = 16_384;
const MAX_HEADERS = 16;
const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const VALUE = /^[\t\x20-\x7e]*$/;

/** They belong to the connection, and a second one would let two readers disagree about where a message ends. */
const RESERVED: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "host",
  "te",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Headers for the document's URL, one `Name: value` a line, as curl's `-H @file`; names in lower case. Empty lines and
 * lines that begin with # are skipped. Fault `malformed` or `limit-exceeded`, which never repeats a value: they are
 * secrets.
 */
export function parseHeaderFile(text: string): Readonly<Record<string, string>> {
  if (text.length > MAX_CHARACTERS) {
    throw new Fault("limit-exceeded", `header file is longer than ${MAX_CHARACTERS} characters`);
  }
  const headers = new Map<string, string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [name, value] = parseLine(line, index + 1);
    if (headers.has(name)) throw new Fault("malformed", `header file has ${name} twice`);
    headers.set(name, value);
  }
  if (headers.size > MAX_HEADERS) throw new Fault("limit-exceeded", `header file has more than ${MAX_HEADERS} headers`);
  return Object.fromEntries(headers);
}

function parseLine(line: string, number: number): readonly [string, string] {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(colon, 0));
  const value = line.slice(colon + 1).trim();
  if (colon < 0 || !NAME.test(name) || !VALUE.test(value)) {
    throw new Fault("malformed", `line ${number} of the header file is not of the form \`Name: value\``);
  }
  const lower = name.toLowerCase();
  if (RESERVED.has(lower))
    throw new Fault("malformed", `line ${number} of the header file sets ${lower}, which is ours`);
  return [lower, value];
}
