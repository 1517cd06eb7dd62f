// docs/guides/controller.md, "A management cluster", typed as it stands: two real API servers, one of which has what
// Cluster API keeps there. Beside it a machine that only another Cluster of the same management cluster knows.

import { X509Certificate } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import type { CertificateSigningRequest } from "../../src/api/certificates/index.ts";
import { CAPI_MACHINES_V1BETA2 } from "../../src/api/foreign/machine.ts";
import { CSRS, NAMESPACES, SECRETS } from "../../src/api/meta/index.ts";
import { encodeBase64, encodeUtf8 } from "../../src/kernel/bytes/index.ts";
import { type KubeClient, loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { machineDefinition } from "../builders/machine-definition.ts";
import { define } from "../contract/definitions.ts";
import { type Desk, follow, linesUnder, linkPrograms, type } from "../guides/guide.ts";
import { locateBinary } from "./assets/binaries.mjs";
import { joinRequest } from "./controller/joins.ts";
import {
  type ControlPlane,
  createWorkspace,
  type ServerProcess,
  startControlPlane,
  startProcess,
  type Workspace,
  waitFor,
} from "./harness/index.ts";

const LINES = linesUnder("docs/guides/controller.md", "A management cluster");
const LIMIT_MS = 120_000;

let workspace: Workspace;
let planes: Readonly<Record<"management" | "east", ControlPlane>>;
let management: KubeClient;
let east: KubeClient;
let node: KubeClient;
let desk: Desk;
let controller: ServerProcess | undefined;

beforeAll(async () => {
  workspace = await createWorkspace("guide-management");
  const [first, second] = await Promise.all([startControlPlane(), startControlPlane()]);
  planes = { management: first, east: second };
  management = await loadKubeconfigClient(planes.management.adminKubeconfigPath);
  east = await loadKubeconfigClient(planes.east.adminKubeconfigPath);
  node = await loadKubeconfigClient(
    await planes.east.writeTokenKubeconfig("node", await planes.east.createBootstrapToken()),
  );
  const bin = linkPrograms(workspace.dir, { kubectl: locateBinary("kubectl").path });
  const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, KUBECONFIG: await oneKubeconfig(), HOME: workspace.dir };
  desk = { directory: workspace.dir, examples: {}, env };
  await asClusterApiDoes();
}, LIMIT_MS);
afterAll(async () => {
  await controller?.stop();
  await Promise.all([management?.close(), east?.close(), node?.close()]);
  await Promise.all(Object.values(planes ?? {}).map((plane) => plane.stop()));
  await workspace?.remove();
});

it("serves the requests of a workload cluster with the CA and the Machines of its management cluster", async () => {
  const last = LINES.at(-1)?.command ?? "";
  expect(last).toMatch(/^node-attestation-controller /);
  // One shell for all, as for a reader: the umask holds for the files that come after it.
  const before = LINES.slice(0, -1).map(({ command }) => command);
  await follow(desk, [{ command: before.join(" && "), comment: "" }]);
  for (const file of ["management.conf", "east.conf"])
    expect((await stat(join(workspace.dir, file))).mode & 0o777).toBe(0o600);
  controller = await startProcess({
    name: "controller",
    command: "sh",
    args: ["-c", `cd '${workspace.dir}' && exec ${last}`],
    env: desk.env,
    dir: workspace.dir,
  });
  await node.create<CertificateSigningRequest>(CSRS, joinRequest("worker-1"));
  const text = await waitFor({
    what: "the certificate",
    limitMs: 60_000,
    probe: async () => (await requestOf("worker-1")).status?.certificate,
  });
  const certificate = new X509Certificate(Buffer.from(text, "base64"));
  expect(certificate.verify(new X509Certificate(planes.east.caPem).publicKey)).toBe(true);
});

it("finds no Machine of another Cluster that the same management cluster has", async () => {
  expect(await type(desk, "kubectl --context east apply -f deploy/policies/machines.yaml")).toMatchObject({ code: 0 });
  await node.create<CertificateSigningRequest>(CSRS, joinRequest("astray-1"));
  const words = await waitFor({
    what: "the verdict",
    limitMs: 60_000,
    probe: async () => {
      const { text } = await type(desk, "countersign csr explain csr-astray-1 --kubeconfig east.conf");
      return text.includes("MachineIsUnknown") ? text : undefined;
    },
  });
  expect(words).toContain("MachineIsUnknown");
});

async function requestOf(nodeName: string): Promise<CertificateSigningRequest> {
  return await east.get<CertificateSigningRequest>(CSRS, { name: `csr-${nodeName}` });
}

/** Both clusters as contexts of one file, as a reader has them. */
async function oneKubeconfig(): Promise<string> {
  const entries = await Promise.all(
    Object.entries(planes).map(async ([name, { adminKubeconfigPath }]) => {
      const { clusters, users } = parse(await readFile(adminKubeconfigPath, "utf8"));
      return {
        cluster: { ...clusters[0], name },
        user: { ...users[0], name },
        context: { name, context: { cluster: name, user: name } },
      };
    }),
  );
  const file = join(workspace.dir, "kubeconfig");
  const text = stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "management" },
    clusters: entries.map(({ cluster }) => cluster),
    users: entries.map(({ user }) => user),
    contexts: entries.map(({ context }) => context),
  });
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** The namespace, the CA of the Cluster, and a Machine of it and of another one. */
async function asClusterApiDoes(): Promise<void> {
  await management.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "fleet" } });
  await define(management, machineDefinition("cluster.x-k8s.io", ["v1beta2"]), CAPI_MACHINES_V1BETA2);
  const base64 = (text: string) => encodeBase64(encodeUtf8(text));
  const { caPem, caKeyPem } = planes.east;
  await management.create(SECRETS, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "fleet", name: "east-ca" },
    data: { "tls.crt": base64(caPem), "tls.key": base64(caKeyPem) },
  } as never);
  for (const [clusterName, name] of [
    ["east", "worker-1"],
    ["west", "astray-1"],
  ] as const) {
    const machine = {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "Machine",
      metadata: { namespace: "fleet", name },
      spec: { clusterName, bootstrap: { dataSecretName: "data" } },
    };
    await management.create(CAPI_MACHINES_V1BETA2, machine);
    const status = { addresses: [{ type: "InternalDNS", address: name }] };
    const target = { namespace: "fleet", name, subresource: "status" };
    await management.patch(CAPI_MACHINES_V1BETA2, target, { status }, { type: "merge" });
  }
}
