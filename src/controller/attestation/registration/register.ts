// Registration with Cluster API: the infrastructure object of this cluster's Cluster says which signers its machines shall ask, in its
// status where the definition has the fields, else in annotations. Where Cluster API is not there, or nobody gave the right
// (deploy/registration-rbac.yaml), nothing is registered.

import { readInfrastructureRef } from "../../../api/foreign/index.ts";
import type { Resource } from "../../../api/meta/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import type { Log } from "../../../platform/report/index.ts";
import { findCluster } from "./find-cluster.ts";
import { annotationPatch, discover, type InfraCluster, isAnnotated, isInStatus, statusPatch } from "./infra-cluster.ts";
import type { AdvertisedSigners } from "./signers.ts";

export interface RegistrationOptions {
  /** Where the Clusters are. */
  readonly home: Pick<KubeClient, "get" | "list" | "patch" | "raw">;
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
  const { home, log, signers } = options;
  /** Uids of objects whose definition dropped the fields: their status is not written again and again. */
  const pruning = new Set<string>();
  let said = "";

  async function write(resource: Resource, infra: InfraCluster, wanted: AdvertisedSigners): Promise<void> {
    const { name = "", namespace, uid = "" } = infra.metadata;
    const target = { name, ...(namespace === undefined ? {} : { namespace }) };
    if (!pruning.has(uid)) {
      if (isInStatus(infra, wanted) || (await writeStatus(home, resource, { target, wanted }))) return;
      pruning.add(uid);
    }
    if (isAnnotated(infra, wanted)) return;
    await home.patch(resource, target, annotationPatch(wanted), { type: "merge" });
    log.info("signers registered", { kind: resource.kind, name, namespace, by: "annotations" });
  }

  async function register(wanted: AdvertisedSigners): Promise<void> {
    const cluster = await findCluster(home, { name: options.clusterName, namespace: options.clusterNamespace });
    const ref = cluster === undefined ? undefined : readInfrastructureRef(cluster);
    if (ref === undefined) return;
    const resource = await discover(home, ref);
    const { name, namespace } = ref;
    await write(resource, await home.get<InfraCluster>(resource, { name, namespace }), wanted);
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
  home: RegistrationOptions["home"],
  resource: Resource,
  { target, wanted }: StatusWrite,
): Promise<boolean> {
  try {
    const subresource = { ...target, subresource: "status" };
    const answer = await home.patch<InfraCluster>(resource, subresource, statusPatch(wanted), { type: "merge" });
    return isInStatus(answer, wanted);
  } catch (error) {
    // Strict definitions, missing subresource, a right for the object and not for its status.
    if (isFault(error, "invalid") || isFault(error, "not-found") || isFault(error, "forbidden")) return false;
    throw error;
  }
}
