// Our definitions on an API server, whichever: accepted as they are shipped, with their validation, status and columns;
// and the Machines of others, in three versions, as the controller reads them. Suite for the embedded server and for a
// real one.

import { readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  JOIN_POLICIES,
  type JoinPolicy,
  MACHINE_NAME_SOURCES,
  NODE_IDENTITIES,
  type NodeIdentity,
  POLICY_MODES,
  readJoinPolicy,
} from "../../src/api/countersign/index.ts";
import { ADMISSIONS } from "../../src/api/countersign/join-policy.ts";
import { EXCHANGE_STATES, IDENTITY_PHASES } from "../../src/api/countersign/node-identity.ts";
import { EK_TRUST_LEVELS } from "../../src/api/countersign/words.ts";
import { MACHINE_RESOURCES } from "../../src/api/foreign/index.ts";
import { CAPI_MACHINES_V1BETA1, CAPI_MACHINES_V1BETA2, OPENSHIFT_MACHINES } from "../../src/api/foreign/machine.ts";
import { type KubeObject, NAMESPACES, type Resource } from "../../src/api/meta/index.ts";
import type { MachineQuery } from "../../src/controller/judging/look.ts";
import { createMachines, type Machines } from "../../src/controller/machines/index.ts";
import { isFault } from "../../src/kernel/outcome/index.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import type { KubeClient } from "../../src/platform/kube/index.ts";
import { silentLog } from "../../src/platform/report/index.ts";
import { machineDefinition } from "../builders/machine-definition.ts";
import { eventually, type Plane } from "./controller-stage.ts";

const DEFINITIONS: Resource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

const FOLDER = new URL("../../deploy/crds/", import.meta.url);

export async function loadDefinitions(): Promise<readonly KubeObject[]> {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith(".yaml"));
  return Promise.all(files.map(async (name) => parse(await readFile(new URL(name, FOLDER), "utf8")) as KubeObject));
}

export async function define(admin: KubeClient, definition: KubeObject, resource: Resource): Promise<void> {
  await admin.create(DEFINITIONS, definition);
  await eventually(`${resource.plural} to be served`, () => isServed(admin, resource), Boolean);
}

/** JoinPolicy and NodeIdentity. */
export async function defineOwnKinds(admin: KubeClient): Promise<void> {
  for (const definition of await loadDefinitions()) {
    const isPolicy = definition.metadata.name?.startsWith("joinpolicies") === true;
    await define(admin, definition, isPolicy ? JOIN_POLICIES : NODE_IDENTITIES);
  }
}

/** Our own kinds, and the Machines of Cluster API. */
export async function defineKinds({ admin }: Pick<Plane, "admin">): Promise<void> {
  await defineOwnKinds(admin);
  await define(admin, machineDefinition("cluster.x-k8s.io", ["v1beta2"]), CAPI_MACHINES_V1BETA2);
}

async function isServed(admin: KubeClient, resource: Resource): Promise<boolean> {
  try {
    await admin.list(resource);
    return true;
  } catch (error) {
    if (isFault(error)) return false;
    throw error;
  }
}

function policy(name: string, spec: object): JoinPolicy {
  return { apiVersion: "countersign.dev/v1alpha1", kind: "JoinPolicy", metadata: { name }, spec } as JoinPolicy;
}

export function describeDefinitions(where: string, startPlane: () => Promise<Plane>): void {
  describe(`our definitions on ${where}`, () => {
    let plane: Plane;
    beforeAll(async () => {
      plane = await startPlane();
      await defineOwnKinds(plane.admin);
    });
    afterAll(() => plane?.stop());

    it("takes a policy that says everything, gives it the defaults, and keeps every field", async () => {
      const spec = {
        mode: "Enforce",
        signers: ["kubernetes.io/kubelet-serving"],
        nodeNames: "worker-.*",
        client: {
          admit: "Machine",
          requesters: ["boot"],
          joinWindowSeconds: 60,
          clockSkewSeconds: 5,
          maxExpirationSeconds: 600,
        },
        serving: {
          approve: true,
          inventory: {
            machineAddresses: true,
            nodeAddresses: false,
            ipPrefixes: ["10.0.0.0/8"],
            dnsPattern: "{node}",
            dns: true,
            allow: [{ nodeNames: "a", names: ["b"] }],
          },
          renewal: "Allow",
          maxNames: 4,
          maxExpirationSeconds: 600,
          evidence: "Required",
          maxAttestationAgeSeconds: 60,
        },
        machines: { clusterName: "c", namespace: "n", nameFrom: ["Hostname", "ProviderID"] },
        limits: { pendingPerRequester: 5, newIdentitiesPerHour: 6 },
        attestation: {
          providers: ["tpm"],
          tpm: {
            endorsementKeys: ["ab".repeat(32)],
            deniedEndorsementKeys: [],
            roots: "pem",
            intermediates: "pem",
            certificateValidity: "Report",
            firstUse: "Allow",
            pcrs: { rule: "Match", select: [0, 7], allowed: [{ index: 0, values: ["cd".repeat(32)] }] },
          },
          challengeSeconds: 300,
          sealing: "Optional",
          renewalBeacon: true,
          ekAnnotation: "Digest",
        },
        disabledRules: ["node-name-is-valid"],
      };
      const created = await plane.admin.create(JOIN_POLICIES, policy("whole", spec));
      expect(created.spec).toEqual(spec);
      expect(readJoinPolicy(created)).toMatchObject({ name: "whole", mode: "Enforce" });
      const small = await plane.admin.create(JOIN_POLICIES, policy("small", { mode: "Shadow", client: {} }));
      expect(small.spec).toEqual({ mode: "Shadow", client: { admit: "Evidence" } });
    });

    it.each<[string, object]>([
      ["no mode", {}],
      ["an unknown mode", { mode: "Perhaps" }],
      ["an unknown admission", { mode: "Shadow", client: { admit: "Luck" } }],
      ["a window of nothing", { mode: "Shadow", client: { joinWindowSeconds: 0 } }],
      ["a key that is no digest", { mode: "Shadow", attestation: { tpm: { endorsementKeys: ["x"] } } }],
      ["an unknown source of names", { mode: "Shadow", machines: { nameFrom: ["Rumour"] } }],
    ])("refuses a policy with %s", async (_, spec) => {
      await expect(plane.admin.create(JOIN_POLICIES, policy("bad", spec))).rejects.toMatchObject({ code: "invalid" });
    });

    it("keeps status and spec apart: neither can be written through the other", async () => {
      const { metadata } = await plane.admin.create(JOIN_POLICIES, policy("apart", { mode: "Shadow" }));
      const condition = {
        type: "Accepted",
        status: "True",
        lastTransitionTime: "2026-01-01T00:00:00Z",
        reason: "R",
        message: "m",
      };
      const name = metadata.name ?? "";
      await plane.admin.patch(JOIN_POLICIES, { name }, { status: { conditions: [condition] } }, { type: "merge" });
      expect((await plane.admin.get<JoinPolicy>(JOIN_POLICIES, { name })).status).toBeUndefined();
      const both = { spec: { mode: "Enforce" }, status: { observedGeneration: 1, conditions: [condition] } };
      await plane.admin.patch(JOIN_POLICIES, { name, subresource: "status" }, both, { type: "merge" });
      const after = await plane.admin.get<JoinPolicy>(JOIN_POLICIES, { name });
      expect(after).toMatchObject({ spec: { mode: "Shadow" }, status: { conditions: [condition] } });
    });

    it("takes a whole NodeIdentity and refuses a ninth exchange", async () => {
      const exchange = (n: number) => ({
        proofUid: `p${n}`,
        helloUid: "h",
        spkiSha256: "ab".repeat(32),
        signerName: "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm",
        state: "Issued" as const,
        at: "2026-01-01T00:00:00Z",
      });
      const identity: NodeIdentity = {
        apiVersion: "countersign.dev/v1alpha1",
        kind: "NodeIdentity",
        metadata: { name: "one-worker-3", labels: { "countersign.dev/ek": "a".repeat(52) } },
        spec: {
          clusterName: "one",
          nodeName: "worker-3",
          providerId: "aws:///i-3",
          tpm: { ek: { spkiSha256: "ab".repeat(32) } },
        },
      };
      const status: NodeIdentity["status"] = {
        phase: "Active",
        provider: "tpm",
        protocolFloor: "tpm/1",
        providerId: "aws:///i-3",
        machine: { namespace: "n", name: "m", uid: "u" },
        tpm: {
          ek: { spkiSha256: "ab".repeat(32), public: "AAAA", certificateSha256: "cd".repeat(32), trust: "Bound" },
          ak: { name: `000b${"ab".repeat(32)}`, public: "AAAA" },
          manufacturer: "id:49424D00",
          firmware: "1.2",
          resetCount: 1,
          restartCount: 2,
          clock: "12345678901234567890",
          pcrs: { bank: "sha256", values: [{ index: 0, value: "ab".repeat(32) }] },
        },
        attestedAt: "2026-01-01T00:00:00Z",
        exchanges: [exchange(1)],
        certificates: [
          {
            sha256: "ab".repeat(32),
            serialNumber: "01",
            notAfter: "2026-01-02T00:00:00Z",
            purpose: "Client",
            superseded: false,
          },
        ],
      };
      await plane.admin.create(NODE_IDENTITIES, identity);
      const target = { name: "one-worker-3", subresource: "status" };
      const written = await plane.admin.patch<NodeIdentity>(NODE_IDENTITIES, target, { status }, { type: "merge" });
      expect(written.status).toEqual(status);
      const nine = { status: { exchanges: Array.from({ length: 9 }, (_, n) => exchange(n)) } };
      await expect(plane.admin.patch(NODE_IDENTITIES, target, nine, { type: "merge" })).rejects.toMatchObject({
        code: "invalid",
      });
    });

    it("has the words of the types in its lists", async () => {
      const text = JSON.stringify(await loadDefinitions());
      for (const words of [
        POLICY_MODES,
        ADMISSIONS,
        MACHINE_NAME_SOURCES,
        EK_TRUST_LEVELS,
        IDENTITY_PHASES,
        EXCHANGE_STATES,
      ]) {
        expect(text).toContain(JSON.stringify(words));
      }
    });
  });

  describe(`Machines on ${where}`, () => {
    let plane: Plane;
    let machines: Machines;
    const stop = new AbortController();
    let running: Promise<void>;
    const changed: string[] = [];
    beforeAll(async () => {
      plane = await startPlane();
      machines = createMachines(plane.admin, { clock: systemClock, random: () => 0, log: silentLog, lookAgainMs: 200 });
      machines.onChange((keys) => changed.push(...keys));
      running = machines.run(stop.signal);
      await machines.waitForSync(AbortSignal.timeout(10_000));
    });
    afterAll(async () => {
      stop.abort();
      await running;
      await plane?.stop();
    });

    const query = (nodeName: string, clusterName = "one"): MachineQuery => ({
      nodeName,
      clusterName,
      providerId: undefined,
      namespace: undefined,
      nameFrom: ["InternalDNS", "Hostname"],
    });

    async function create(resource: Resource, name: string, hostname: string): Promise<void> {
      const object = {
        apiVersion: `${resource.group}/${resource.version}`,
        kind: "Machine",
        metadata: { name, namespace: "default", labels: { "machine.openshift.io/cluster-api-cluster": "one" } },
        spec: { clusterName: "one" },
      };
      await plane.admin.create(resource, object);
      const status = {
        addresses: [{ type: "Hostname", address: hostname }],
        initialization: { bootstrapDataSecretCreated: true },
        bootstrapReady: true,
      };
      await plane.admin.patch(
        resource,
        { name, namespace: "default", subresource: "status" },
        { status },
        { type: "merge" },
      );
    }

    const found = (nodeName: string) =>
      eventually(
        `the Machine of ${nodeName}`,
        async () => machines.find(query(nodeName)),
        ({ kind }) => kind === "Present",
      );

    it("there are none, and that is known, where nobody defines them", () => {
      expect(machines.hasSynced()).toBe(true);
      expect(machines.find(query("worker-1"))).toEqual({ kind: "Absent" });
    });

    it("of every version that appears later are found by their addresses", async () => {
      const capi = [CAPI_MACHINES_V1BETA1, CAPI_MACHINES_V1BETA2];
      await define(
        plane.admin,
        machineDefinition(
          "cluster.x-k8s.io",
          capi.map(({ version }) => version),
        ),
        CAPI_MACHINES_V1BETA1,
      );
      await define(
        plane.admin,
        machineDefinition("machine.openshift.io", [OPENSHIFT_MACHINES.version]),
        OPENSHIFT_MACHINES,
      );
      await ensureNamespace(plane.admin);
      for (const [at, resource] of MACHINE_RESOURCES.entries()) await create(resource, `machine-${at}`, `worker-${at}`);
      for (const [at, { group }] of MACHINE_RESOURCES.entries()) {
        const seen = await found(`worker-${at}`);
        expect(seen).toMatchObject({
          value: { kind: "One", machine: { name: `machine-${at}`, group, clusterName: "one" } },
        });
      }
      expect(machines.find(query("worker-0", "two"))).toEqual({ kind: "Absent" });
      expect(changed).toEqual(expect.arrayContaining(["worker-0", "worker-1", "worker-2"]));
      expect(machines.count()).toBe(MACHINE_RESOURCES.length);
    });
  });
}

async function ensureNamespace(admin: KubeClient): Promise<void> {
  try {
    await admin.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } });
  } catch (error) {
    if (!isFault(error, "already-exists")) throw error;
  }
}
