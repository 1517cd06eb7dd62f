// What an API server serves, as its discovery says. Only an answer that says so is absence: a caller that may not ask,
// gets no answer, or is shown the page of a proxy, knows nothing, and hears why.

import type { Resource } from "../../api/meta/index.ts";
import { parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { faultFromResponse, type KubeClient } from "../../platform/kube/index.ts";

export type Discovering = Pick<KubeClient, "raw">;

interface ServedKind {
  /** Its plural: the word of its paths. */
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Some 200 bytes for each kind and subresource: a group of a hundred kinds stays far below. */
const MAX_BYTES = 1024 * 1024;
/** Ten times such a group, each kind with two subresources. */
const MAX_KINDS = 3_000;
/** Groups are DNS names, versions words: an object that names one must not choose another path by it. */
const GROUP = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const VERSION = /^v[0-9][a-z0-9]{0,62}$/;

/**
 * The kinds of one version of a group, without subresources; undefined where the server says that there is no such
 * version.
 */
export async function listServed(
  client: Discovering,
  { group, version }: Pick<Resource, "group" | "version">,
  signal?: AbortSignal,
): Promise<readonly ServedKind[] | undefined> {
  if (!VERSION.test(version)) throw new Fault("malformed", `${JSON.stringify(version)} is no version of an API`);
  const path = `${pathOf(group)}/${version}`;
  const answer = await getIfServed(client, path, signal);
  return answer === undefined ? undefined : readKinds(answer["resources"] ?? [], path);
}

/** Undefined where the server says that there is no such group. */
export async function getPreferredVersion(
  client: Discovering,
  group: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const path = pathOf(group);
  const answer = await getIfServed(client, path, signal);
  if (answer === undefined) return undefined;
  const preferred = answer["preferredVersion"];
  if (isFields(preferred) && typeof preferred["version"] === "string") return preferred["version"];
  throw new Fault("malformed", `${path} must answer with a preferred version`);
}

function pathOf(group: string): string {
  if (GROUP.test(group)) return `/apis/${group}`;
  throw new Fault("malformed", `${JSON.stringify(group)} is no group of an API`);
}

type Fields = Readonly<Record<string, unknown>>;

async function getIfServed(client: Discovering, path: string, signal?: AbortSignal): Promise<Fields | undefined> {
  const { status, body } = await client.raw("GET", path, { signal });
  if (body.length > MAX_BYTES) throw new Fault("limit-exceeded", `${path} answers with more than ${MAX_BYTES} bytes`);
  if (status === 200) return parseFields(body, path);
  const isPage = body.subarray(0, PAGE_START_BYTES).toString("latin1").trimStart().startsWith("<");
  // API servers answer with objects or plain text: a page says that something before them could not reach one.
  if (status === 404 && !isPage) return undefined;
  throw refused(path, status, isPage ? "" : body.toString("utf8"));
}

/** White space before a page's first tag is a line or two. */
const PAGE_START_BYTES = 64;

function refused(path: string, status: number, body: string): Fault {
  const cause = faultFromResponse({ method: "GET", status, body });
  const code = status === 404 ? "unavailable" : cause.code;
  return new Fault(code, `what ${path} serves could not be read: ${cause.message}`, { cause, detail: { status } });
}

function parseFields(body: Uint8Array, path: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(parseUtf8(body));
  } catch (cause) {
    throw new Fault("malformed", `${path} must answer with JSON`, { cause });
  }
  if (isFields(value)) return value;
  throw new Fault("malformed", `${path} must answer with an object`);
}

function readKinds(resources: unknown, path: string): readonly ServedKind[] {
  if (!Array.isArray(resources)) throw new Fault("malformed", `${path} must answer with a list of resources`);
  if (resources.length > MAX_KINDS) throw new Fault("limit-exceeded", `${path} names more than ${MAX_KINDS} resources`);
  return resources.filter(isServedKind);
}

function isServedKind(value: unknown): value is ServedKind {
  if (!isFields(value)) return false;
  const { name, kind, namespaced } = value;
  const isWhole = typeof name === "string" && typeof kind === "string" && typeof namespaced === "boolean";
  return isWhole && !name.includes("/");
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
