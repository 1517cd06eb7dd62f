// The ways to find a cluster ("Methods" of the super simple discovery API), read from its flags and those of `kubeadm
// join`. Pure: one reader of these flags for every command.

import { type BootstrapToken, parseToken } from "../../api/bootstrap/index.ts";
import { isClusterId } from "../../api/kubeconfig/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { parseEndpoints } from "./endpoint.ts";
import { parseCaPin } from "./roots.ts";

interface AnyMethod {
  /** The cluster that must be found, and no other. */
  readonly clusterId?: string | undefined;
}

export interface TokenMethod extends AnyMethod {
  readonly kind: "token";
  /** `https://host:port`, in the order to try. */
  readonly addresses: readonly string[];
  readonly token: BootstrapToken;
  /** Canonical pins. Without any, a holder of the token can pose as the cluster. */
  readonly caPins: readonly string[];
}

export interface FileMethod extends AnyMethod {
  readonly kind: "file";
  /** `-` is standard input. */
  readonly path: string;
  /** A file with an identity in kubeadm's forms (client certificate, exec plugin) is taken with it, not refused. */
  readonly withCredentials: boolean;
  readonly caPins: readonly string[];
}

export interface UrlMethod extends AnyMethod {
  readonly kind: "url";
  readonly url: string;
  /** A file with the headers that the URL needs, one `Name: value` a line. */
  readonly headerFile?: string | undefined;
  readonly withCredentials: boolean;
  readonly caPins: readonly string[];
}

export type DiscoveryMethod = TokenMethod | FileMethod | UrlMethod;

/** The values of the command line, each under its flag. */
export interface DiscoveryWords {
  /** Host, host:port, IPv6 address or https URL; several with commas between them. */
  readonly address?: string | undefined;
  /** `--token`, or what `--token-file` held. */
  readonly token?: string | undefined;
  /** kubeadm: the token for discovery alone; the other is then for the identity alone. */
  readonly discoveryToken?: string | undefined;
  /** `--ca-cert-hash` and `--discovery-token-ca-cert-hash`. */
  readonly caCertHashes?: readonly string[] | undefined;
  readonly clusterInfoFile?: string | undefined;
  readonly clusterInfoUrl?: string | undefined;
  readonly clusterInfoHeaderFile?: string | undefined;
  /** kubeadm: a path or an https URL. */
  readonly discoveryFile?: string | undefined;
  readonly withCredentials?: boolean | undefined;
  readonly clusterId?: string | undefined;
}

/** Fault `bad-config` when the flags name no way or more than one. */
export function parseDiscoveryMethod(words: DiscoveryWords): DiscoveryMethod {
  const method = findDiscoveryMethod(words);
  if (method !== undefined) return method;
  throw new Fault(
    "bad-config",
    "no way to find the cluster: give --token and an address, --cluster-info-file or --cluster-info-url",
  );
}

/** As above, but undefined when no way is named. */
export function findDiscoveryMethod(words: DiscoveryWords): DiscoveryMethod | undefined {
  const asked = [fileOf(words), urlOf(words), kubeadmFileOf(words)].flatMap((method) => method ?? []);
  if (asked.length > 1) throw tooMany("--cluster-info-file, --cluster-info-url and --discovery-file");
  const [document] = asked;
  // `--token` beside a document is the identity's, as in kubeadm; an address or a discovery token is a second way.
  if (document !== undefined) {
    if (words.discoveryToken !== undefined) throw tooMany("a discovery token and a document");
    if (words.address !== undefined) throw tooMany("an address and a document");
    return document;
  }
  if (words.clusterInfoHeaderFile !== undefined) {
    throw new Fault("bad-config", "--cluster-info-header-file needs --cluster-info-url");
  }
  return tokenOf(words);
}

function tokenOf(words: DiscoveryWords): TokenMethod | undefined {
  const token = words.discoveryToken ?? words.token;
  if (words.address === undefined && words.discoveryToken === undefined) return undefined;
  if (words.address === undefined) throw new Fault("bad-config", "a token needs the address of an API server");
  if (token === undefined) throw new Fault("bad-config", "an address needs a token: give --token-file or --token");
  return { kind: "token", addresses: parseEndpoints(words.address), token: parseToken(token), ...expected(words) };
}

function fileOf(words: DiscoveryWords): FileMethod | undefined {
  const path = words.clusterInfoFile;
  if (path === undefined) return undefined;
  return { kind: "file", path, withCredentials: words.withCredentials ?? false, ...expected(words) };
}

function urlOf(words: DiscoveryWords): UrlMethod | undefined {
  if (words.clusterInfoUrl === undefined) return undefined;
  return {
    kind: "url",
    url: parseDocumentUrl(words.clusterInfoUrl),
    headerFile: words.clusterInfoHeaderFile,
    withCredentials: words.withCredentials ?? false,
    ...expected(words),
  };
}

/** kubeadm takes a URL in the same flag. */
function kubeadmFileOf(words: DiscoveryWords): FileMethod | UrlMethod | undefined {
  const { discoveryFile: text, ...others } = words;
  if (text === undefined) return undefined;
  return text.includes("://")
    ? urlOf({ ...others, clusterInfoUrl: text })
    : fileOf({ ...others, clusterInfoFile: text });
}

/** A document's address may have a query, and even a password: neither is repeated in a message. */
export function parseDocumentUrl(text: string): string {
  const url = text.length <= URL_MAX_CHARACTERS && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new Fault("bad-config", "the URL of the cluster-info document cannot be read");
  if (url.protocol !== "https:") {
    throw new Fault("bad-config", `the cluster-info document at ${url.host} is not https: anybody could change it`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new Fault("bad-config", "the URL carries a password; put an Authorization header into a file instead");
  }
  url.hash = "";
  return url.href;
}

/** What proxies and servers take without thinking. */
const URL_MAX_CHARACTERS = 2_048;

function expected({ clusterId, caCertHashes = [] }: DiscoveryWords) {
  if (clusterId !== undefined && !isClusterId(clusterId)) {
    throw new Fault("bad-config", `cluster id ${JSON.stringify(clusterId)} is not one that a cluster can have`);
  }
  return { caPins: caCertHashes.map(parseCaPin), clusterId };
}

function tooMany(what: string): Fault {
  return new Fault("bad-config", `more than one way to find the cluster: ${what} exclude each other`);
}
