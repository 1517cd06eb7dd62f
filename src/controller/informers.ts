// The four things the controller follows, each read once and shared by all features. The selectors ask for no more than
// deploy/controller-rbac.yaml grants.

import { TOKEN_NAMESPACE, TOKEN_SECRET_TYPE } from "../api/bootstrap/index.ts";
import type { CertificateSigningRequest } from "../api/certificates/index.ts";
import type { ConfigMap, Node, Secret } from "../api/core/index.ts";
import { CONFIG_MAPS, CSRS, NODES, SECRETS } from "../api/meta/index.ts";
import { createInformer, type Informer, type InformerOptions, type KubeClient } from "../platform/kube/index.ts";
import { CLUSTER_INFO_NAME, CLUSTER_INFO_NAMESPACE } from "./clusterinfo/index.ts";

export interface Informers {
  readonly csrs: Informer<CertificateSigningRequest>;
  readonly nodes: Informer<Node>;
  readonly clusterInfo: Informer<ConfigMap>;
  readonly tokens: Informer<Secret>;
}

export function createInformers(client: KubeClient, options: InformerOptions): Informers {
  return {
    csrs: createInformer(client, CSRS, options),
    nodes: createInformer(client, NODES, options),
    clusterInfo: createInformer(client, CONFIG_MAPS, {
      ...options,
      namespace: CLUSTER_INFO_NAMESPACE,
      fieldSelector: `metadata.name=${CLUSTER_INFO_NAME}`,
    }),
    tokens: createInformer(client, SECRETS, {
      ...options,
      namespace: TOKEN_NAMESPACE,
      fieldSelector: `type=${TOKEN_SECRET_TYPE}`,
    }),
  };
}
