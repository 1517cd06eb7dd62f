// The things the controller follows, each read once and shared by all features. The selectors ask for no more than
// deploy/controller-rbac.yaml grants.

import { TOKEN_NAMESPACE, TOKEN_SECRET_TYPE } from "../api/bootstrap/index.ts";
import { type CertificateSigningRequest, isDecided } from "../api/certificates/index.ts";
import type { ConfigMap, Node, Secret } from "../api/core/index.ts";
import { CONFIG_MAPS, CSRS, NODES, SECRETS } from "../api/meta/index.ts";
import { createInformer, type Informer, type InformerOptions, type KubeClient } from "../platform/kube/index.ts";
import { CLUSTER_INFO_NAME, CLUSTER_INFO_NAMESPACE } from "./clusterinfo/index.ts";
import { createIdentities, type Identities } from "./identities/known.ts";
import { ATTESTED_REQUESTS, attestedKeys } from "./identities/overflow.ts";
import { namesOf } from "./judging/facts.ts";
import { OPEN_HELLOS, openHelloKeys } from "./judging/tidy.ts";
import {
  type ClusterName,
  createMachinePools,
  createMachines,
  type MachinePools,
  type Machines,
} from "./machines/index.ts";
import { createPolicies, type Policies } from "./policy/index.ts";

export interface Informers {
  readonly csrs: Informer<CertificateSigningRequest>;
  readonly nodes: Informer<Node>;
  readonly clusterInfo: Informer<ConfigMap>;
  readonly tokens: Informer<Secret>;
  /** These four follow kinds that may not be served. */
  readonly policies: Policies;
  readonly machines: Machines;
  readonly pools: MachinePools;
  readonly identities: Identities;
}

/** Undecided requests by their requester. */
export const PENDING_BY_REQUESTER = "pending-by-requester";

/** Nodes by the provider ID that they say of themselves. */
export const NODES_BY_PROVIDER = "by-provider";

/** Nodes by each of their names and addresses, in canonical form. */
export const NODES_BY_ADDRESS = "by-address";

type InformerWorld = Pick<InformerOptions, "clock" | "random" | "log">;

/** Which requests are ours; where Machines and identities are, and which of them are this cluster's. */
interface Management {
  readonly signers: readonly string[];
  /** Left out: the cluster of the requests. */
  readonly management?: KubeClient | undefined;
  /** Left out: there are those of one cluster, or a policy says which. */
  readonly cluster?: ClusterName | undefined;
}

export function createInformers(
  client: KubeClient,
  world: InformerWorld,
  { signers, management = client, cluster }: Management,
): Informers {
  return {
    csrs: createInformer(client, CSRS, {
      ...world,
      indexes: {
        [PENDING_BY_REQUESTER]: pendingRequester,
        [OPEN_HELLOS]: openHelloKeys(signers),
        [ATTESTED_REQUESTS]: attestedKeys,
      },
    }),
    nodes: createInformer(client, NODES, {
      ...{ ...world, keep: keepOfNode },
      indexes: { [NODES_BY_ADDRESS]: namesOfNode, [NODES_BY_PROVIDER]: providerOfNode },
    }),
    clusterInfo: createInformer(client, CONFIG_MAPS, {
      ...world,
      namespace: CLUSTER_INFO_NAMESPACE,
      fieldSelector: `metadata.name=${CLUSTER_INFO_NAME}`,
    }),
    tokens: createInformer(client, SECRETS, {
      ...world,
      namespace: TOKEN_NAMESPACE,
      fieldSelector: `type=${TOKEN_SECRET_TYPE}`,
    }),
    // Beside the requests that they are about: their status names bindings of this cluster and of no other.
    policies: createPolicies(client, world),
    machines: createMachines(management, world, cluster),
    pools: createMachinePools(management, world, cluster),
    identities: createIdentities(management, world, cluster),
  };
}

function pendingRequester(csr: CertificateSigningRequest): readonly string[] {
  return isDecided(csr) ? [] : [csr.spec.username ?? ""];
}

function namesOfNode({ metadata, status }: Node): readonly string[] {
  return [...namesOf([...(status?.addresses ?? []), { type: "Hostname", address: metadata.name ?? "" }])];
}

function providerOfNode({ spec }: Node): readonly string[] {
  return spec?.providerID === undefined ? [] : [spec.providerID];
}

/** A Node is some 10 KB, most of it images and conditions that change with every heartbeat; rules ask for these. */
function keepOfNode({ apiVersion, kind, metadata, spec, status }: Node): Node {
  const { name = "", uid = "", resourceVersion = "", creationTimestamp = "", labels = {}, annotations = {} } = metadata;
  const kept = { name, uid, resourceVersion, creationTimestamp, labels, annotations };
  return {
    apiVersion,
    kind,
    metadata:
      metadata.deletionTimestamp === undefined ? kept : { ...kept, deletionTimestamp: metadata.deletionTimestamp },
    ...(spec?.providerID === undefined ? {} : { spec: { providerID: spec.providerID } }),
    ...(status?.addresses === undefined ? {} : { status: { addresses: status.addresses } }),
  };
}
