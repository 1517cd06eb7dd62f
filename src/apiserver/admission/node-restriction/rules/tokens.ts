// ServiceAccount tokens: a node requests them for one pod that is bound to it, so that the token ends with the pod, and
// only for an audience that the pod itself asks for.

import {
  CSI_DRIVERS,
  type KubeObject,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
} from "../../../../api/meta/index.ts";
import {
  claimOfVolume,
  itemsOf,
  nodeOfPod,
  type PodWithReferences,
  textOf,
  type VolumeReferences,
  type VolumeWithReferences,
} from "../../../../authorizer/index.ts";
import type { Attempt } from "../../../call.ts";
import { missing, type NodeWriter, type Objection, quoted, type WriteRule } from "./rule.ts";

interface TokenRequest extends KubeObject {
  readonly spec?: {
    readonly audiences?: readonly string[];
    readonly boundObjectRef?: {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly name?: string;
      readonly uid?: string;
    };
  };
}

export const tokenRequests: WriteRule = (attempt, writer) => {
  if (attempt.operation !== "CREATE" || attempt.subresource !== "token") return undefined;
  const { boundObjectRef: bound = {}, audiences = [] } = (attempt.object as TokenRequest | undefined)?.spec ?? {};
  const { apiVersion, kind, name = "", uid = "" } = bound;
  if (apiVersion !== "v1" || kind !== "Pod" || name === "") return "node requested token not bound to a pod";
  if (uid === "") return "node requested token with a pod binding without a uid";
  const pod = writer.questions.get(PODS, name, attempt.namespace);
  if (pod === undefined) return missing(PODS, name);
  return podProblem(pod, uid, writer.node) ?? audienceOf(attempt, pod, audiences, writer);
};

function podProblem(pod: PodWithReferences, uid: string, node: string): string | undefined {
  if (pod.metadata.uid !== uid) {
    const found = `the UID in the bound object reference (${uid}) does not match the UID in record`;
    return `${found}. The object might have been deleted and then recreated`;
  }
  return nodeOfPod(pod) === node ? undefined : "node requested token bound to a pod scheduled on a different node";
}

function audienceOf(
  attempt: Attempt,
  pod: PodWithReferences,
  audiences: readonly string[],
  writer: NodeWriter,
): Objection | undefined {
  const [audience = "", ...more] = audiences;
  if (more.length > 0) return "node may only request 0 or 1 audiences";
  return audienceProblem({ audience, pod, attempt, questions: writer.questions });
}

// The audience of a token that a node asks for: the pod must ask for it, by a projected token or through the CSI driver
// behind one of its volumes; or the node has the right to that audience.

type Questions = NodeWriter["questions"];

interface AudienceFacts {
  readonly audience: string;
  readonly pod: PodWithReferences;
  readonly attempt: Attempt;
  readonly questions: Questions;
}

function audienceProblem(facts: AudienceFacts): string | undefined {
  const { audience, attempt } = facts;
  const search = searchPod(facts);
  if (search.isFound) return undefined;
  if (search.problems.length > 0) {
    const [first = ""] = search.problems;
    const problems = search.problems.length === 1 ? first : `[${search.problems.join(", ")}]`;
    return `error validating audience ${quoted(audience)}: ${problems}`;
  }
  if (mayRequest(facts)) return undefined;
  const who = attempt.user.username;
  const missing = `audience ${quoted(audience)} not found in pod spec volume`;
  return `${missing}, ${who} is not authorized to request tokens for this audience`;
}

/** The audience takes the place of the resource, so that a role can name it. */
function mayRequest({ audience, attempt, questions }: AudienceFacts): boolean {
  const decision = questions.authorize({
    user: attempt.user,
    verb: "request-serviceaccounts-token-audience",
    isResource: true,
    path: "",
    group: "",
    version: "v1",
    resource: audience,
    subresource: "",
    namespace: attempt.namespace,
    name: attempt.name,
    fieldRequirements: [],
  });
  return decision.kind === "Allow";
}

interface Search {
  readonly isFound: boolean;
  /** What could not be looked up; irrelevant when another volume has the audience. */
  readonly problems: readonly string[];
}

function searchPod({ audience, pod, attempt, questions }: AudienceFacts): Search {
  const problems: string[] = [];
  for (const volume of itemsOf(pod.spec?.volumes)) {
    if (projects(volume, audience)) return { isFound: true, problems };
    const driver = driverBehind(volume, { pod, namespace: attempt.namespace, questions });
    const answer = typeof driver === "string" ? driverWants(driver, audience, questions) : driver;
    if (answer === true) return { isFound: true, problems };
    if (answer !== false) problems.push(answer.problem);
  }
  return { isFound: false, problems };
}

function projects({ projected }: VolumeReferences, audience: string): boolean {
  return itemsOf(projected?.sources).some(
    ({ serviceAccountToken: token }) => token !== undefined && textOf(token?.audience) === audience,
  );
}

interface Problem {
  readonly problem: string;
}

interface Place {
  readonly pod: PodWithReferences;
  readonly namespace: string;
  readonly questions: Questions;
}

/** The driver's name, false for a volume without one, or what could not be found on the way to it. */
function driverBehind(volume: VolumeReferences, { pod, namespace, questions }: Place): string | false | Problem {
  if (volume.csi !== undefined) return textOf(volume.csi?.driver) || false;
  const claimName = claimOfVolume(pod, volume);
  if (claimName === "") return migratedDriver(volume) ?? false;
  const claim = questions.get(PERSISTENT_VOLUME_CLAIMS, claimName, namespace);
  if (claim === undefined) return notFound("persistentvolumeclaim", claimName);
  const volumeName = textOf((claim as { spec?: { volumeName?: string } }).spec?.volumeName);
  if (volumeName === "") return false;
  const persistent: VolumeWithReferences | undefined = questions.get(PERSISTENT_VOLUMES, volumeName);
  if (persistent === undefined) return notFound("persistentvolume", volumeName);
  const { spec = {} } = persistent;
  return textOf(spec.csi?.driver) || (migratedDriver(spec) ?? false);
}

/** In-tree volumes that a CSI driver serves today. */
const MIGRATED: Readonly<Record<string, string>> = {
  awsElasticBlockStore: "ebs.csi.aws.com",
  azureDisk: "disk.csi.azure.com",
  azureFile: "file.csi.azure.com",
  cinder: "cinder.csi.openstack.org",
  gcePersistentDisk: "pd.csi.storage.gke.io",
  portworxVolume: "pxd.portworx.com",
  vsphereVolume: "csi.vsphere.vmware.com",
};

function migratedDriver(source: object): string | undefined {
  const found = Object.keys(MIGRATED).find((key) => Object.hasOwn(source, key));
  return found === undefined ? undefined : MIGRATED[found];
}

interface CsiDriver extends KubeObject {
  readonly spec?: { readonly tokenRequests?: readonly { readonly audience?: string }[] };
}

function driverWants(name: string, audience: string, questions: Questions): boolean | Problem {
  const driver: CsiDriver | undefined = questions.get(CSI_DRIVERS, name);
  if (driver === undefined) return notFound("csidriver.storage.k8s.io", name);
  return itemsOf(driver.spec?.tokenRequests).some((request) => textOf(request.audience) === audience);
}

function notFound(kind: string, name: string): Problem {
  return { problem: `${kind} ${quoted(name)} not found` };
}
