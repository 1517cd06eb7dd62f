// Every kind beside its real twin: what is filled in, what is refused and in which words, how it is listed and deleted.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Received } from "../fakes/api-client.ts";
import { type Both, comparable, type Row, startBoth } from "./harness/both.ts";

let both: Both;

beforeAll(async () => {
  both = await startBoth();
  for (const row of FIRST) {
    const [mine, other] = await both.ask(row);
    expect([201, 409], row[1]).toContain(mine.status);
    expect(other.status, row[1]).toBe(201);
  }
});
afterAll(() => both.stop());

const CORE = "/api/v1";
const NS = `${CORE}/namespaces/k`;
const PODS = `${NS}/pods`;
const SERVICES = `${NS}/services`;
const CLAIMS = `${NS}/persistentvolumeclaims`;
const VOLUMES = `${CORE}/persistentvolumes`;
const STORAGE = "/apis/storage.k8s.io/v1";
const SLICES = "/apis/discovery.k8s.io/v1/namespaces/k/endpointslices";
const DEVICES = "/apis/resource.k8s.io/v1";
const RUNTIMES = "/apis/node.k8s.io/v1/runtimeclasses";
const PRIORITIES = "/apis/scheduling.k8s.io/v1/priorityclasses";
const EVENTS = "/apis/events.k8s.io/v1/namespaces/k/events";

const MERGE = { "content-type": "application/merge-patch+json" };
const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };

const named = (name: string, more: object = {}) => ({ metadata: { name }, ...more });
const spec = (name: string, more: object) => named(name, { spec: more });
const container = (more: object = {}) => ({ name: "c", image: "i", ...more });
const pod = (name: string, more: object = {}) => spec(name, { containers: [container()], ...more });
const mirror = (more: object = {}) => ({
  metadata: { name: "mirror-n1", annotations: { "kubernetes.io/config.mirror": "x" } },
  spec: { nodeName: "n1", containers: [container()], ...more },
});
const service = (name: string, more: object = {}) => spec(name, { ports: [{ port: 80 }], ...more });
const volume = (name: string, more: object = {}) =>
  spec(name, { capacity: { storage: "1024Mi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" }, ...more });
const claim = (name: string, more: object = {}) =>
  spec(name, { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "0.5Gi" } }, ...more });
const slice = (name: string, more: object = {}) =>
  spec(name, {
    driver: "d.example.com",
    nodeName: "n1",
    pool: { name: "p", generation: 1, resourceSliceCount: 1 },
    ...more,
  });

const FIRST: readonly Row[] = [
  ["admin", `POST ${CORE}/namespaces`, named("k")],
  ["admin", `POST ${NS}/serviceaccounts`, named("default")],
  ["admin", `POST ${NS}/serviceaccounts`, named("quiet", { automountServiceAccountToken: false })],
  ["admin", `POST ${NS}/serviceaccounts`, named("puller", { imagePullSecrets: [{ name: "pull" }] })],
];

/** Equal in status and in every field of the body, but for those of one server only. */
const SAME: Readonly<Record<string, readonly Row[]>> = {
  "a field that no selector may name": [
    ["admin", `GET ${NS}/serviceaccounts?fieldSelector=a%3Db`],
    ["admin", `GET ${NS}/endpoints?fieldSelector=a%3Db`],
    ["admin", `GET ${NS}/configmaps?fieldSelector=data.a%3Db`],
    ["admin", `GET /apis/coordination.k8s.io/v1/leases?fieldSelector=a%3Db`],
    ["admin", `GET /apis/rbac.authorization.k8s.io/v1/clusterroles?fieldSelector=a%3Db`],
    ["admin", `GET ${STORAGE}/csinodes?fieldSelector=a%3Db`],
    ["admin", `GET ${VOLUMES}?fieldSelector=status.phase%3Db`],
    ["admin", `GET ${SERVICES}?fieldSelector=spec.selector%3Db`],
    ["admin", `GET ${CORE}/nodes?fieldSelector=metadata.namespace%3Db`],
    ["admin", `GET ${CORE}/namespaces?fieldSelector=metadata.namespace%3Db`],
    ["admin", `GET ${RUNTIMES}?fieldSelector=metadata.namespace%3Db`],
  ],
  "a service account": [
    ["admin", `GET ${NS}/serviceaccounts/quiet`],
    ["admin", `GET ${NS}/serviceaccounts`, undefined, TABLE],
    ["admin", `POST ${NS}/serviceaccounts`, named("A")],
    ["admin", `POST ${NS}/serviceaccounts`, named("gone", { secrets: [{ name: "s" }] })],
    ["admin", `DELETE ${NS}/serviceaccounts/gone`],
  ],
  "a pod": [
    ["admin", `POST ${PODS}`, pod("p")],
    ["admin", `POST ${PODS}`, pod("p")],
    ["admin", `POST ${PODS}`, pod("quiet", { serviceAccountName: "quiet" })],
    ["admin", `POST ${PODS}`, pod("pulls", { serviceAccountName: "puller" })],
    ["admin", `POST ${PODS}`, pod("old", { serviceAccount: "quiet" })],
    ["admin", `POST ${PODS}`, pod("nobody", { serviceAccountName: "none" })],
    [
      "admin",
      `POST ${PODS}`,
      pod("full", {
        hostNetwork: true,
        volumes: [
          { name: "empty" },
          { name: "secret", secret: { secretName: "s" } },
          { name: "map", configMap: { name: "m" } },
          { name: "down", downwardAPI: { items: [{ path: "x", fieldRef: { fieldPath: "metadata.name" } }] } },
          { name: "host", hostPath: { path: "/x" } },
          { name: "token", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
        ],
        initContainers: [container({ name: "init", image: "registry.example:5000/a/b:1.2" })],
        containers: [
          container({
            image: "a@sha256:0123456789012345678901234567890123456789012345678901234567890123",
            ports: [{ containerPort: 80, name: "http" }],
            env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
            resources: { limits: { cpu: "1000m", memory: "1024Mi" } },
            livenessProbe: { httpGet: { port: 80 } },
            volumeMounts: [{ name: "empty", mountPath: "/e" }],
          }),
        ],
        tolerations: [{ operator: "Exists" }],
      }),
    ],
    ["admin", `POST ${PODS}`, pod("gated", { schedulingGates: [{ name: "wait" }] })],
    ["admin", `POST ${PODS}`, pod("burst", { containers: [container({ resources: { requests: { cpu: "0.1" } } })] })],
    [
      "admin",
      `POST ${PODS}`,
      pod("sure", { containers: [container({ resources: { limits: { cpu: "1", memory: "1Gi" } } })] }),
    ],
    ["admin", `POST ${PODS}`, spec("bad", {})],
    ["admin", `POST ${PODS}`, pod("bad", { containers: [{}] })],
    ["admin", `POST ${PODS}`, pod("bad", { containers: [container(), container()] })],
    ["admin", `POST ${PODS}`, pod("bad", { containers: [container({ name: "A_b" })] })],
    ["admin", `POST ${PODS}`, pod("bad", { restartPolicy: "Sometimes" })],
    ["admin", `POST ${PODS}`, pod("bad", { dnsPolicy: "Mine" })],
    ["admin", `POST ${PODS}`, pod("bad", { volumes: [{ name: "a" }, { name: "a" }] })],
    [
      "admin",
      `POST ${PODS}`,
      pod("bad", { containers: [container({ volumeMounts: [{ name: "none", mountPath: "/x" }] })] }),
    ],
    ["admin", `POST ${PODS}`, pod("bad", { containers: [container({ ports: [{ containerPort: 70_000 }] })] })],
    ["admin", `POST ${PODS}`, pod("bad", { containers: [container({ imagePullPolicy: "Maybe" })] })],
    ["admin", `POST ${PODS}`, pod("bad", { activeDeadlineSeconds: 0 })],
    ["admin", `POST ${PODS}`, pod("bad", { nodeName: "A_b" })],
    ["admin", `POST ${PODS}`, pod("bad", { priorityClassName: "none" })],
    ["admin", `POST ${PODS}`, pod("bad", { priority: 7 })],
    ["admin", `POST ${PODS}`, named("bad", pod("A"))],
    ["admin", `POST ${PODS}`, pod("A_b")],
    ["admin", `POST ${PODS}`, mirror()],
    ["admin", `POST ${PODS}`, mirror({ serviceAccountName: "default" })],
    ["admin", `POST ${PODS}`, mirror({ volumes: [{ name: "s", secret: { secretName: "s" } }] })],
    [
      "admin",
      `PATCH ${PODS}/p`,
      { spec: { containers: [{ name: "c", image: "other" }] } },
      {
        "content-type": "application/strategic-merge-patch+json",
      },
    ],
    ["admin", `PATCH ${PODS}/p`, { spec: { activeDeadlineSeconds: 10 } }, MERGE],
    ["admin", `PATCH ${PODS}/p`, { spec: { activeDeadlineSeconds: 20 } }, MERGE],
    ["admin", `PATCH ${PODS}/p`, { spec: { containers: [] } }, MERGE],
    ["admin", `PATCH ${PODS}/p`, { spec: { tolerations: [] } }, MERGE],
    ["admin", `PATCH ${PODS}/p`, { status: { phase: "Running" } }, MERGE],
    ["admin", `GET ${PODS}?fieldSelector=spec.nodeName%3Dn1`, undefined, TABLE],
    ["admin", `GET ${PODS}?fieldSelector=spec.host%3Dn1`],
    ["admin", `GET ${PODS}?fieldSelector=status.phase%3DPending,spec.hostNetwork%3Dtrue`],
    ["admin", `GET ${PODS}?fieldSelector=spec.priority%3D0`],
    ["admin", `GET ${PODS}`, undefined, TABLE],
  ],
  "what is posted to a pod": [
    ["admin", `POST ${PODS}/p/binding`, named("other", { target: { name: "n1" } })],
    ["admin", `POST ${PODS}/none/binding`, named("none", { target: { name: "n1" } })],
    ["admin", `POST ${PODS}/gated/binding`, named("gated", { target: { name: "n1" } })],
    ["admin", `POST ${PODS}/p/binding`, { metadata: { name: "p", annotations: { a: "b" } }, target: { name: "n1" } }],
    ["admin", `GET ${PODS}/p`],
    ["admin", `POST ${PODS}/p/binding`, named("p", { target: { name: "n2" } })],
    ["admin", `POST ${NS}/bindings`, named("quiet", { target: { kind: "Node", name: "n1" } })],
    ["admin", `GET ${PODS}/p/binding`],
    ["admin", `PUT ${PODS}/p/eviction`, named("p")],
    ["admin", `POST ${PODS}/none/eviction`, named("none")],
    ["admin", `POST ${PODS}/p/eviction`, named("other")],
    ["admin", `POST ${PODS}/pulls/eviction`, named("pulls")],
    ["admin", `GET ${PODS}/pulls`],
    ["admin", `POST ${PODS}/quiet/eviction`, named("quiet", { deleteOptions: { gracePeriodSeconds: 7 } })],
    ["admin", `GET ${PODS}/quiet`],
  ],
  "the status of a pod": [
    [
      "admin",
      `PATCH ${PODS}/p/status`,
      {
        status: {
          phase: "Running",
          podIP: "10.0.0.1",
          podIPs: [{ ip: "10.0.0.1" }],
          conditions: [{ type: "Ready", status: "True" }],
          containerStatuses: [
            {
              name: "c",
              image: "i",
              imageID: "",
              ready: true,
              restartCount: 2,
              state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
            },
          ],
        },
      },
      MERGE,
    ],
    ["admin", `GET ${PODS}/p`, undefined, TABLE],
    ["admin", `PATCH ${PODS}/p/status`, { status: { qosClass: "Guaranteed" } }, MERGE],
    ["admin", `PATCH ${PODS}/p/status`, { status: { nominatedNodeName: "n2" } }, MERGE],
    ["admin", `PATCH ${PODS}/p/status`, { metadata: { labels: { a: "b" } }, spec: { nodeName: "n2" } }, MERGE],
    ["admin", `PATCH ${PODS}/burst/status`, { status: { phase: "Failed", reason: "Evicted" } }, MERGE],
    ["admin", `GET ${PODS}/burst`, undefined, TABLE],
  ],
  "the end of a pod": [
    ["admin", `DELETE ${PODS}/full`],
    ["admin", `DELETE ${PODS}/burst`],
    ["admin", `DELETE ${PODS}/p`],
    ["admin", `GET ${PODS}/p`, undefined, TABLE],
    ["admin", `DELETE ${PODS}/p`],
    ["admin", `DELETE ${PODS}/p`, { gracePeriodSeconds: 60 }],
    ["admin", `DELETE ${PODS}/p`, { gracePeriodSeconds: 5 }],
    ["admin", `PATCH ${PODS}/p/status`, { status: { phase: "Succeeded" } }, MERGE],
    ["admin", `DELETE ${PODS}/p`, { gracePeriodSeconds: 0, preconditions: { uid: "x" } }],
    ["admin", `DELETE ${PODS}/p`, { gracePeriodSeconds: 0 }],
    ["admin", `GET ${PODS}/p`],
    ["admin", `DELETE ${PODS}/mirror-n1`, { gracePeriodSeconds: 0 }],
  ],
  "a service": [
    ["admin", `POST ${SERVICES}`, service("fixed", { clusterIP: "10.96.0.77" })],
    ["admin", `POST ${SERVICES}`, service("taken", { clusterIP: "10.96.0.77" })],
    ["admin", `POST ${SERVICES}`, service("far", { clusterIP: "10.95.0.1" })],
    ["admin", `POST ${SERVICES}`, service("wrong", { clusterIP: "here" })],
    ["admin", `POST ${SERVICES}`, service("headless", { clusterIP: "None", selector: { a: "b" } })],
    ["admin", `POST ${SERVICES}`, spec("free", { clusterIP: "None" })],
    ["admin", `POST ${SERVICES}`, spec("name", { type: "ExternalName", externalName: "example.com" })],
    ["admin", `POST ${SERVICES}`, spec("bad", { type: "ExternalName" })],
    ["admin", `POST ${SERVICES}`, spec("bad", {})],
    ["admin", `POST ${SERVICES}`, service("bad", { type: "Nope" })],
    ["admin", `POST ${SERVICES}`, service("bad", { type: "NodePort", clusterIP: "None" })],
    ["admin", `POST ${SERVICES}`, service("bad", { sessionAffinity: "Nope" })],
    ["admin", `POST ${SERVICES}`, service("bad", { ports: [{ port: 0 }] })],
    ["admin", `POST ${SERVICES}`, service("bad", { ports: [{ port: 80, protocol: "X" }] })],
    ["admin", `POST ${SERVICES}`, service("bad", { ports: [{ port: 80 }, { port: 81 }] })],
    ["admin", `POST ${SERVICES}`, service("bad", { ports: [{ port: 80, targetPort: "no_name" }] })],
    ["admin", `POST ${SERVICES}`, service("bad", { ports: [{ port: 80, nodePort: 31_000 }] })],
    ["admin", `POST ${SERVICES}`, service("bad", { type: "NodePort", ports: [{ port: 80, nodePort: 80 }] })],
    ["admin", `POST ${SERVICES}`, service("1a", { clusterIP: "10.96.0.82" })],
    ["admin", `POST ${SERVICES}`, service("Bad")],
    [
      "admin",
      `POST ${SERVICES}`,
      service("node", {
        clusterIP: "10.96.0.78",
        type: "NodePort",
        sessionAffinity: "ClientIP",
        ports: [{ port: 80, nodePort: 31_000, targetPort: "http" }],
      }),
    ],
    [
      "admin",
      `POST ${SERVICES}`,
      service("bad", { type: "NodePort", clusterIP: "10.96.0.79", ports: [{ port: 80, nodePort: 31_000 }] }),
    ],
    [
      "admin",
      `POST ${SERVICES}`,
      service("lb", { type: "LoadBalancer", clusterIP: "10.96.0.80", ports: [{ port: 80, nodePort: 31_001 }] }),
    ],
    ["admin", `PATCH ${SERVICES}/fixed`, { spec: { clusterIP: "10.96.0.90" } }, MERGE],
    ["admin", `PATCH ${SERVICES}/fixed`, { spec: { clusterIP: null, clusterIPs: null } }, MERGE],
    ["admin", `PATCH ${SERVICES}/fixed`, { metadata: { labels: { a: "b" } } }, MERGE],
    ["admin", `PATCH ${SERVICES}/node`, { spec: { type: "ClusterIP" } }, MERGE],
    ["admin", `PATCH ${SERVICES}/lb/status`, { status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } } }, MERGE],
    ["admin", `GET ${SERVICES}`, undefined, TABLE],
    ["admin", `GET ${SERVICES}?fieldSelector=spec.clusterIP!%3DNone,spec.type%3DClusterIP`],
    ["admin", `PUT ${SERVICES}/made`, service("made", { clusterIP: "10.96.0.81" })],
    ["admin", `DELETE ${SERVICES}/made`],
  ],
  endpoints: [
    [
      "admin",
      `POST ${NS}/endpoints`,
      named("e", {
        subsets: [
          { addresses: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }], ports: [{ port: 80 }, { port: 81, name: "x" }] },
        ],
      }),
    ],
    [
      "admin",
      `POST ${NS}/endpoints`,
      named("e", { subsets: [{ addresses: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }], ports: [{ port: 80 }] }] }),
    ],
    ["admin", `POST ${NS}/endpoints`, named("bad", { subsets: [{ ports: [{ port: 0 }] }] })],
    ["admin", `POST ${NS}/endpoints`, named("bad", { subsets: [{ addresses: [{ ip: "127.0.0.1" }] }] })],
    ["admin", `POST ${NS}/endpoints`, named("bad", { subsets: [{ addresses: [{ ip: "x" }] }] })],
    ["admin", `POST ${NS}/endpoints`, named("none")],
    ["admin", `GET ${NS}/endpoints`, undefined, TABLE],
    [
      "admin",
      `POST ${SLICES}`,
      named("s", { addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }], ports: [{ port: 80 }] }),
    ],
    ["admin", `POST ${SLICES}`, named("empty", { addressType: "IPv6" })],
    ["admin", `POST ${SLICES}`, named("bad", {})],
    ["admin", `POST ${SLICES}`, named("bad", { addressType: "X" })],
    ["admin", `POST ${SLICES}`, named("bad", { addressType: "IPv4", endpoints: [{}] })],
    ["admin", `POST ${SLICES}`, named("bad", { addressType: "IPv4", endpoints: [{ addresses: ["::2"] }] })],
    ["admin", `PATCH ${SLICES}/s`, { addressType: "IPv6" }, MERGE],
    ["admin", `PATCH ${SLICES}/s`, { metadata: { labels: { a: "b" } } }, MERGE],
    ["admin", `GET ${SLICES}`, undefined, TABLE],
    ["admin", `DELETE ${SLICES}/s`],
    ["admin", `DELETE ${NS}/endpoints/e`],
  ],
  "a class of pods": [
    ["admin", `POST ${RUNTIMES}`, named("r", { handler: "h" })],
    ["admin", `POST ${RUNTIMES}`, named("bad")],
    ["admin", `POST ${RUNTIMES}`, named("bad", { handler: "A_b" })],
    ["admin", `PATCH ${RUNTIMES}/r`, { handler: "other" }, MERGE],
    ["admin", `GET ${RUNTIMES}`, undefined, TABLE],
    ["admin", `DELETE ${RUNTIMES}/r`],
    ["admin", `POST ${PRIORITIES}`, named("high", { value: 1_000, description: "d" })],
    ["admin", `POST ${PRIORITIES}`, named("bad", { value: 1_000_000_001 })],
    ["admin", `POST ${PRIORITIES}`, named("system-mine", { value: 1 })],
    ["admin", `POST ${PRIORITIES}`, named("bad", { preemptionPolicy: "X" })],
    ["admin", `PATCH ${PRIORITIES}/high`, { value: 2 }, MERGE],
    ["admin", `POST ${PODS}`, pod("important", { priorityClassName: "high" })],
    ["admin", `GET ${PRIORITIES}`, undefined, TABLE],
    ["admin", `DELETE ${PRIORITIES}/high`],
  ],
  "a device": [
    ["admin", `POST ${DEVICES}/resourceslices`, slice("s")],
    ["admin", `POST ${DEVICES}/resourceslices`, slice("bad", { driver: "" })],
    ["admin", `POST ${DEVICES}/resourceslices`, slice("bad", { pool: {} })],
    ["admin", `POST ${DEVICES}/resourceslices`, slice("bad", { nodeName: undefined })],
    ["admin", `POST ${DEVICES}/resourceslices`, slice("bad", { allNodes: true })],
    ["admin", `PATCH ${DEVICES}/resourceslices/s`, { spec: { nodeName: "n2" } }, MERGE],
    ["admin", `GET ${DEVICES}/resourceslices?fieldSelector=spec.nodeName%3Dn1`, undefined, TABLE],
    ["admin", `DELETE ${DEVICES}/resourceslices/s`],
    [
      "admin",
      `POST ${DEVICES}/namespaces/k/resourceclaims`,
      spec("c", { devices: { requests: [{ name: "one", exactly: { deviceClassName: "d.example.com" } }] } }),
    ],
    ["admin", `POST ${DEVICES}/namespaces/k/resourceclaims`, spec("bad", { devices: { requests: [{ name: "one" }] } })],
    ["admin", `PATCH ${DEVICES}/namespaces/k/resourceclaims/c`, { metadata: { labels: { a: "b" } } }, MERGE],
    ["admin", `GET ${DEVICES}/namespaces/k/resourceclaims`, undefined, TABLE],
    ["admin", `DELETE ${DEVICES}/namespaces/k/resourceclaims/c`],
  ],
  "storage drivers": [
    ["admin", `POST ${STORAGE}/csidrivers`, spec("d.example.com", {})],
    [
      "admin",
      `POST ${STORAGE}/csidrivers`,
      spec("e.example.com", { tokenRequests: [{ audience: "a" }], volumeLifecycleModes: ["Ephemeral"] }),
    ],
    ["admin", `POST ${STORAGE}/csidrivers`, spec("bad", { volumeLifecycleModes: ["X"] })],
    ["admin", `GET ${STORAGE}/csidrivers`, undefined, TABLE],
    ["admin", `DELETE ${STORAGE}/csidrivers/e.example.com`],
    ["admin", `POST ${STORAGE}/csinodes`, spec("n1", { drivers: [{ name: "d.example.com", nodeID: "x" }] })],
    ["admin", `POST ${STORAGE}/csinodes`, spec("n2", {})],
    ["admin", `POST ${STORAGE}/csinodes`, spec("bad", { drivers: [{ name: "", nodeID: "" }] })],
    ["admin", `PUT ${STORAGE}/csinodes/n1`, spec("n1", {})],
    ["admin", `PATCH ${STORAGE}/csinodes/n1`, { spec: { drivers: [] } }, MERGE],
    ["admin", `GET ${STORAGE}/csinodes`, undefined, TABLE],
    ["admin", `DELETE ${STORAGE}/csinodes/n1`],
    ["admin", `POST ${STORAGE}/storageclasses`, named("sc", { provisioner: "p.example.com", parameters: { a: "b" } })],
    ["admin", `POST ${STORAGE}/storageclasses`, named("bad", {})],
    ["admin", `POST ${STORAGE}/storageclasses`, named("bad", { provisioner: "p", reclaimPolicy: "X" })],
    ["admin", `POST ${STORAGE}/storageclasses`, named("bad", { provisioner: "p", volumeBindingMode: "X" })],
    ["admin", `PATCH ${STORAGE}/storageclasses/sc`, { provisioner: "q" }, MERGE],
    ["admin", `PATCH ${STORAGE}/storageclasses/sc`, { parameters: { a: "c" } }, MERGE],
    ["admin", `GET ${STORAGE}/storageclasses`, undefined, TABLE],
    ["admin", `DELETE ${STORAGE}/storageclasses/sc`],
    [
      "admin",
      `POST ${STORAGE}/volumeattachments`,
      spec("va", { attacher: "d.example.com", nodeName: "n1", source: { persistentVolumeName: "v" } }),
    ],
    [
      "admin",
      `POST ${STORAGE}/volumeattachments`,
      spec("bad", { attacher: "d.example.com", nodeName: "n1", source: {} }),
    ],
    [
      "admin",
      `POST ${STORAGE}/volumeattachments`,
      spec("bad", { nodeName: "n1", source: { persistentVolumeName: "v" } }),
    ],
    ["admin", `PATCH ${STORAGE}/volumeattachments/va/status`, { status: { attached: true } }, MERGE],
    ["admin", `GET ${STORAGE}/volumeattachments`, undefined, TABLE],
    ["admin", `DELETE ${STORAGE}/volumeattachments/va`],
  ],
  "a volume": [
    ["admin", `POST ${VOLUMES}`, spec("bad", {})],
    ["admin", `POST ${VOLUMES}`, volume("bad", { accessModes: ["X"] })],
    ["admin", `POST ${VOLUMES}`, volume("bad", { accessModes: ["ReadWriteOncePod", "ReadOnlyMany"] })],
    ["admin", `POST ${VOLUMES}`, volume("bad", { persistentVolumeReclaimPolicy: "X" })],
    ["admin", `POST ${VOLUMES}`, volume("bad", { capacity: { storage: "0" } })],
    ["admin", `POST ${VOLUMES}`, volume("bad", { volumeMode: "X" })],
    ["admin", `POST ${VOLUMES}`, volume("bad", { hostPath: undefined })],
    ["admin", `POST ${CLAIMS}`, spec("bad", {})],
    ["admin", `POST ${CLAIMS}`, claim("bad", { accessModes: ["X"] })],
    ["admin", `POST ${CLAIMS}`, claim("bad", { resources: { requests: { storage: "0" } } })],
    ["admin", `POST ${CLAIMS}`, claim("bad", { volumeMode: "X" })],
    ["admin", `POST ${CLAIMS}`, claim("bad", { storageClassName: "A_b" })],
  ],
  "an event of events.k8s.io": [
    [
      "admin",
      `POST ${EVENTS}`,
      named("e", {
        eventTime: "2026-01-01T00:00:00.000000Z",
        reportingController: "example.com/c",
        reportingInstance: "i",
        action: "Do",
        reason: "Because",
        type: "Normal",
        regarding: { kind: "Pod", namespace: "k", name: "p" },
        note: "n",
      }),
    ],
    ["admin", `GET ${EVENTS}/e`],
    ["admin", `GET ${NS}/events/e`],
    ["admin", `POST ${EVENTS}`, named("bad")],
    ["admin", `POST ${EVENTS}`, named("bad", { eventTime: "2026-01-01T00:00:00.000000Z", deprecatedCount: 1 })],
    [
      "admin",
      `POST ${NS}/events`,
      named("old", { involvedObject: { kind: "Pod", namespace: "k", name: "p" }, message: "m", type: "Warning" }),
    ],
    ["admin", `GET ${EVENTS}/old`],
    ["admin", `GET ${EVENTS}?fieldSelector=regarding.name%3Dp,type%3DWarning`],
    ["admin", `GET ${EVENTS}?fieldSelector=involvedObject.name%3Dp`],
    ["admin", `PATCH ${EVENTS}/e`, { series: { count: 2, lastObservedTime: "2026-01-01T00:00:00.000000Z" } }, MERGE],
    ["admin", `GET ${EVENTS}/none`],
    ["admin", `DELETE ${EVENTS}/old`],
    ["admin", `GET ${NS}/events/old`],
  ],
  "a node": [
    ["admin", `POST ${CORE}/nodes`, named("n1")],
    ["admin", `POST ${CORE}/nodes`, spec("n2", { podCIDR: "10.1.0.0/24" })],
    ["admin", `POST ${CORE}/nodes`, spec("bad", { podCIDR: "x" })],
    ["admin", `POST ${CORE}/nodes`, spec("bad", { taints: [{ key: "a" }] })],
    ["admin", `POST ${CORE}/nodes`, spec("bad", { taints: [{ key: "a", effect: "X" }] })],
    ["admin", `POST ${CORE}/nodes`, spec("bad", { taints: [1, 2].map(() => ({ key: "a", effect: "NoExecute" })) })],
    ["admin", `PATCH ${CORE}/nodes/n2`, { spec: { podCIDR: "10.2.0.0/24", podCIDRs: ["10.2.0.0/24"] } }, MERGE],
    ["admin", `PATCH ${CORE}/nodes/n2`, { spec: { providerID: "a://b" } }, MERGE],
    ["admin", `PATCH ${CORE}/nodes/n2`, { spec: { providerID: "a://c" } }, MERGE],
    [
      "admin",
      `PATCH ${CORE}/nodes/n2/status`,
      { status: { capacity: { cpu: "4" }, addresses: [{ type: "InternalIP", address: "10.0.0.2" }] } },
      MERGE,
    ],
    ["admin", `PATCH ${CORE}/nodes/n2/status`, { status: { nodeInfo: { architecture: "arm64" } } }, MERGE],
    ["admin", `GET ${CORE}/nodes`, undefined, TABLE],
    ["admin", `DELETE ${CORE}/nodes/n2`],
  ],
  "a namespace": [
    ["admin", `PATCH ${CORE}/namespaces/k/status`, { status: { phase: "Terminating" } }, MERGE],
    ["admin", `PUT ${CORE}/namespaces/k/finalize`, named("k", { spec: { finalizers: ["kubernetes", "a.b/c"] } })],
    ["admin", `PUT ${CORE}/namespaces/k/finalize`, named("k", { spec: { finalizers: ["kubernetes"] } })],
    ["admin", `GET ${CORE}/namespaces/k/finalize`],
  ],
};

/** Equal in status and reason. Here the words are our own: theirs show storage keys, Go values or a mistake twice. */
const SAME_STATUS: readonly Row[] = [
  ["admin", `POST ${PODS}`, pod("told")],
  ["admin", `POST ${PODS}/told/binding`, { metadata: { name: "told", uid: "x" }, target: { name: "n1" } }],
  ["admin", `PATCH ${PODS}/told`, { spec: { nodeName: "n1" } }, MERGE],
  ["admin", `PATCH ${PODS}/told`, { spec: { restartPolicy: "Never" } }, MERGE],
  ["admin", `POST ${PODS}`, pod("bad", { containers: [container({ resources: { limits: { cpu: "many" } } })] })],
  ["admin", `POST ${PODS}`, pod("bad", { containers: [container({ ports: [{ containerPort: "x" }] })] })],
  ["admin", `GET ${DEVICES}/resourceslices?fieldSelector=spec.pool%3Dn1`],
  ["admin", `PATCH ${EVENTS}/e`, { reason: "Other" }, MERGE],
  ["admin", `POST ${VOLUMES}`, volume("v")],
  ["admin", `PATCH ${VOLUMES}/v`, { spec: { hostPath: { path: "/y" } } }, MERGE],
  ["admin", `PATCH ${VOLUMES}/v`, { spec: { volumeMode: "Block" } }, MERGE],
  ["admin", `PATCH ${VOLUMES}/v`, { spec: { claimRef: { namespace: "k", name: "c" } } }, MERGE],
  ["admin", `POST ${CLAIMS}`, claim("c")],
  ["admin", `PATCH ${CLAIMS}/c`, { spec: { resources: { requests: { storage: "2Gi" } } } }, MERGE],
  ["admin", `PATCH ${CLAIMS}/c`, { spec: { volumeName: "v" } }, MERGE],
  ["admin", `PATCH ${CLAIMS}/c`, { spec: { volumeName: "w" } }, MERGE],
  [
    "admin",
    `PATCH ${CLAIMS}/c/status`,
    { status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } } },
    MERGE,
  ],
  ["admin", `PATCH ${CLAIMS}/c`, { spec: { resources: { requests: { storage: "2Gi" } } } }, MERGE],
  ["admin", `PATCH ${CLAIMS}/c`, { spec: { resources: { requests: { storage: "1Gi" } } } }, MERGE],
  ["admin", `PATCH ${STORAGE}/volumeattachments/none`, { spec: {} }, MERGE],
  ["admin", `PATCH ${DEVICES}/namespaces/k/resourceclaims/none`, {}, MERGE],
];

/** Ages differ by the second between two servers. */
const aged = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, inner) => (typeof inner === "string" && /^\d+[smhdy]/.test(inner) ? "AGE" : inner)),
  );

for (const [what, rows] of Object.entries(SAME)) {
  describe(`${what} is the same on both`, () => {
    const titled = rows.map((row, at) => [`${at + 1}. ${row[1]}`, row] as const);
    it.each(titled)("%s", async (_title, row) => {
      const [mine, other] = await both.ask(row);
      const show = ({ status, body, text }: Received) => ({ status, body: aged(comparable(body ?? text)) });
      expect(show(mine)).toEqual(show(other));
    });
  });
}

describe("what is told in our own words has the same meaning", () => {
  const titled = SAME_STATUS.map((row, at) => [`${at + 1}. ${row[1]}`, row] as const);
  it.each(titled)("%s", async (_title, row) => {
    const [mine, other] = await both.ask(row);
    expect([mine.status, mine.body?.reason], mine.text).toEqual([other.status, other.body?.reason]);
  });
});

describe("discovery", () => {
  interface Entry {
    readonly name: string;
    readonly kind: string;
    readonly singularName: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
    readonly group?: string;
    readonly version?: string;
  }
  /** Streams into containers and processes, and what only controllers that do not run here would use. */
  const NOT_SERVED = /^(?:pods|services|nodes)\/(?:attach|ephemeralcontainers|exec|log|portforward|proxy|resize)$/;

  it.each([
    "/api/v1",
    "/apis/discovery.k8s.io/v1",
    "/apis/events.k8s.io/v1",
    "/apis/node.k8s.io/v1",
    "/apis/resource.k8s.io/v1",
    "/apis/scheduling.k8s.io/v1",
    "/apis/storage.k8s.io/v1",
  ])("tells the same about what is served in %s", async (path) => {
    const [mine, other] = await both.ask(["admin", `GET ${path}`]);
    const ours = new Map<string, Entry>(mine.body.resources.map((one: Entry) => [one.name, one]));
    const real = new Map<string, Entry>(other.body.resources.map((one: Entry) => [one.name, one]));
    for (const [name, entry] of ours) {
      const known = (real.get(name) ?? {}) as Entry;
      const sorted = (one: Entry) => ({ ...one, verbs: [...one.verbs].sort() });
      expect(sorted(entry), name).toEqual(sorted(known));
      const missing = [...real.keys()].filter((key) => key.startsWith(`${name}/`) && !ours.has(key));
      expect(missing.filter((key) => !NOT_SERVED.test(key))).toEqual([]);
    }
  });
});

describe("kubectl", () => {
  const KINDS = [
    "pods",
    "services",
    "serviceaccounts",
    "endpoints",
    "endpointslices",
    "events",
    "nodes",
    "namespaces",
    "persistentvolumes",
    "persistentvolumeclaims",
    "storageclasses",
    "csidrivers",
    "csinodes",
    "volumeattachments",
    "runtimeclasses",
    "priorityclasses",
    "resourceslices",
    "resourceclaims",
  ];
  const LEFT: readonly Row[] = [
    ["admin", `POST ${SLICES}`, named("left", { addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.9"] }] })],
    ["admin", `POST ${NS}/endpoints`, named("left", { subsets: [{ addresses: [{ ip: "10.0.0.9" }] }] })],
    ["admin", `POST ${STORAGE}/storageclasses`, named("left", { provisioner: "p.example.com" })],
    ["admin", `POST ${RUNTIMES}`, named("left", { handler: "h" })],
    ["admin", `POST ${DEVICES}/resourceslices`, slice("left")],
    ["admin", `POST ${DEVICES}/namespaces/k/resourceclaims`, spec("left", { devices: {} })],
    [
      "admin",
      `POST ${STORAGE}/volumeattachments`,
      spec("left", { attacher: "d.example.com", nodeName: "n1", source: { persistentVolumeName: "v" } }),
    ],
  ];

  beforeAll(async () => {
    for (const row of LEFT) for (const { status } of await both.ask(row)) expect(status, row[1]).toBe(201);
  });

  it.each(KINDS)("prints the same %s, wide", async (kind) => {
    const printed = await both.kubectl(["get", kind, "-n", "k", "-o", "wide"]);
    // Ages differ, and with them the widths of the columns.
    const [mine = "", other] = printed.map((text) => text.replace(/\b(?:\d+[smhd])+\b/g, "AGE").replace(/ +/g, " "));
    expect(mine).toBe(other);
    expect(mine.split("\n").length).toBeGreaterThan(2);
  });
});

describe("in protobuf", () => {
  const PROTOBUF = { accept: "application/vnd.kubernetes.protobuf" };
  it.each([
    `${CORE}/nodes`,
    PODS,
    SERVICES,
    `${NS}/serviceaccounts`,
    `${NS}/endpoints`,
    `${NS}/events`,
    EVENTS,
    VOLUMES,
    CLAIMS,
    SLICES,
    `${STORAGE}/csinodes`,
    `${STORAGE}/csidrivers`,
    `${STORAGE}/storageclasses`,
    `${STORAGE}/volumeattachments`,
    RUNTIMES,
    PRIORITIES,
    `${DEVICES}/resourceslices`,
    `${DEVICES}/namespaces/k/resourceclaims`,
  ])("%s is listed too", async (path) => {
    for (const { status, headers } of await both.ask(["admin", `GET ${path}`, undefined, PROTOBUF])) {
      expect([status, headers["content-type"]]).toEqual([200, "application/vnd.kubernetes.protobuf"]);
    }
  });
});
