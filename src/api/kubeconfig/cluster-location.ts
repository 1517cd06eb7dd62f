// Where a cluster is and whom to trust there, beyond what a kubeconfig can say: a set of addresses, a set of roots, an
// identifier, and the machine's own roots as a choice (super simple discovery API, "Evolving kubeconfig"). It travels
// in an extension of the cluster entry, which every other reader of a kubeconfig skips; they go on with `server` and
// its CA.

import { parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { KubeconfigCluster } from "./types.ts";

const CLUSTER_LOCATION_EXTENSION = "countersign.dev/cluster-location";
const API_VERSION = "countersign.dev/v1alpha1";
const KIND = "ClusterLocation";

/** A control plane has three or five members, some with an inside and an outside name. */
const MAX_SERVERS = 32;
/** A rotation needs two roots at a time; a set that grows for ever is a mistake. */
const MAX_ROOTS = 32;
/** https, a host name of at most 253 characters, a port, a path. */
const SERVER_MAX_CHARACTERS = 512;
/** A UID has 36 characters. */
const CLUSTER_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

export interface ClusterLocation {
  /** Says that it is the same cluster, whatever its addresses and roots have become. */
  readonly clusterId: string | undefined;
  /** Equivalent; tried in this order. The entry's own `server` is among them. */
  readonly servers: readonly string[];
  /** PEM texts: that of `certificate-authority-data`, then those of the extension. */
  readonly rootsPem: readonly string[];
  /** The machine's own roots are trusted too, beside those given. */
  readonly trustSystemRoots: boolean;
}

export function isClusterId(text: string): boolean {
  return CLUSTER_ID.test(text);
}

/** The entry and its extension as one value. Fault `malformed` or `limit-exceeded`, naming the field. */
export function readClusterLocation(cluster: KubeconfigCluster): ClusterLocation {
  const extension = findExtension(cluster);
  const own = cluster["certificate-authority-data"] ?? "";
  const encodedRoots = [...(own === "" ? [] : [own]), ...textList(extension, "certificateAuthorityData", MAX_ROOTS)];
  const listed = textList(extension, "servers", MAX_SERVERS);
  const servers = listed.includes(cluster.server) ? listed : [cluster.server, ...listed];
  const { clusterID: clusterId, trustSystemRoots = false } = extension;
  if (clusterId !== undefined && !(typeof clusterId === "string" && isClusterId(clusterId))) {
    throw new Fault("malformed", "clusterID is not 1 to 128 letters, digits, dots, colons, dashes or underscores");
  }
  if (typeof trustSystemRoots !== "boolean") throw new Fault("malformed", "trustSystemRoots is not true or false");
  return {
    clusterId,
    servers: [...new Set(servers.map(parseServer))],
    rootsPem: encodedRoots.map(parseRoot),
    trustSystemRoots,
  };
}

export interface ClusterLocationExtension {
  readonly clusterId?: string | undefined;
  readonly servers?: readonly string[] | undefined;
  /** Base64 of PEM, as `certificate-authority-data`. */
  readonly certificateAuthorityData?: readonly string[] | undefined;
  readonly trustSystemRoots?: boolean | undefined;
}

/** For `extensions` of a cluster entry. */
export function clusterLocationExtension(location: ClusterLocationExtension): { name: string; extension: unknown } {
  const { clusterId, servers, certificateAuthorityData, trustSystemRoots } = location;
  return {
    name: CLUSTER_LOCATION_EXTENSION,
    extension: {
      apiVersion: API_VERSION,
      kind: KIND,
      ...(clusterId === undefined ? {} : { clusterID: clusterId }),
      ...(servers === undefined ? {} : { servers }),
      ...(certificateAuthorityData === undefined ? {} : { certificateAuthorityData }),
      ...(trustSystemRoots === true ? { trustSystemRoots } : {}),
    },
  };
}

interface Extension {
  readonly clusterID?: unknown;
  readonly servers?: unknown;
  readonly certificateAuthorityData?: unknown;
  readonly trustSystemRoots?: unknown;
}

/** Of a later version nothing is read: its fields may mean something else. */
function findExtension({ extensions }: KubeconfigCluster): Extension {
  if (extensions === undefined || extensions === null) return {};
  if (!Array.isArray(extensions)) throw new Fault("malformed", "extensions is not a list");
  const found = extensions.filter((entry: unknown) => fieldOf(entry, "name") === CLUSTER_LOCATION_EXTENSION);
  if (found.length > 1) throw new Fault("malformed", `the extension ${CLUSTER_LOCATION_EXTENSION} is there twice`);
  const extension = fieldOf(found[0], "extension");
  const isOurs = fieldOf(extension, "apiVersion") === API_VERSION && fieldOf(extension, "kind") === KIND;
  return isOurs ? (extension as Extension) : {};
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function textList(extension: Extension, field: "servers" | "certificateAuthorityData", max: number): string[] {
  const value = extension[field] ?? [];
  if (!Array.isArray(value) || value.some((item) => typeof item !== "string")) {
    throw new Fault("malformed", `${field} is not a list of texts`);
  }
  if (value.length > max) throw new Fault("limit-exceeded", `${field} has more than ${max} entries`);
  return value as string[];
}

function parseServer(text: unknown): string {
  if (typeof text !== "string" || text.length > SERVER_MAX_CHARACTERS || !URL.canParse(text)) {
    throw new Fault("malformed", "a server is not a URL");
  }
  const { protocol, username, password } = new URL(text);
  if (protocol !== "https:" || username !== "" || password !== "") {
    throw new Fault("malformed", "a server is not a plain https URL");
  }
  return text;
}

function parseRoot(base64: string): string {
  try {
    return parseUtf8(parseBase64(base64.replace(/\s/g, "")));
  } catch (cause) {
    if (!isFault(cause)) throw cause;
    throw new Fault("malformed", "certificate-authority-data is not base64 of a text", { cause });
  }
}
