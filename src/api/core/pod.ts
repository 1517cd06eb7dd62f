// Pod, Binding, Eviction and ServiceAccount: what the API server and the node authorizer read of them.

import type { KubeObject } from "../meta/index.ts";

type Quantities = Readonly<Record<string, string>>;
type NameReference = Readonly<{ name?: string }>;

interface ContainerPort {
  readonly name?: string;
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly protocol?: string;
}

export interface EnvVar {
  readonly name?: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath?: string };
    readonly configMapKeyRef?: NameReference & { readonly key?: string };
    readonly secretKeyRef?: NameReference & { readonly key?: string };
  };
}

interface VolumeMount {
  readonly name?: string;
  readonly mountPath?: string;
  readonly readOnly?: boolean;
}

export interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly restartPolicy?: string;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: string;
  readonly ports?: readonly ContainerPort[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly { readonly configMapRef?: NameReference; readonly secretRef?: NameReference }[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly resources?: { readonly limits?: Quantities; readonly requests?: Quantities };
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
}

export interface Probe {
  readonly timeoutSeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly httpGet?: { readonly path?: string; readonly scheme?: string };
}

export interface VolumeProjection {
  readonly serviceAccountToken?: {
    readonly audience?: string;
    readonly expirationSeconds?: number;
    readonly path?: string;
  };
  readonly configMap?: NameReference & { readonly items?: readonly unknown[] };
  readonly secret?: NameReference;
  readonly downwardAPI?: { readonly items?: readonly DownwardFile[] };
}

interface DownwardFile {
  readonly path?: string;
  readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath?: string };
}

export interface Volume {
  readonly name?: string;
  readonly secret?: { readonly secretName?: string; readonly defaultMode?: number };
  readonly configMap?: NameReference & { readonly defaultMode?: number };
  readonly downwardAPI?: { readonly defaultMode?: number; readonly items?: readonly DownwardFile[] };
  readonly projected?: { readonly defaultMode?: number; readonly sources?: readonly VolumeProjection[] };
  readonly hostPath?: { readonly path?: string; readonly type?: string };
  readonly persistentVolumeClaim?: { readonly claimName?: string };
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

interface PodSecurityContext {
  readonly sysctls?: readonly { readonly name?: string; readonly value?: string }[];
}

export interface PodSpec {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly ephemeralContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly nodeName?: string;
  readonly hostNetwork?: boolean;
  readonly restartPolicy?: string;
  readonly dnsPolicy?: string;
  readonly schedulerName?: string;
  readonly serviceAccountName?: string;
  /** The old name of serviceAccountName; always the same value. */
  readonly serviceAccount?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly imagePullSecrets?: readonly NameReference[];
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly enableServiceLinks?: boolean;
  readonly securityContext?: PodSecurityContext;
  readonly hostIPC?: boolean;
  readonly runtimeClassName?: string;
  readonly overhead?: Readonly<Record<string, string>>;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly priorityClassName?: string;
  readonly priority?: number;
  readonly preemptionPolicy?: string;
  readonly tolerations?: readonly Toleration[];
  readonly readinessGates?: readonly { readonly conditionType?: string }[];
  readonly schedulingGates?: readonly NameReference[];
}

export interface PodCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastProbeTime?: string | null;
  readonly lastTransitionTime?: string | null;
  readonly observedGeneration?: number;
}

interface Terminated {
  readonly exitCode?: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly finishedAt?: string;
}

export interface ContainerStatus {
  readonly name?: string;
  readonly image?: string;
  readonly imageID?: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string };
    readonly running?: object;
    readonly terminated?: Terminated;
  };
  readonly lastState?: { readonly terminated?: Terminated };
}

export interface PodStatus {
  readonly phase?: string;
  readonly reason?: string;
  readonly qosClass?: string;
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip?: string }[];
  readonly nominatedNodeName?: string;
  readonly observedGeneration?: number;
  readonly conditions?: readonly PodCondition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly resourceClaimStatuses?: readonly { readonly name?: string; readonly resourceClaimName?: string }[];
}

export interface Pod extends KubeObject {
  spec?: PodSpec;
  status?: PodStatus;
}

/** Says which node a pod runs on; sent to pods/binding. */
export interface Binding extends KubeObject {
  target?: { readonly apiVersion?: string; readonly kind?: string; readonly name?: string };
}

/** Asks a pod to end; sent to pods/eviction. */
export interface Eviction extends KubeObject {
  deleteOptions?: {
    readonly gracePeriodSeconds?: number;
    readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
    readonly dryRun?: readonly string[];
  };
}

export interface ServiceAccount extends KubeObject {
  secrets?: readonly { readonly name?: string }[];
  imagePullSecrets?: readonly NameReference[];
  automountServiceAccountToken?: boolean;
}
