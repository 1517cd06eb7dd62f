// A cluster-info document from an https URL that this machine's roots vouch for (seed 004, "Method: HTTPS endpoint"). Unlike
// an API server's, its host may redirect: a document store moves its files around. Then each hop must be https, and the
// headers stay behind as soon as the host is another one, because they are meant for the first.

import { parseUtf8 } from "../../../kernel/bytes/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { loadText } from "../../../platform/files/index.ts";
import { getHttps, type HttpsAnswer, loadSystemRoots } from "../../../platform/http/index.ts";
import type { DiscoveredCluster } from "../cluster.ts";
import type { DiscoverDeps } from "../deps.ts";
import { parseDocumentUrl, type UrlMethod } from "../method.ts";
import { faultOf, isRefusedAnswer } from "../read-cluster-info.ts";
import { untrusted } from "../refuse.ts";
import { parseHeaderFile } from "./headers.ts";
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
