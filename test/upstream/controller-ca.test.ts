// The controller as a process with a CA of its own making beside a real kube-apiserver, with the rights of deploy/ and
// no more.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { CertificateSigningRequest } from "../../src/api/certificates/index.ts";
import { CSRS } from "../../src/api/meta/index.ts";
import { type KubeClient, loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { anAuthority } from "../builders/csr-authority.ts";
import { joinRequest } from "./controller/joins.ts";
import { type Replica, startReplica } from "./controller/replicas.ts";
import { type ControlPlane, startControlPlane, waitFor } from "./harness/index.ts";
import { findFreePorts } from "./harness/ports.ts";

let plane: ControlPlane;
let admin: KubeClient;
let node: KubeClient;
const replicas: Replica[] = [];
beforeAll(async () => {
  plane = await startControlPlane();
  admin = await loadKubeconfigClient(plane.adminKubeconfigPath);
  node = await loadKubeconfigClient(await plane.writeTokenKubeconfig("node", await plane.createBootstrapToken()));
});
afterAll(async () => {
  for (const replica of replicas) await replica.process.stop();
  await Promise.all([admin?.close(), node?.close()]);
  await plane?.stop();
});

async function start(name: string, flags: readonly string[]) {
  const [port = 0] = await findFreePorts(1);
  replicas.push(
    await startReplica(plane, name, [`--status-address=127.0.0.1:${port}`, "--leader-elect=false", ...flags]),
  );
  return () => fetch(`http://127.0.0.1:${port}/readyz?verbose`);
}

it("a foreign --ca-cert is not ready, says why and signs nothing; the cluster's own is, and does", async () => {
  const { certPem, keyPem } = anAuthority();
  const [cert, key] = [join(plane.dir, "foreign.crt"), join(plane.dir, "foreign.key")];
  await writeFile(cert, certPem);
  await writeFile(key, keyPem, { mode: 0o600 });
  const readyz = await start("foreign", [`--ca-cert=${cert}`, `--ca-key=${key}`]);
  const limitMs = 30_000;
  const said = await waitFor({
    ...{ what: "the answer of /readyz", limitMs },
    probe: async () => {
      const text = await (await readyz()).text();
      return text.includes("another cluster") ? text : undefined;
    },
  });
  expect(said).toContain("[-]ca");
  const { metadata } = await node.create<CertificateSigningRequest>(CSRS, joinRequest("worker-1"));
  const name = metadata.name ?? "";
  const get = () => admin.get<CertificateSigningRequest>(CSRS, { name });
  const isApproved = async () => ((await get()).status?.conditions ?? []).length > 0 || undefined;
  await waitFor({ what: "the approval", limitMs, probe: isApproved });
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect((await get()).status?.certificate).toBeUndefined();
  await replicas[0]?.process.stop();
  const own = await start("own", []);
  await waitFor({ what: "the certificate", limitMs, probe: async () => (await get()).status?.certificate });
  expect((await own()).status).toBe(200);
});
