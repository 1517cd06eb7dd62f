// Registration with Cluster API: the infrastructure object of this cluster's Cluster says which signers its machines
// shall ask, in its status where the definition has the fields, else in annotations. Where Cluster API is not there, or
// the right is missing (deploy/registration-rbac.yaml), nothing is registered.

import { CLUSTER_RESOURCES, type InfrastructureRef, readInfrastructureRef } from "../../api/foreign/index.ts";
import type { KubeObject, Resource } from "../../api/meta/index.ts";
import { signerParts } from "../../attestation/rules/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { KubeClient, ListOptions } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";
import { type ClusterName, requireOneNamespace } from "../machines/index.ts";
import { type Discovering, getPreferredVersion, listServed } from "../served/index.ts";

interface RegistrationOptions {
  /** Where the Clusters are. */
  readonly management: Pick<KubeClient, "get" | "list" | "patch" | "raw">;
  readonly log: Log;
  /** The name of this cluster's Cluster. Left out: the only one there is. */
  readonly clusterName: string | undefined;
  /** Its namespace. Left out: whichever. */
  readonly clusterNamespace?: string | undefined;
  readonly signers: AdvertisedSigners | undefined;
}

/** One look; writes only what is not said yet. */
export type Registration = () => Promise<void>;

export function createRegistration(options: RegistrationOptions): Registration {
  const { management, log, signers } = options;
  /** Uids of objects whose definition dropped the fields: their status is not written again and again. */
  const pruning = new Set<string>();
  let said = "";

  async function write(resource: Resource, infra: InfraCluster, wanted: AdvertisedSigners): Promise<void> {
    const { name = "", namespace, uid = "" } = infra.metadata;
    const target = { name, ...(namespace === undefined ? {} : { namespace }) };
    if (!pruning.has(uid)) {
      if (isInStatus(infra, wanted) || (await writeStatus(management, resource, { target, wanted }))) return;
      pruning.add(uid);
    }
    if (isAnnotated(infra, wanted)) return;
    await management.patch(resource, target, annotationPatch(wanted), { type: "merge" });
    log.info("signers registered", { kind: resource.kind, name, namespace, by: "annotations" });
  }

  async function register(wanted: AdvertisedSigners): Promise<void> {
    const cluster = await findCluster(management, { name: options.clusterName, namespace: options.clusterNamespace });
    const ref = cluster === undefined ? undefined : readInfrastructureRef(cluster);
    if (ref === undefined) return;
    const resource = await discover(management, ref);
    const { name, namespace } = ref;
    await write(resource, await management.get<InfraCluster>(resource, { name, namespace }), wanted);
  }

  return async () => {
    if (signers === undefined) return;
    try {
      await register(signers);
      said = "";
    } catch (error) {
      if (!isFault(error)) throw error;
      if (error.message !== said) log.warn("signers are not registered with Cluster API", { error });
      said = error.message;
    }
  };
}

interface StatusWrite {
  readonly target: { readonly name: string; readonly namespace?: string };
  readonly wanted: AdvertisedSigners;
}

/** False where the definition has no such fields, or no status of its own. */
async function writeStatus(
  management: RegistrationOptions["management"],
  resource: Resource,
  { target, wanted }: StatusWrite,
): Promise<boolean> {
  try {
    const subresource = { ...target, subresource: "status" };
    const answer = await management.patch<InfraCluster>(resource, subresource, statusPatch(wanted), { type: "merge" });
    return isInStatus(answer, wanted);
  } catch (error) {
    // Strict definitions, missing subresource, a right for the object and not for its status.
    if (isFault(error, "invalid") || isFault(error, "not-found") || isFault(error, "forbidden")) return false;
    throw error;
  }
}

// The Cluster of Cluster API that this cluster is. A name that Clusters of several namespaces have is none's: at the
// start that ends the controller, and later whatever asks.
type Lister = Pick<KubeClient, "list">;

/** Left out: whichever. */
interface ClusterQuery {
  readonly name: string | undefined;
  readonly namespace?: string | undefined;
}

/**
 * Undefined where Cluster API is not served or may not be read, or where it is not said which of several Clusters is
 * meant.
 */
async function findCluster(management: Lister, cluster: ClusterQuery): Promise<KubeObject | undefined> {
  const found = await listClusters(management, cluster);
  return found.length === 1 ? found[0] : undefined;
}

/**
 * A management cluster that is away must not keep a replica from starting; with every round of upkeep it is looked
 * again.
 */
const START_LIMIT_MS = 5_000;

/**
 * Fault `bad-config` where the name is that of several Clusters. Where they may not be read, their Machines tell it
 * later.
 */
export async function requireOneCluster(management: Lister, { cluster, log }: { cluster: ClusterName; log: Log }) {
  try {
    await listClusters(management, cluster, { timeoutMs: START_LIMIT_MS });
  } catch (error) {
    if (!isFault(error) || error.code === "bad-config") throw error;
    log.warn("whether another Cluster has this one's name is not known yet", { cluster: cluster.name, error });
  }
}

/** Of that name, in that namespace. Fault `bad-config` where they are in several. */
async function listClusters(
  management: Lister,
  { name, namespace }: ClusterQuery,
  options: ListOptions = {},
): Promise<readonly KubeObject[]> {
  const fieldSelector = name === undefined ? undefined : `metadata.name=${name}`;
  for (const resource of CLUSTER_RESOURCES) {
    try {
      const { items } = await management.list(resource, { ...options, namespace, fieldSelector });
      if (name !== undefined) requireOneNamespace({ name, namespace }, items.map(namespaceOf));
      return items;
    } catch (error) {
      // Without any right of deploy/registration-rbac.yaml no registration is wanted; with half of them, that is
      // logged.
      if (isFault(error, "forbidden")) return [];
      if (!isFault(error, "not-found")) throw error;
    }
  }
  return [];
}

function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? "";
}

// The infrastructure object of a Cluster: found by discovery, because only its provider knows its version and plural;
// its fields by the proposal's names, and annotations for definitions that do not know those fields and would drop
// them.
export const CLIENT_SIGNER_ANNOTATION = "countersign.dev/kubelet-client-certificate-signer";
export const SERVING_SIGNER_ANNOTATION = "countersign.dev/kubelet-serving-certificate-signer";

interface InfraCluster extends KubeObject {
  readonly status?: {
    readonly kubeletClientCertificateSigner?: string;
    readonly kubeletServingCertificateSigner?: string;
  };
}

/** A merge patch of the status; null takes an old name away. */
function statusPatch({ client, serving }: AdvertisedSigners): object {
  const status = { kubeletClientCertificateSigner: client, kubeletServingCertificateSigner: serving ?? null };
  return { status };
}

function annotationPatch({ client, serving }: AdvertisedSigners): object {
  const annotations = { [CLIENT_SIGNER_ANNOTATION]: client, [SERVING_SIGNER_ANNOTATION]: serving ?? null };
  return { metadata: { annotations } };
}

function isInStatus({ status }: InfraCluster, { client, serving }: AdvertisedSigners): boolean {
  return status?.kubeletClientCertificateSigner === client && status.kubeletServingCertificateSigner === serving;
}

function isAnnotated({ metadata }: InfraCluster, { client, serving }: AdvertisedSigners): boolean {
  const { annotations = {} } = metadata;
  return annotations[CLIENT_SIGNER_ANNOTATION] === client && annotations[SERVING_SIGNER_ANNOTATION] === serving;
}

/** Fault `not-found` where the kind is not served; why it could not be asked for is a fault of its own. */
async function discover(management: Discovering, ref: InfrastructureRef): Promise<Resource> {
  const { group, kind } = ref;
  const version = ref.version ?? (await getPreferredVersion(management, group));
  const kinds = version === undefined ? undefined : await listServed(management, { group, version });
  if (version === undefined || kinds === undefined) {
    throw new Fault("not-found", `${version === undefined ? group : `${group}/${version}`} is not served`);
  }
  const served = kinds.find((one) => one.kind === kind);
  if (served === undefined) throw new Fault("not-found", `no kind ${kind} is served in ${group}/${version}`);
  return { group, version, plural: served.name, kind, namespaced: served.namespaced };
}

// Which signers a cluster's machines shall ask (CAEP 2021-02-22): the names that registration writes where Cluster
// API's providers look. Pure.
interface AdvertisedSigners {
  readonly client: string;
  /** Absent for a provider that proves nothing: it has no serving certificates. */
  readonly serving: string | undefined;
}

/** Those of the first provider that is served. Undefined: none is. */
export function advertisedSigners(
  servedSigners: readonly string[],
  /** By preference. */
  providers: readonly string[],
): AdvertisedSigners | undefined {
  const served = servedSigners.flatMap((signer) => {
    const parts = signerParts(signer);
    return parts === undefined ? [] : [{ signer, ...parts }];
  });
  for (const provider of providers) {
    const own = served.filter((one) => one.provider === provider);
    const client = own.find(({ purpose }) => purpose === "client")?.signer;
    if (client !== undefined) return { client, serving: own.find(({ purpose }) => purpose === "serving")?.signer };
  }
  return undefined;
}
