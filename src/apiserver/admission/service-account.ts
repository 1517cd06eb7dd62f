// ServiceAccount: every pod has an account. A new pod gets the account `default` unless it names another, the account
// must exist, and its token, the cluster's CA and the namespace are mounted where clients in pods look for them. A
// mirror pod is the image of a static pod on a node: it has no account, and the kubelet would delete it if it were
// changed. Behaviour of kubernetes/plugin/pkg/admission/serviceaccount.

import type { Container, Pod, PodSpec, ServiceAccount, Volume } from "../../api/core/index.ts";
import { PODS, SERVICE_ACCOUNTS } from "../../api/meta/index.ts";
import { isMirrorPod, secretsOfPod } from "../../authorizer/index.ts";
import type { Attempt } from "../call.ts";
import { type Plugin, type Questions, refuse } from "./plugin.ts";

const NAME = "ServiceAccount";
const DEFAULT_ACCOUNT = "default";
const VOLUME_PREFIX = "kube-api-access-";
const MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
/** An hour and seven seconds: this number marks a default, so that tokens for old clients may be valid for longer. */
const TOKEN_SECONDS = 3_607;
const FILE_MODE = 0o644;

export const serviceAccount: Plugin = {
  name: NAME,
  phase: "before",
  change: (attempt, questions) => {
    const pod = newPod(attempt);
    return pod === undefined || isMirrorPod(pod) ? undefined : withAccount(pod, attempt, questions);
  },
  judge: (attempt, questions) => {
    const pod = newPod(attempt);
    const text =
      pod === undefined ? undefined : isMirrorPod(pod) ? mirrorProblem(pod) : problem(pod, attempt, questions);
    return text === undefined ? undefined : refuse(NAME, "NoServiceAccount", text);
  },
};

function newPod({ resource, operation, subresource, object }: Attempt): Pod | undefined {
  return resource === PODS && operation === "CREATE" && subresource === "" ? (object as Pod) : undefined;
}

function accountNameOf({ serviceAccountName, serviceAccount: old }: PodSpec): string {
  return serviceAccountName || old || "";
}

function mirrorProblem(pod: Pod): string | undefined {
  const { spec = {} } = pod;
  if (accountNameOf(spec) !== "") return "a mirror pod may not reference service accounts";
  if (secretsOfPod(pod).length > 0) return "a mirror pod may not reference secrets";
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  const asksToken = sources.some((source) => source.serviceAccountToken !== undefined);
  return asksToken ? "a mirror pod may not use ServiceAccountToken volume projections" : undefined;
}

function problem({ spec = {} }: Pod, { namespace }: Attempt, questions: Questions): string | undefined {
  const name = accountNameOf(spec);
  if (questions.get(SERVICE_ACCOUNTS, name, namespace) !== undefined) return undefined;
  const missing = `serviceaccount ${JSON.stringify(name)} not found`;
  return `error looking up service account ${namespace}/${name}: ${missing}`;
}

function withAccount(pod: Pod, { namespace }: Attempt, questions: Questions): Pod {
  const { spec = {} } = pod;
  const serviceAccountName = accountNameOf(spec) || DEFAULT_ACCOUNT;
  const account = questions.get(SERVICE_ACCOUNTS, serviceAccountName, namespace) as ServiceAccount | undefined;
  const named = { ...spec, serviceAccountName };
  if (account === undefined) return { ...pod, spec: named };
  const mounts = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  return { ...pod, spec: withPullSecrets(mounts ? withToken(named, questions) : named, account) };
}

function withPullSecrets(spec: PodSpec, { imagePullSecrets: secrets = [] }: ServiceAccount): PodSpec {
  if ((spec.imagePullSecrets ?? []).length > 0 || secrets.length === 0) return spec;
  return { ...spec, imagePullSecrets: secrets.map(({ name = "" }) => ({ name })) };
}

/** A container that mounts a volume of its own there keeps it. */
function withToken(spec: PodSpec, questions: Questions): PodSpec {
  const { volumes = [], containers = [], initContainers } = spec;
  const all = [...containers, ...(initContainers ?? [])];
  if (all.every(hasOwnMount)) return spec;
  const existing = volumes.find(({ name = "" }) => name.startsWith(VOLUME_PREFIX))?.name;
  const name = existing ?? `${VOLUME_PREFIX}${questions.suffix()}`;
  const mounted = (container: Container) => (hasOwnMount(container) ? container : withMount(container, name));
  return {
    ...spec,
    volumes: existing === undefined ? [...volumes, tokenVolume(name)] : volumes,
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(mounted) }),
    containers: containers.map(mounted),
  };
}

function hasOwnMount({ volumeMounts = [] }: Container): boolean {
  return volumeMounts.some(({ mountPath }) => mountPath === MOUNT_PATH);
}

function withMount(container: Container, name: string): Container {
  const mount = { name, readOnly: true, mountPath: MOUNT_PATH };
  return { ...container, volumeMounts: [...(container.volumeMounts ?? []), mount] };
}

function tokenVolume(name: string): Volume {
  const sources = [
    { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: "token" } },
    { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
    {
      downwardAPI: { items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }] },
    },
  ];
  return { name, projected: { defaultMode: FILE_MODE, sources } };
}
