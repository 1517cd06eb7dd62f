// The kubeconfig file as values. Lists of named entries, as on disk.

import { Fault } from "../../kernel/outcome/index.ts";

interface ExecEnv {
  readonly name: string;
  readonly value: string;
}

export interface ExecUser {
  readonly apiVersion: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: readonly ExecEnv[] | null;
  readonly interactiveMode?: string;
  readonly provideClusterInfo?: boolean;
  readonly installHint?: string;
}

export interface KubeconfigCluster {
  readonly server: string;
  readonly "certificate-authority"?: string;
  readonly "certificate-authority-data"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "tls-server-name"?: string;
  readonly "proxy-url"?: string;
  readonly extensions?: readonly { readonly name: string; readonly extension: unknown }[];
}

export interface KubeconfigUser {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly "client-certificate"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key"?: string;
  readonly "client-key-data"?: string;
  readonly username?: string;
  readonly password?: string;
  readonly exec?: ExecUser;
}

interface KubeconfigContext {
  readonly cluster: string;
  readonly user: string;
  readonly namespace?: string;
}

export interface Kubeconfig {
  readonly clusters: readonly { readonly name: string; readonly cluster: KubeconfigCluster }[];
  readonly users: readonly { readonly name: string; readonly user: KubeconfigUser }[];
  readonly contexts: readonly { readonly name: string; readonly context: KubeconfigContext }[];
  readonly currentContext: string;
}

/** One way to one cluster: what a client needs, chosen from a kubeconfig. */
interface KubeconfigSelection {
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser | undefined;
  readonly namespace: string | undefined;
}

// Which cluster and user a kubeconfig means: its current context, or the one that was asked for.

export function selectContext(config: Kubeconfig, contextName = config.currentContext): KubeconfigSelection {
  const found = config.contexts.find(({ name }) => name === contextName);
  if (found === undefined) {
    throw new Fault("bad-config", `kubeconfig has no context named ${JSON.stringify(contextName)}`);
  }
  const cluster = config.clusters.find(({ name }) => name === found.context.cluster);
  if (cluster === undefined) {
    throw new Fault("bad-config", `kubeconfig has no cluster named ${JSON.stringify(found.context.cluster)}`);
  }
  const user = config.users.find(({ name }) => name === found.context.user);
  return { cluster: cluster.cluster, user: user?.user, namespace: found.context.namespace };
}
