// Two workload clusters and the management cluster of both, whichever API server they run: each controller is the
// program with its flags, and has on the management cluster the rights of deploy/management-rbac.yaml for its own
// cluster and no others.

import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { buildTokenSecret, encodeToken, generateToken } from "../../src/api/bootstrap/index.ts";
import { type CertificateSigningRequest, isIssued, KUBELET_CLIENT_SIGNER } from "../../src/api/certificates/index.ts";
import type { Namespace, Secret } from "../../src/api/core/index.ts";
import {
  identityName,
  JOIN_POLICIES,
  type JoinPolicy,
  NODE_IDENTITIES,
  type NodeIdentity,
} from "../../src/api/countersign/index.ts";
import { CAPI_MACHINES_V1BETA2 } from "../../src/api/foreign/machine.ts";
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CSRS,
  type KubeObject,
  NAMESPACES,
  type Resource,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
} from "../../src/api/meta/index.ts";
import { CHALLENGE_ANNOTATION } from "../../src/attestation/evidence/index.ts";
import { runControllerCommand, verdictOn } from "../../src/controller/index.ts";
import { encodeBase64, encodeUtf8 } from "../../src/kernel/bytes/index.ts";
import { isFault } from "../../src/kernel/outcome/index.ts";
import { evidenceClusterOf } from "../../src/node/certificates/index.ts";
import { randomBytes } from "../../src/platform/keys/index.ts";
import type { Credentials } from "../../src/platform/kube/connection/credentials.ts";
import { createKubeClient, type KubeClient } from "../../src/platform/kube/index.ts";
import { anAttestingMachine } from "../builders/attesting-machine.ts";
import { aClientCertificate } from "../builders/client-certificate.ts";
import { aCsr, forNode } from "../builders/csr.ts";
import { anAuthority } from "../builders/csr-authority.ts";
import { writeKubeconfigFile } from "../builders/kubeconfig-file.ts";
import { machineDefinition } from "../builders/machine-definition.ts";
import { aSoftTpm } from "../builders/soft-tpm.ts";
import { aProcess } from "../fakes/process-edge.ts";
import { findFreePorts } from "../upstream/harness/ports.ts";
import { CLIENT_SIGNER, ekHash } from "./attestation-stage.ts";
import { applyRights, controllerIdentity, ensureKubeadmObjects, eventually, type Plane } from "./controller-stage.ts";
import { define, loadDefinitions } from "./definitions.ts";

const NAMESPACE = "fleet";
const CLUSTERS = ["east", "west"] as const;
type ClusterName = (typeof CLUSTERS)[number];
const base64 = (text: string) => encodeBase64(encodeUtf8(text));
const userOf = ({ certPem, keyPem }: Credentials) => ({
  "client-certificate-data": base64(certPem ?? ""),
  "client-key-data": base64(keyPem ?? ""),
});

interface Workload {
  readonly plane: Plane;
  /** Of its controller: what its /readyz says of each thing. */
  readonly probe: () => Promise<string>;
  /** Asks for certificates as kubelets with a bootstrap token do. */
  readonly joining: KubeClient;
  readonly stop: AbortController;
  readonly ended: Promise<number>;
}

export function describeManagement(where: string, startPlane: () => Promise<Plane>): void {
  describe(`two clusters with one management cluster on ${where}`, () => {
    let management: Plane;
    let directory: string;
    const workloads = new Map<ClusterName, Workload>();
    const of = (cluster: ClusterName) => workloads.get(cluster) as Workload;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "countersign-management-"));
      const planes = await Promise.all([startPlane(), startPlane(), startPlane()]);
      management = planes[0];
      await prepareManagement(management);
      for (const [at, cluster] of CLUSTERS.entries()) {
        const plane = planes[at + 1] as Plane;
        await prepareWorkload(plane);
        await putCa(management, cluster, plane);
        workloads.set(cluster, await start(plane, cluster));
      }
    });
    afterAll(async () => {
      for (const { stop, ended, joining, plane } of workloads.values()) {
        stop.abort();
        await ended;
        await joining.close();
        await plane.stop();
      }
      await management?.stop();
      await rm(directory, { recursive: true });
    });

    function flagsOf(plane: Plane, cluster: ClusterName): readonly string[] {
      const user = `system:serviceaccount:countersign-system:node-attestation-controller-${cluster}`;
      const own = writeKubeconfigFile(join(directory, `${cluster}.conf`), plane, userOf(controllerIdentity(plane)));
      const other = writeKubeconfigFile(
        join(directory, `${cluster}-management.conf`),
        management,
        userOf(aClientCertificate(management, { user, groups: [] })),
      );
      return [
        ...[`--kubeconfig=${own}`, `--management-kubeconfig=${other}`],
        ...[`--cluster-name=${NAMESPACE}/${cluster}`, "--ca-from-cluster", `--audit-log=${directory}/${cluster}.log`],
        "--log-level=silent",
      ];
    }

    async function start(plane: Plane, cluster: ClusterName): Promise<Workload> {
      const token = generateToken(randomBytes);
      await plane.admin.create(SECRETS, buildTokenSecret(token, { nowMs: Date.now(), ttlMs: 3_600_000 }));
      const stop = new AbortController();
      const { edge } = aProcess({ stop: stop.signal });
      const [port] = await findFreePorts(1);
      const ended = runControllerCommand([...flagsOf(plane, cluster), `--status-address=127.0.0.1:${port}`], edge);
      const credentials = () => ({ token: encodeToken(token) });
      const joining = createKubeClient({ server: plane.url, caPem: plane.caPem, credentials });
      return { plane, joining, stop, ended, probe: () => probe(port) };
    }

    async function untilSaid(cluster: ClusterName, words: string): Promise<void> {
      await eventually(`${cluster} to say: ${words}`, of(cluster).probe, (said) => said.includes(words));
    }

    async function ask(cluster: ClusterName, nodeName: string): Promise<string> {
      const { apiVersion, kind, spec } = aCsr(forNode(nodeName));
      const { request, signerName, usages } = spec;
      const body = { apiVersion, kind, metadata: { name: nodeName }, spec: { request, signerName, usages } };
      await of(cluster).joining.create(CSRS, body as CertificateSigningRequest);
      return nodeName;
    }

    async function seen(cluster: ClusterName, name: string, reason: string): Promise<CertificateSigningRequest> {
      const look = () => of(cluster).plane.admin.get<CertificateSigningRequest>(CSRS, { name });
      const isThere = (csr: CertificateSigningRequest) =>
        verdictOn(csr)?.reason === reason && (reason !== "NodeMayJoin" || csr.status?.certificate !== undefined);
      return await eventually(`${name} in ${cluster}: ${reason}`, look, isThere);
    }

    it("signs the requests of each with its own CA, and never with the other's", async () => {
      const pairs: readonly (readonly [ClusterName, ClusterName])[] = [
        ["east", "west"],
        ["west", "east"],
      ];
      for (const [cluster, other] of pairs) {
        await putMachine(management, cluster, `signed-in-${cluster}`);
        const { status } = await seen(cluster, await ask(cluster, `signed-in-${cluster}`), "NodeMayJoin");
        const certificate = new X509Certificate(Buffer.from(status?.certificate ?? "", "base64"));
        const isBy = (name: ClusterName) => certificate.verify(new X509Certificate(of(name).plane.caPem).publicKey);
        expect([isBy(cluster), isBy(other)]).toEqual([true, false]);
      }
    });

    it("finds no Machine of another cluster, whatever the policy says", async () => {
      await putMachine(management, "west", "only-in-west");
      await seen("west", await ask("west", "only-in-west"), "NodeMayJoin");
      await seen("east", await ask("east", "only-in-west"), "MachineIsUnknown");
      await of("east").plane.admin.create<JoinPolicy>(
        JOIN_POLICIES,
        aPolicy("astray", { machines: { clusterName: "west", namespace: NAMESPACE }, nodeNames: "astray-.*" }),
      );
      await putMachine(management, "west", "astray-1");
      await seen("east", await ask("east", "astray-1"), "MachineIsUnknown");
    });

    it("attests a machine by what the management cluster knows of it, and pins it there", async () => {
      const { plane, joining } = of("east");
      const [node, tpm] = ["attested-1", aSoftTpm()];
      const attestation = { tpm: { endorsementKeys: [ekHash(tpm)] } };
      const policy = aPolicy("attested");
      const spec = { mode: "Enforce" as const, nodeNames: "attested-.*", attestation };
      await plane.admin.create<JoinPolicy>(JOIN_POLICIES, { ...policy, spec });
      const providerId = `test:///${node}`;
      await putMachine(management, "east", node, { providerID: providerId });
      const claimed = { intent: "join", purpose: "client", signer: CLIENT_SIGNER, node, providerId } as const;
      const statement = { ...claimed, cluster: evidenceClusterOf(plane.caPem), offered: ["tpm/1"] };
      const machine = anAttestingMachine({ client: joining, statement, tpm });
      const until = (what: string, { metadata }: KubeObject, holds: (csr: CertificateSigningRequest) => boolean) =>
        eventually(what, () => plane.admin.get<CertificateSigningRequest>(CSRS, { name: metadata.name ?? "" }), holds);
      const isChallenged = ({ metadata }: KubeObject) => metadata.annotations?.[CHALLENGE_ANNOTATION] !== undefined;
      const hello = await until("a challenge", await machine.hello(), isChallenged);
      await until("a certificate", await machine.send(machine.answer(hello)), isIssued);
      const identity = await management.admin.get<NodeIdentity>(NODE_IDENTITIES, { name: identityName(node, "east") });
      expect(identity.status?.machine).toMatchObject({ namespace: NAMESPACE, name: `east-${node}` });
    });

    it("keeps to the last good CA while the new one does not fit", async () => {
      const spoiled = { ...anAuthority(), certPem: of("east").plane.caPem };
      await management.admin.update(SECRETS, { ...(await caOf(management, "east")), data: dataOf(spoiled) });
      await untilSaid("east", "the last one stays in use, the new one cannot be");
      await putMachine(management, "east", "after-a-spoiled-ca");
      await seen("east", await ask("east", "after-a-spoiled-ca"), "NodeMayJoin");
    });

    it("signs nothing with a CA that the API server of the requests does not take for its own", async () => {
      const west = await caOf(management, "west");
      const foreign = anAuthority();
      await management.admin.update(SECRETS, { ...west, data: dataOf(foreign) });
      await untilSaid("west", "the CA is that of another cluster");
      await putMachine(management, "west", "with-a-foreign-ca");
      const name = await ask("west", "with-a-foreign-ca");
      const look = () => of("west").plane.admin.get<CertificateSigningRequest>(CSRS, { name });
      const approved = await eventually("the approval", look, ({ status }) => status?.conditions !== undefined);
      expect(approved.status?.certificate).toBeUndefined();
      await management.admin.update(SECRETS, { ...(await caOf(management, "west")), data: west.data ?? {} });
      const { status } = await eventually("a certificate", look, (csr) => csr.status?.certificate !== undefined);
      const certificate = new X509Certificate(Buffer.from(status?.certificate ?? "", "base64"));
      const isBy = (caPem: string) => certificate.verify(new X509Certificate(caPem).publicKey);
      expect([isBy(of("west").plane.caPem), isBy(foreign.certPem)]).toEqual([true, false]);
    });

    it("has keys of challenges of its own for each of them", async () => {
      const keysOf = (cluster: ClusterName) => {
        const where = { namespace: "countersign-system", name: `countersign-challenge-keys-${cluster}` };
        const look = () => management.admin.list<Secret>(SECRETS, { namespace: where.namespace });
        const named = ({ items }: { readonly items: readonly Secret[] }) =>
          items.find(({ metadata }) => metadata.name === where.name);
        return eventually(
          where.name,
          async () => named(await look()),
          (secret) => secret !== undefined,
        );
      };
      const [east, west] = await Promise.all([keysOf("east"), keysOf("west")]);
      expect(Object.keys(east?.data ?? {}).filter((kid) => kid in (west?.data ?? {}))).toEqual(["current"]);
    });

    it("is not ready while its management cluster is away", async () => {
      const [at] = await findFreePorts(1);
      const stop = new AbortController();
      const { edge } = aProcess({ stop: stop.signal });
      const away = { ...management, url: "https://127.0.0.1:1" };
      const conf = writeKubeconfigFile(join(directory, "away.conf"), away, userOf(controllerIdentity(management)));
      const flags = [...flagsOf(of("west").plane, "west"), `--management-kubeconfig=${conf}`, "--leader-elect=false"];
      const ended = runControllerCommand(
        [...flags, "--controllers=cleaning", `--status-address=127.0.0.1:${at}`],
        edge,
      );
      const text = await eventually(
        "an answer",
        () => probe(at),
        (seen) => seen.includes("caches"),
      );
      expect(text).toContain("Machines of the management cluster");
      stop.abort();
      expect(await ended).toBe(0);
    });

    it("does not start with a key that is not the CA's", async () => {
      const { plane } = of("east");
      const good = await caOf(management, "east");
      await management.admin.update(SECRETS, { ...good, data: dataOf({ ...anAuthority(), certPem: plane.caPem }) });
      const { edge, written } = aProcess();
      expect(await runControllerCommand(flagsOf(plane, "east"), edge)).toBe(78);
      expect(written.err).toContain("the CA key does not belong to the CA certificate");
    });
  });
}

/** Empty while nobody answers. */
async function probe(port: number | undefined): Promise<string> {
  try {
    return await (await fetch(`http://127.0.0.1:${port}/readyz?verbose`)).text();
  } catch {
    return "";
  }
}

function aPolicy(
  name: string,
  { machines, nodeNames }: Pick<JoinPolicy["spec"], "machines" | "nodeNames"> = {},
): JoinPolicy {
  const spec = { mode: "Enforce" as const, signers: [KUBELET_CLIENT_SIGNER], client: { admit: "Machine" as const } };
  return {
    apiVersion: "countersign.dev/v1alpha1",
    kind: "JoinPolicy",
    metadata: { name },
    spec: {
      ...spec,
      ...(machines === undefined ? {} : { machines }),
      ...(nodeNames === undefined ? {} : { nodeNames }),
    },
  };
}

const KINDS: Record<string, Resource> = {
  Namespace: NAMESPACES,
  ClusterRole: CLUSTER_ROLES,
  ClusterRoleBinding: CLUSTER_ROLE_BINDINGS,
  Role: ROLES,
  RoleBinding: ROLE_BINDINGS,
};

async function prepareManagement({ admin }: Plane): Promise<void> {
  await define(admin, machineDefinition("cluster.x-k8s.io", ["v1beta2"]), CAPI_MACHINES_V1BETA2);
  for (const definition of await loadDefinitions()) {
    if (definition.metadata.name?.startsWith("nodeidentities") === true)
      await define(admin, definition, NODE_IDENTITIES);
  }
  const fleet: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
  await admin.create(NAMESPACES, fleet);
  const text = await readFile(new URL("../../deploy/management-rbac.yaml", import.meta.url), "utf8");
  for (const cluster of CLUSTERS) {
    for (const document of parseAllDocuments(text.replaceAll("east", cluster))) {
      const object = document.toJS() as KubeObject;
      const resource = KINDS[object.kind];
      if (resource !== undefined) await createOnce(admin, resource, object);
    }
  }
}

async function prepareWorkload({ admin, url }: Plane): Promise<void> {
  for (const definition of await loadDefinitions()) {
    if (definition.metadata.name?.startsWith("joinpolicies") === true) await define(admin, definition, JOIN_POLICIES);
  }
  await applyRights(admin);
  await ensureKubeadmObjects(admin, url);
  await admin.create(JOIN_POLICIES, aPolicy("machines"));
}

async function createOnce(admin: KubeClient, resource: Resource, object: KubeObject): Promise<void> {
  try {
    await admin.create(resource, object);
  } catch (error) {
    if (!isFault(error, "already-exists")) throw error;
  }
}

function dataOf({ certPem, keyPem }: { readonly certPem: string; readonly keyPem: string }) {
  return { "tls.crt": base64(certPem), "tls.key": base64(keyPem) };
}

async function putCa({ admin }: Plane, cluster: string, { caPem, caKeyPem }: Plane): Promise<void> {
  await admin.create<Secret>(SECRETS, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: NAMESPACE, name: `${cluster}-ca` },
    type: "cluster.x-k8s.io/secret",
    data: dataOf({ certPem: caPem, keyPem: caKeyPem }),
  });
}

async function caOf({ admin }: Plane, cluster: string): Promise<Secret> {
  return await admin.get<Secret>(SECRETS, { namespace: NAMESPACE, name: `${cluster}-ca` });
}

async function putMachine({ admin }: Plane, cluster: ClusterName, nodeName: string, more: object = {}): Promise<void> {
  const machine = {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "Machine",
    metadata: { namespace: NAMESPACE, name: `${cluster}-${nodeName}` },
    spec: { clusterName: cluster, bootstrap: { dataSecretName: "data" }, ...more },
  };
  const { metadata } = await admin.create(CAPI_MACHINES_V1BETA2, machine as KubeObject);
  const status = { addresses: [{ type: "InternalDNS", address: nodeName }] };
  const target = { namespace: NAMESPACE, name: metadata.name ?? "", subresource: "status" };
  await admin.patch(CAPI_MACHINES_V1BETA2, target, { status }, { type: "merge" });
}
