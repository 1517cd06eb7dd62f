// A found cluster as the cache keeps it: the cluster, and every way back to it ("Client caching and update" of the
// super simple discovery API). No secret is in it: neither the token nor a user's credential. Pure. The file may be
// damaged, so limits apply.

import { isClusterId } from "../../../api/kubeconfig/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { DiscoveredCluster } from "../cluster.ts";
import type { DiscoveryMethod } from "../method.ts";

const API_VERSION = "countersign.dev/v1alpha1";
const KIND = "DiscoveryCache";
/** A document and its roots once more, with room for JSON's escapes. */
const MAX_CHARACTERS = 1_048_576;
const MAX_LIST = 64;

/** How the cluster was found the first time: what of it can be used again without a secret. */
export type CachedWay =
  | { readonly kind: "token"; readonly addresses: readonly string[]; readonly caPins: readonly string[] }
  | { readonly kind: "file"; readonly path: string; readonly caPins: readonly string[] }
  | {
      readonly kind: "url";
      readonly url: string;
      readonly headerFile?: string | undefined;
      readonly caPins: readonly string[];
    };

export interface CachedDiscovery {
  readonly cluster: DiscoveredCluster;
  readonly way: CachedWay;
  /** When the document last changed, and when it was last confirmed. */
  readonly foundMs: number;
  readonly confirmedMs: number;
}

export function wayOf(method: DiscoveryMethod): CachedWay {
  const { caPins } = method;
  if (method.kind === "token") return { kind: "token", addresses: method.addresses, caPins };
  if (method.kind === "file") return { kind: "file", path: method.path, caPins };
  return { kind: "url", url: method.url, headerFile: method.headerFile, caPins };
}

export function encodeCache({ cluster, way, foundMs, confirmedMs }: CachedDiscovery): string {
  const value = {
    apiVersion: API_VERSION,
    kind: KIND,
    found: new Date(foundMs).toISOString(),
    confirmed: new Date(confirmedMs).toISOString(),
    way,
    cluster: {
      clusterID: cluster.clusterId,
      server: cluster.server,
      servers: cluster.servers,
      tlsServerName: cluster.tlsServerName,
      trustSystemRoots: cluster.usesSystemRoots,
      roots: cluster.documentCaPem,
      document: cluster.kubeconfigText,
    },
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** Without the machine's roots, which the caller adds. Fault `malformed` or `limit-exceeded`. */
export function parseCache(text: string): CachedDiscovery {
  if (text.length > MAX_CHARACTERS) {
    throw new Fault("limit-exceeded", `discovery cache is longer than ${MAX_CHARACTERS} characters`);
  }
  const root = record(parseJson(text), "discovery cache");
  if (root["apiVersion"] !== API_VERSION || root["kind"] !== KIND) {
    throw new Fault("malformed", `discovery cache is not a ${KIND} of ${API_VERSION}`);
  }
  return {
    cluster: parseCluster(record(root["cluster"], "cluster")),
    way: parseWay(record(root["way"], "way")),
    foundMs: time(root, "found"),
    confirmedMs: time(root, "confirmed"),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function parseCluster(fields: Fields): DiscoveredCluster {
  const clusterId = optionalText(fields, "clusterID");
  if (clusterId !== undefined && !isClusterId(clusterId)) throw wrong("clusterID", "a cluster's id");
  if (typeof fields["trustSystemRoots"] !== "boolean") throw wrong("trustSystemRoots", "true or false");
  const roots = requiredText(fields, "roots");
  if (roots === "" && !fields["trustSystemRoots"]) throw wrong("roots", "at least one certificate");
  return {
    server: httpsUrl(fields["server"], "server"),
    servers: list(fields, "servers").map((server) => httpsUrl(server, "servers")),
    caPem: roots,
    documentCaPem: roots,
    usesSystemRoots: fields["trustSystemRoots"],
    anchorsPem: roots,
    clusterId,
    tlsServerName: optionalText(fields, "tlsServerName"),
    kubeconfigText: requiredText(fields, "document"),
    user: undefined,
  };
}

function parseWay(fields: Fields): CachedWay {
  const caPins = list(fields, "caPins");
  if (fields["kind"] === "token") {
    return { kind: "token", addresses: list(fields, "addresses").map((each) => httpsUrl(each, "addresses")), caPins };
  }
  if (fields["kind"] === "file") return { kind: "file", path: requiredText(fields, "path"), caPins };
  if (fields["kind"] !== "url") throw wrong("kind", "token, file or url");
  return {
    kind: "url",
    url: httpsUrl(fields["url"], "url"),
    headerFile: optionalText(fields, "headerFile"),
    caPins,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault("malformed", "discovery cache is not JSON", { cause });
  }
}

function record(value: unknown, name: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(name, "an object");
  return value as Fields;
}

function requiredText(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string") throw wrong(name, "a text");
  return value;
}

function optionalText(fields: Fields, name: string): string | undefined {
  return fields[name] === undefined ? undefined : requiredText(fields, name);
}

function list(fields: Fields, name: string): readonly string[] {
  const value = fields[name];
  const isList = Array.isArray(value) && value.length <= MAX_LIST && value.every((item) => typeof item === "string");
  if (!isList) throw wrong(name, `a list of at most ${MAX_LIST} texts`);
  return value as string[];
}

function httpsUrl(value: unknown, name: string): string {
  const isHttps = typeof value === "string" && URL.canParse(value) && new URL(value).protocol === "https:";
  if (!isHttps) throw wrong(name, "an https URL");
  return value;
}

function time(fields: Fields, name: string): number {
  const ms = Date.parse(requiredText(fields, name));
  if (Number.isNaN(ms)) throw wrong(name, "a time");
  return ms;
}

function wrong(name: string, expected: string): Fault {
  return new Fault("malformed", `discovery cache field ${name} is not ${expected}`);
}
