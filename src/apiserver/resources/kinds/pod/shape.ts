// The fields of a pod that this server reads, with their types.

import { META_SHAPE, type Shape } from "../../shape.ts";

const QUANTITIES: Shape = { "*": "quantity" };
const NAMED: Shape = { name: "string" };
const PROBE: Shape = {
  timeoutSeconds: "integer",
  periodSeconds: "integer",
  successThreshold: "integer",
  failureThreshold: "integer",
  httpGet: { path: "string", scheme: "string", port: "intOrString" },
};

const CONTAINER: Shape = {
  name: "string",
  image: "string",
  command: ["string"],
  args: ["string"],
  imagePullPolicy: "string",
  restartPolicy: "string",
  terminationMessagePath: "string",
  terminationMessagePolicy: "string",
  ports: [{ name: "string", containerPort: "integer", hostPort: "integer", protocol: "string" }],
  env: [
    {
      name: "string",
      value: "string",
      valueFrom: {
        fieldRef: { apiVersion: "string", fieldPath: "string" },
        configMapKeyRef: { name: "string", key: "string" },
        secretKeyRef: { name: "string", key: "string" },
      },
    },
  ],
  envFrom: [{ configMapRef: NAMED, secretRef: NAMED }],
  volumeMounts: [{ name: "string", mountPath: "string", readOnly: "boolean" }],
  resources: { limits: QUANTITIES, requests: QUANTITIES },
  livenessProbe: PROBE,
  readinessProbe: PROBE,
  startupProbe: PROBE,
};

const FIELD_REF: Shape = { apiVersion: "string", fieldPath: "string" };
const DOWNWARD: Shape = { defaultMode: "integer", items: [{ path: "string", fieldRef: FIELD_REF }] };

const VOLUME: Shape = {
  name: "string",
  secret: { secretName: "string", defaultMode: "integer" },
  configMap: { name: "string", defaultMode: "integer" },
  downwardAPI: DOWNWARD,
  hostPath: { path: "string", type: "string" },
  persistentVolumeClaim: { claimName: "string" },
  projected: {
    defaultMode: "integer",
    sources: [
      {
        serviceAccountToken: { audience: "string", expirationSeconds: "integer", path: "string" },
        configMap: NAMED,
        secret: NAMED,
        downwardAPI: DOWNWARD,
      },
    ],
  },
};

const STATE: Shape = {
  waiting: { reason: "string" },
  running: { startedAt: "time" },
  terminated: { exitCode: "integer", signal: "integer", reason: "string", finishedAt: "time" },
};
const CONTAINER_STATUS: Shape = {
  name: "string",
  ready: "boolean",
  started: "boolean",
  restartCount: "integer",
  state: STATE,
  lastState: STATE,
};

export const POD_SHAPE: Shape = {
  metadata: META_SHAPE,
  spec: {
    containers: [CONTAINER],
    initContainers: [CONTAINER],
    ephemeralContainers: [CONTAINER],
    volumes: [VOLUME],
    nodeName: "string",
    hostNetwork: "boolean",
    restartPolicy: "string",
    dnsPolicy: "string",
    schedulerName: "string",
    serviceAccountName: "string",
    serviceAccount: "string",
    automountServiceAccountToken: "boolean",
    imagePullSecrets: [NAMED],
    terminationGracePeriodSeconds: "integer",
    activeDeadlineSeconds: "integer",
    enableServiceLinks: "boolean",
    securityContext: { sysctls: [{ name: "string", value: "string" }] },
    hostIPC: "boolean",
    runtimeClassName: "string",
    overhead: QUANTITIES,
    nodeSelector: { "*": "string" },
    priorityClassName: "string",
    priority: "integer",
    preemptionPolicy: "string",
    tolerations: [
      { key: "string", operator: "string", value: "string", effect: "string", tolerationSeconds: "integer" },
    ],
    readinessGates: [{ conditionType: "string" }],
    schedulingGates: [NAMED],
  },
  status: {
    phase: "string",
    reason: "string",
    qosClass: "string",
    podIP: "string",
    podIPs: [{ ip: "string" }],
    nominatedNodeName: "string",
    observedGeneration: "integer",
    conditions: [{ type: "string", status: "string", reason: "string", message: "string", lastTransitionTime: "time" }],
    containerStatuses: [CONTAINER_STATUS],
    initContainerStatuses: [CONTAINER_STATUS],
  },
};
