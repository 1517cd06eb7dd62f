// docs/guides/controller.md, typed as it stands on a real API server: the installation, with two replicas as processes
// in the place of the pods that nobody runs here; the policies in Shadow; and the audit trail. After each promise
// somebody who tries to get round it.

import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CertificateSigningRequest } from "../../src/api/certificates/index.ts";
import { CSRS } from "../../src/api/meta/index.ts";
import { type KubeClient, loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { type Desk, follow, linesUnder, linkPrograms, type, withExamples } from "../guides/guide.ts";
import { locateBinary } from "./assets/binaries.mjs";
import { joinRequest } from "./controller/joins.ts";
import { type Replica, startReplica, untilOtherLeads } from "./controller/replicas.ts";
import {
  type ControlPlane,
  createWorkspace,
  startControlPlane,
  startProcess,
  type Workspace,
  waitFor,
} from "./harness/index.ts";

const GUIDE = "docs/guides/controller.md";
const INSTALL = "Install it with two replicas";
const ACCOUNT = "system:serviceaccount:countersign-system:node-attestation-controller";
const LIMIT_MS = 120_000;

describe("the controller's guide on a real API server", () => {
  let plane: ControlPlane;
  let workspace: Workspace;
  let admin: KubeClient;
  let node: KubeClient;
  let desk: Desk;
  const replicas: Replica[] = [];

  beforeAll(async () => {
    workspace = await createWorkspace("guide");
    plane = await startControlPlane();
    admin = await loadKubeconfigClient(plane.adminKubeconfigPath);
    node = await loadKubeconfigClient(await plane.writeTokenKubeconfig("node", await plane.createBootstrapToken()));
    const bin = linkPrograms(workspace.dir, { kubectl: locateBinary("kubectl").path });
    const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, KUBECONFIG: plane.adminKubeconfigPath };
    desk = { directory: workspace.dir, examples: {}, env: { ...env, HOME: workspace.dir } };
  }, LIMIT_MS);
  afterAll(async () => {
    for (const { process } of replicas) await process.stop();
    await Promise.all([admin?.close(), node?.close()]);
    await plane?.stop();
    await workspace?.remove();
  });

  it(
    "is installed by four commands, with rights that make nobody an administrator",
    async () => {
      const typed = await follow(desk, linesUnder(GUIDE, INSTALL));
      expect(typed[2]?.text).toContain("deployment.apps/node-attestation-controller created");
      // Whoever takes the controller's token makes no request to approve himself, reads no Secret and binds no role.
      for (const stolen of [
        "create csr",
        "get secrets -n default",
        "create clusterrolebindings",
        "impersonate users",
      ]) {
        const answer = await type(desk, `kubectl auth can-i ${stolen} --as ${ACCOUNT} 2>/dev/null`);
        expect([stolen, answer.text.trim()]).toEqual([stolen, "no"]);
      }
    },
    LIMIT_MS,
  );

  it(
    "has two replicas of which one leads, and a request is decided once",
    async () => {
      for (const name of ["node-1", "node-2"]) replicas.push(await startReplica(plane, name));
      await untilOtherLeads(admin, "", 60_000);
      await node.create<CertificateSigningRequest>(CSRS, joinRequest("worker-1"));
      const probe = async () =>
        (await admin.get<CertificateSigningRequest>(CSRS, { name: "csr-worker-1" })).status?.certificate;
      await waitFor({ what: "the certificate", limitMs: 30_000, probe });
      const [, , , last] = linesUnder(GUIDE, INSTALL);
      expect((await type(desk, last?.command ?? "")).text).toContain(
        "lease.coordination.k8s.io/node-attestation-controller",
      );
    },
    LIMIT_MS,
  );

  it(
    "says what a policy would do before it does it, and in Shadow nobody gets by it what he would not get otherwise",
    async () => {
      const text = await readFile(new URL(`../../${GUIDE}`, import.meta.url), "utf8");
      for (const command of [
        "kubectl apply -f deploy/policies/serving.yaml",
        "countersign policy test deploy/policies/serving.yaml --against live",
      ]) {
        expect(text).toContain(`\`${command}\``);
        expect(await type(desk, command)).toMatchObject({ code: 0 });
      }
      // A first certificate for the name of a node that is registered: refused before, and with the policy in Shadow.
      await plane.kubectl(["create", "-f", "-"], { input: JSON.stringify(A_NODE) });
      await node.create<CertificateSigningRequest>(CSRS, joinRequest("worker-2"));
      const words = await waitFor({
        ...{ what: "the verdict", limitMs: 30_000 },
        probe: async () => {
          const { text: said } = await type(desk, "countersign csr explain csr-worker-2");
          return said.includes("node-is-not-registered-yet") ? said : undefined;
        },
      });
      expect(words).toContain("node-is-not-registered-yet");
      const { status } = await admin.get<CertificateSigningRequest>(CSRS, { name: "csr-worker-2" });
      expect(status?.certificate).toBeUndefined();
    },
    LIMIT_MS,
  );

  it(
    "keeps an audit trail that nobody shortens or rewrites unseen",
    async () => {
      for (const { name, auditPath } of replicas) {
        await mkdir(join(workspace.dir, name));
        await copyFile(auditPath, join(workspace.dir, name, "audit.log"));
      }
      const [tail = "", ...others] = auditLines().filter((command) => command.includes("audit tail"));
      expect(others).toEqual([]);
      const commands = auditLines().filter((command) => command !== tail);
      const [verified, shown] = [await type(desk, commands[0] ?? ""), await type(desk, commands[1] ?? "")];
      expect(verified).toMatchObject({ code: 0 });
      expect(shown.text).toContain("worker-1");
      const led = (await Promise.all(replicas.map(async ({ name }) => [name, await lengthOf(name)] as const))).sort(
        ([, one], [, other]) => other - one,
      );
      await untilShown(tail, { words: "worker-1", of: led[0]?.[0] ?? "" });
      const file = join(workspace.dir, led[0]?.[0] ?? "", "audit.log");
      const text = await readFile(file, "utf8");
      await writeFile(file, text.replace("worker-1", "worker-9"));
      expect(await type(desk, commands[0] ?? "")).toMatchObject({ code: 1 });
      await writeFile(file, text.split("\n").toSpliced(1, 1).join("\n"));
      expect(await type(desk, commands[0] ?? "")).toMatchObject({ code: 1 });
      await writeFile(file, text);
      expect(await type(desk, commands[0] ?? "")).toMatchObject({ code: 0 });
    },
    LIMIT_MS,
  );

  /** Of a command that goes on until it is stopped. */
  async function untilShown(command: string, { words, of }: { words: string; of: string }): Promise<void> {
    const path = replicas.find(({ name }) => name === of)?.auditPath ?? "";
    const here = { ...desk, examples: { "/var/log/countersign/audit.log": path } };
    const args = ["-c", `exec ${withExamples(command, here)}`];
    const shown = await startProcess({ name: "tail", command: "sh", args, env: desk.env, dir: workspace.dir });
    await waitFor({ what: words, limitMs: 30_000, probe: async () => shown.lastLines(100).includes(words) });
    await shown.stop();
  }

  const lengthOf = async (name: string) => (await readFile(join(workspace.dir, name, "audit.log"), "utf8")).length;
});

const A_NODE = { apiVersion: "v1", kind: "Node", metadata: { name: "worker-2" } };

/** The commands about the audit trail, wherever the guide has them. */
function auditLines(): readonly string[] {
  return linesUnder(GUIDE, "The audit trail").flatMap(({ command }) =>
    command.startsWith("countersign audit") ? [command] : [],
  );
}
