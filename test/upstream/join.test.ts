// The join journey on a real API server. kube-controller-manager does not run: every approval, every certificate and
// cluster-info's signatures are our controller's, which has the rights of deploy/controller-rbac.yaml and no others.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type CertificateSigningRequest,
  findCondition,
  INSECURE_CLIENT_SIGNER,
  isDecided,
} from "../../src/api/certificates/index.ts";
import { CSRS } from "../../src/api/meta/index.ts";
import { createInsecureProvider } from "../../src/attestation/insecure/node.ts";
import { type JoinResult, type JoinStep, joinNode, parseDiscoveryMethod } from "../../src/node/index.ts";
import { JOIN_STEPS } from "../../src/node/join/options.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { type KubeClient, loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { aCsr, type CsrModifier, withSan, withSigner, withSubject, withUsages } from "../builders/csr.ts";
import {
  type ControlPlane,
  createWorkspace,
  type OurController,
  startControlPlane,
  startOurController,
  type Workspace,
  waitFor,
  writePluginKubeconfig,
} from "./harness/index.ts";

describe.each(["RSA-2048", "ECDSA-P256"] as const)(
  "our node joins a real cluster whose keys are %s",
  (keyAlgorithm) => {
    const steps: JoinStep[] = [];
    let workspace: Workspace;
    let controlPlane: ControlPlane;
    let controller: OurController;
    let token: string;
    let joined: JoinResult;

    beforeAll(async () => {
      workspace = await createWorkspace("join");
      controlPlane = await startControlPlane({ keyAlgorithm });
      controller = await startOurController(controlPlane);
      token = await controlPlane.createBootstrapToken();
      const start = performance.now();
      joined = await joinAs({ nodeName: "node-a", directory: "node-a", progress: (step) => steps.push(step) });
      console.log(`our node joined in ${((performance.now() - start) / 1000).toFixed(2)} s`);
    });
    afterAll(async () => {
      await controller?.stop();
      await controlPlane?.stop();
      await workspace?.remove();
    });

    it("takes every step, in order", () => {
      // Nothing attests a machine that only has a token.
      expect(steps).toEqual(JOIN_STEPS.filter((step) => step !== "attested"));
    });

    it("is that node to the API server", async () => {
      expect(await whoAmI(joined.kubeconfigPath)).toEqual({
        username: "system:node:node-a",
        groups: ["system:nodes", "system:authenticated"],
      });
    });

    it("has registered its Node with its own certificate", async () => {
      const { stdout } = await controlPlane.kubectl(["get", "nodes", "--no-headers"]);
      expect(stdout).toMatch(/^node-a\s+NotReady\s/);
    });

    it("has left a request that kubectl shows as approved and issued", async () => {
      const { stdout } = await controlPlane.kubectl(["get", "csr", "--no-headers"]);
      const [tokenId] = token.split(".");
      expect(stdout).toMatch(
        new RegExp(`\\s${INSECURE_CLIENT_SIGNER}\\s+system:bootstrap:${tokenId}\\s.*\\sApproved,Issued`),
      );
    });

    it("has nothing left to do when it joins again, even with a token that is no longer valid", async () => {
      const again = await joinAs({ nodeName: "node-a", directory: "node-a", token: "abcdef.0123456789abcdef" });
      expect(again).toEqual({ ...joined, wasJoined: true });
    });

    it("lets a real kubectl authenticate through kubelet-authenticator-insecure", async () => {
      const kubeconfig = join(workspace.dir, "plugin.kubeconfig");
      await writePluginKubeconfig(joined.execKubeconfigPath, kubeconfig);
      expect(await whoAmI(kubeconfig)).toMatchObject({ username: "system:node:node-a" });
      const { stdout } = await controlPlane.kubectl(["get", "node", "node-a", "-o", "name"], { kubeconfig });
      expect(stdout.trim()).toBe("node/node-a");
    });

    it("refuses another machine that asks for its name with the same live token, and says why", async () => {
      const impostor = joinAs({ nodeName: "node-a", directory: "impostor" });
      await expect(impostor).rejects.toMatchObject({ name: "Fault", code: "denied" });
      await expect(impostor).rejects.toThrow(/FirstUseSpent/);
      const events = await controlPlane.kubectl(["get", "events", "--field-selector=reason=FirstUseSpent"]);
      expect(events.stdout).toContain("the node was let in before");
    });

    it.each<[string, string, CsrModifier]>([
      [
        "the administrators' group",
        "OrganizationIsNotSystemNodes",
        withSubject({ commonName: "a", organizations: ["system:masters"] }),
      ],
      ["a name beside the node's", "AlternativeNamesRequested", withSan({ dnsNames: ["kubernetes.default.svc"] })],
      ["a server's certificate", "UsagesAreNotClientOnly", withUsages("digital signature", "server auth")],
    ])("denies a live token that asks for %s", async (_, reason, spoil) => {
      const client = await loadKubeconfigClient(await controlPlane.writeTokenKubeconfig("attacker", token));
      try {
        const decided = await request(client, aCsr(withSigner(INSECURE_CLIENT_SIGNER), spoil));
        expect(findCondition(decided, "Denied")).toMatchObject({ reason });
        expect(decided.status?.certificate).toBeUndefined();
      } finally {
        await client.close();
      }
    });

    it("needs no right that the manifest does not give", () => {
      expect(controller.log()).not.toMatch(/forbidden/i);
    });

    interface Joining {
      readonly nodeName: string;
      readonly directory: string;
      readonly token?: string;
      readonly progress?: (step: JoinStep) => void;
    }

    function joinAs({ token: given = token, ...joining }: Joining): Promise<JoinResult> {
      return joinNode({
        discovery: parseDiscoveryMethod({ address: `127.0.0.1:${controlPlane.port}`, token: given }),
        provider: createInsecureProvider(),
        registerNode: { addresses: [{ type: "InternalIP", address: "192.0.2.10" }] },
        clock: systemClock,
        ...joining,
        directory: join(workspace.dir, joining.directory),
      });
    }

    async function whoAmI(
      kubeconfig: string,
    ): Promise<{ readonly username: string; readonly groups: readonly string[] }> {
      const { stdout, stderr, code } = await controlPlane.kubectl(["auth", "whoami", "-o", "json"], { kubeconfig });
      expect(code, stderr).toBe(0);
      const { username, groups } = JSON.parse(stdout).status.userInfo;
      return { username, groups };
    }
  },
);

/** Sends what a client may send and waits for the controller's decision. */
async function request(client: KubeClient, { metadata, spec, ...rest }: CertificateSigningRequest) {
  const { request, signerName, usages } = spec;
  const name = metadata.name ?? "";
  const sent = {
    apiVersion: rest.apiVersion,
    kind: rest.kind,
    metadata: { name },
    spec: { request, signerName, usages },
  };
  await client.create(CSRS, sent as CertificateSigningRequest);
  return waitFor({
    what: `a decision about ${name}`,
    limitMs: 10_000,
    probe: async () => {
      const csr = await client.get<CertificateSigningRequest>(CSRS, { name });
      return isDecided(csr) ? csr : undefined;
    },
  });
}
