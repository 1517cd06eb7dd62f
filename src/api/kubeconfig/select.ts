// Which cluster and user a kubeconfig means: its current context, or the one that was asked for.

import { Fault } from "../../kernel/outcome/index.ts";
import type { Kubeconfig, KubeconfigSelection } from "./types.ts";

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
