// Is this kubeconfig a cluster-info document, and which cluster does it name? ("Cluster Location information" of the
// super simple discovery API: one unnamed cluster, nothing else, no secrets.) Pure. The rules, in order; the first that
// does not hold is the answer:
//   document-is-a-kubeconfig · document-names-one-cluster · document-carries-no-credentials ·
//   document-carries-nothing-else · server-is-https · document-needs-no-proxy · location-is-readable · ca-is-given ·
//   cluster-is-the-expected-one · ca-is-pinned

import {
  type ClusterLocation,
  type Kubeconfig,
  type KubeconfigCluster,
  type KubeconfigUser,
  parseKubeconfig,
  readClusterLocation,
} from "../../../api/kubeconfig/index.ts";
import { type Allow, allow, type Deny, type Fault, isFault } from "../../../kernel/outcome/index.ts";
import { type Certificate, readCertificates } from "../../../kernel/x509/index.ts";
import { type DiscoveredCluster, refuse } from "../cluster.ts";
import { caPinOf, encodeBundle, mergeBundles } from "../roots.ts";

/**
 * One cluster with some CA certificates. The text is not trusted yet, and parsing YAML takes time that grows faster
 * than its length.
 */
export const DOCUMENT_MAX_CHARACTERS = 131_072;

export interface DocumentFacts {
  readonly text: string;
  /** How messages call it: `the signed document`, `the file x`. */
  readonly what: string;
  /** Canonical pins; none means that whatever proved the document proves its CA. */
  readonly caPins: readonly string[];
  readonly clusterId?: string | undefined;
  /**
   * A text that a token's signature vouches for must be of apiVersion v1 and kind Config: other signed texts are not.
   */
  readonly isSigned?: boolean | undefined;
  /** For a file of the user's own, and when the user asked for it. */
  readonly withCredentials?: boolean | undefined;
  /** What `certificate-authority` of a file of the user's own points to. A document from elsewhere may not point. */
  readonly caFilePem?: string | undefined;
}

type DocumentVerdict = (Allow & { readonly cluster: DiscoveredCluster }) | Deny;

export function judgeDocument(facts: DocumentFacts): DocumentVerdict {
  const rules = { maxCharacters: DOCUMENT_MAX_CHARACTERS, isTyped: facts.isSigned };
  const config = orFault(() => parseKubeconfig(facts.text, rules));
  if (isFault(config)) {
    return refuse("document-is-a-kubeconfig", `${facts.what} is not a kubeconfig: ${config.message}`);
  }
  const chosen = chooseEntries(config, facts);
  if ("kind" in chosen) return chosen;
  return judgeEntry(facts, chosen.cluster, chosen.user);
}

function judgeEntry(facts: DocumentFacts, entry: KubeconfigCluster, user: KubeconfigUser | undefined): DocumentVerdict {
  const { what } = facts;
  if (!isHttps(entry.server) || entry["insecure-skip-tls-verify"] === true) {
    return refuse("server-is-https", `${what} does not name an https server whose certificate is verified`);
  }
  if (entry["proxy-url"]) {
    return refuse("document-needs-no-proxy", `${what} sends everything through a proxy, which is not supported`);
  }
  const location = orFault(() => readClusterLocation(entry));
  if (isFault(location)) return refuse("location-is-readable", `${what} cannot be used: ${location.message}`);
  const roots = readRoots(facts, entry, location);
  if (roots === undefined) {
    return refuse("ca-is-given", `${what} has no readable CA certificate in certificate-authority-data`);
  }
  return judgeFound(facts, { entry, user, location, roots });
}

interface Found {
  readonly entry: KubeconfigCluster;
  readonly user: KubeconfigUser | undefined;
  readonly location: ClusterLocation;
  readonly roots: readonly Certificate[];
}

function judgeFound(facts: DocumentFacts, { entry, user, location, roots }: Found): DocumentVerdict {
  const { what, caPins, clusterId } = facts;
  if (clusterId !== undefined && location.clusterId !== clusterId) {
    return refuse(
      "cluster-is-the-expected-one",
      `${what} is of the cluster ${location.clusterId ?? "without an id"}, expected ${clusterId}: another cluster took ` +
        "its address, or it was made anew; discover it again with a token of its own",
    );
  }
  const pinned = roots.filter((root) => caPins.includes(caPinOf(root)));
  if (caPins.length > 0 && pinned.length === 0) return refusePins(what, roots);
  const documentCaPem = encodeBundle(roots);
  return {
    ...allow({ rule: "ca-is-pinned", reason: "Trusted", message: `${what} names a cluster and whom to trust there` }),
    cluster: {
      server: location.servers[0] ?? entry.server,
      servers: location.servers,
      caPem: documentCaPem,
      documentCaPem,
      usesSystemRoots: caPins.length === 0 && (location.trustSystemRoots || roots.length === 0),
      anchorsPem: encodeBundle(caPins.length > 0 ? pinned : roots),
      clusterId: location.clusterId,
      tlsServerName: entry["tls-server-name"] || undefined,
      kubeconfigText: facts.text,
      user,
    },
  };
}

function refusePins(what: string, roots: readonly Certificate[]): Deny {
  const found = roots.length === 0 ? "it leaves the choice to the machine" : `found ${roots.map(caPinOf).join(", ")}`;
  return refuse(
    "ca-is-pinned",
    `no CA of ${what} has a pinned key (${found}): somebody who knows the token poses as the cluster, or its CA was ` +
      "replaced; ask its operator for the pin",
  );
}

/** None is well: the machine's roots decide. Undefined when there is something, and it cannot be read. */
function readRoots(
  facts: DocumentFacts,
  entry: KubeconfigCluster,
  { rootsPem }: ClusterLocation,
): readonly Certificate[] | undefined {
  const isPath = Boolean(entry["certificate-authority"]) && !entry["certificate-authority-data"];
  if (isPath && facts.caFilePem === undefined) return undefined;
  const texts = isPath ? [facts.caFilePem ?? "", ...rootsPem] : rootsPem;
  const bundles = texts.map((text) => readCertificates(text));
  if (bundles.some((bundle) => bundle.length === 0)) return undefined;
  return mergeBundles(bundles);
}

/** What does not parse is refused by the rule that asked for it, so the parser's fault becomes a value. */
function orFault<T>(read: () => T): T | Fault {
  try {
    return read();
  } catch (error) {
    if (isFault(error)) return error;
    throw error;
  }
}

function isHttps(server: unknown): boolean {
  return typeof server === "string" && URL.canParse(server) && new URL(server).protocol === "https:";
}

interface Chosen {
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser | undefined;
}

interface EntryRules {
  readonly what: string;
  readonly withCredentials?: boolean | undefined;
}

/**
 * Which cluster, and which user if any, the document means: one unnamed cluster and nothing else. A user's own file may
 * carry a user, as kubeadm's discovery files do, but only when the caller says so, and only a client certificate or an
 * exec plugin, which are no copyable secrets.
 */
function chooseEntries(config: Kubeconfig, rules: EntryRules): Chosen | Deny {
  return rules.withCredentials === true && config.users.length > 0
    ? chooseWithUser(config, rules.what)
    : chooseUnnamed(config, rules.what);
}

function chooseUnnamed({ clusters, users, contexts, currentContext }: Kubeconfig, what: string): Chosen | Deny {
  const [entry, ...more] = clusters;
  if (entry === undefined || more.length > 0) {
    return refuse(
      "document-names-one-cluster",
      `${what} names ${clusters.length} clusters, expected one; make it with \`countersign discovery kubeconfig\` or ` +
        "take the one that cluster-info holds",
    );
  }
  if (users.length > 0) {
    return refuse(
      "document-carries-no-credentials",
      `${what} carries the credentials of ${users.length} users, which a document that is copied around must not; ` +
        "remove them, or say --with-credentials if they are a certificate or a plugin and meant for this machine",
    );
  }
  if (entry.name !== "" || contexts.length > 0 || currentContext !== "") {
    return refuse(
      "document-carries-nothing-else",
      `${what} has names or contexts beside its cluster, expected one unnamed cluster and nothing else: it is a ` +
        "personal kubeconfig; take the document that cluster-info holds",
    );
  }
  return { cluster: entry.cluster, user: undefined };
}

/** As kubeadm: the unnamed cluster, else that of the current context; the user is always the context's. */
function chooseWithUser(config: Kubeconfig, what: string): Chosen | Deny {
  const context = config.contexts.find(({ name }) => name === config.currentContext)?.context;
  const clusterNamed = (wanted: string | undefined) => config.clusters.find(({ name }) => name === wanted)?.cluster;
  const cluster = clusterNamed("") ?? clusterNamed(context?.cluster);
  if (cluster === undefined) {
    return refuse("document-names-one-cluster", `${what} has no unnamed cluster and no current context that names one`);
  }
  const user = config.users.find(({ name }) => name === context?.user)?.user;
  if (user === undefined || !isKubeadmForm(user)) {
    return refuse(
      "document-carries-no-credentials",
      `${what} carries credentials that are neither a client certificate with its key nor an exec plugin of the ` +
        "current context; tokens and passwords are not taken from a document",
    );
  }
  return { cluster, user };
}

function isKubeadmForm(user: KubeconfigUser): boolean {
  if (user.token || user.tokenFile || user.username || user.password) return false;
  if (user.exec !== undefined) return typeof user.exec.command === "string";
  const hasCertificate = Boolean(user["client-certificate-data"] || user["client-certificate"]);
  return hasCertificate && Boolean(user["client-key-data"] || user["client-key"]);
}
