// Which cluster, and which identity if any, a cluster-info document means. The seed wants one unnamed cluster and nothing
// else. A file of the user's own may carry an identity, as kubeadm's discovery files do, but only when the user says so,
// and only of a kind that is no copyable secret in somebody's notes: a client certificate, or a plugin. Pure.

import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from "../../../api/kubeconfig/index.ts";
import type { Deny } from "../../../kernel/outcome/index.ts";
import { refuse } from "../refuse.ts";

export interface Chosen {
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser | undefined;
}

export interface EntryRules {
  readonly what: string;
  readonly withCredentials?: boolean | undefined;
}

export function chooseEntries(config: Kubeconfig, rules: EntryRules): Chosen | Deny {
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
