// Approval under JoinPolicies on an API server, whichever: Enforce, Shadow, machine-approver's rules, serving
// certificates. Each story has its attacker, and what peers are known for has a test of its own.

import { X509Certificate } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type CertificateSigningRequest,
  findCondition,
  isIssued,
  KUBELET_SERVING_SIGNER,
  SERVING_USAGES,
  VERDICT_ANNOTATION,
} from "../../src/api/certificates/index.ts";
import type { Event, Node, NodeAddress, Service } from "../../src/api/core/index.ts";
import { JOIN_POLICIES } from "../../src/api/countersign/index.ts";
import type { JoinPolicySpec } from "../../src/api/countersign/join-policy.ts";
import { CAPI_MACHINES_V1BETA2 } from "../../src/api/foreign/machine.ts";
import { CSRS, EVENTS, NODES, SERVICES } from "../../src/api/meta/index.ts";
import { parseVerdict } from "../../src/controller/index.ts";
import { randomBytes } from "../../src/platform/keys/index.ts";
import type { KubeClient } from "../../src/platform/kube/index.ts";
import { aClientCertificate } from "../builders/client-certificate.ts";
import { aCsr, type CsrModifier, forNode, withSan, withSigner, withUsages } from "../builders/csr.ts";
import { eventually, type Plane, useControllerStage } from "./controller-stage.ts";
import { defineKinds } from "./definitions.ts";

let names = 0;
/** Of a family of names, so that each test has a policy for its own. */
function aName(family: string): string {
  names++;
  return `${family}-${names}-${Buffer.from(randomBytes(3)).toString("hex")}`;
}

const BOOTSTRAPPER = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper";

export function describePolicies(where: string, startPlane: () => Promise<Plane>): void {
  describe(`approval under policies on ${where}`, () => {
    const stage = useControllerStage(startPlane, { prepare: defineKinds });
    const connectAs = (user: string, groups: readonly string[] = []) =>
      stage.connect(aClientCertificate(stage.plane, { user, groups }));

    /** The policy of one family of names; the controller has read it when its status says so. */
    async function apply(family: string, spec: Omit<JoinPolicySpec, "nodeNames">): Promise<void> {
      const policy = { apiVersion: "countersign.dev/v1alpha1", kind: "JoinPolicy", metadata: { name: family } };
      await stage.admin.create(JOIN_POLICIES, { ...policy, spec: { ...spec, nodeNames: `${family}-.*` } });
      await eventually(
        `policy ${family} to be read`,
        () => stage.admin.get(JOIN_POLICIES, { name: family }),
        (seen) => "status" in seen,
      );
    }

    async function ask(client: KubeClient, ...modifiers: readonly CsrModifier[]): Promise<string> {
      const { apiVersion, kind, spec } = aCsr(...modifiers);
      const { request, signerName, usages } = spec;
      const sent = { apiVersion, kind, metadata: { generateName: "csr-" }, spec: { request, signerName, usages } };
      return (await client.create<CertificateSigningRequest>(CSRS, sent)).metadata.name ?? "";
    }

    const read = (name: string) => stage.admin.get<CertificateSigningRequest>(CSRS, { name });
    const verdictOf = (csr: CertificateSigningRequest) =>
      parseVerdict(csr.metadata.annotations?.[VERDICT_ANNOTATION] ?? "");
    const judged = (name: string, reason: string) =>
      eventually(
        `${name} to be ${reason}`,
        () => read(name),
        (csr) => verdictOf(csr)?.reason === reason,
      );
    const issued = (name: string) => eventually(`${name} to be issued`, () => read(name), isIssued);

    async function createMachine(
      name: string,
      addresses: readonly NodeAddress[],
      more: { cluster?: string; node?: string } = {},
    ): Promise<void> {
      const metadata = { name, namespace: "default" };
      const spec = { clusterName: more.cluster ?? "one", bootstrap: { dataSecretName: "s" } };
      await stage.admin.create(CAPI_MACHINES_V1BETA2, {
        apiVersion: "cluster.x-k8s.io/v1beta2",
        kind: "Machine",
        metadata,
        spec,
      } as never);
      await setStatus(name, { addresses, ...(more.node === undefined ? {} : { nodeRef: { name: more.node } }) });
    }

    async function setStatus(name: string, status: object): Promise<void> {
      const target = { name, namespace: "default", subresource: "status" };
      await stage.admin.patch(CAPI_MACHINES_V1BETA2, target, { status }, { type: "merge" });
    }

    const bootstrap = () =>
      connectAs("system:bootstrap:abcdef", ["system:bootstrappers", "system:bootstrappers:kubeadm:default-node-token"]);
    const byHostname = (address: string): NodeAddress[] => [{ type: "Hostname", address }];

    it("in Enforce, denies a built-in client request without evidence, and leaves names that it does not cover alone", async () => {
      await apply("enforced", { mode: "Enforce" });
      const denied = await judged(await ask(bootstrap(), forNode(aName("enforced"))), "EvidenceRequired");
      expect(denied.status?.conditions).toMatchObject([{ type: "Denied", reason: "EvidenceRequired" }]);
      await issued(await ask(bootstrap(), forNode(aName("uncovered"))));
    });

    it("in Enforce, bounds the life of a certificate also for whoever does not say how long it shall be", async () => {
      const client = { admit: "Access", maxExpirationSeconds: 3_600 } as const;
      await apply("bounded", { mode: "Enforce", client });
      const { status } = await issued(await ask(bootstrap(), forNode(aName("bounded"))));
      const { validTo } = new X509Certificate(Buffer.from(status?.certificate ?? "", "base64"));
      expect(Date.parse(validTo)).toBeLessThanOrEqual(Date.now() + 3_600_000);
    });

    it("come and go with an audit line each, whichever loops run", async () => {
      const cleaner = await stage.startReplica({ controllers: ["cleaning"] });
      await apply("audited", { mode: "Shadow" });
      for (const { lines } of [stage.controller, cleaner]) {
        const linesOf = async () => lines.filter(({ policy, audit }) => policy === "audited" && audit === true);
        await eventually("the line of the policy", linesOf, (seen) => seen.length === 1);
      }
      await stage.admin.patch(JOIN_POLICIES, { name: "audited" }, { spec: { mode: "Enforce" } }, { type: "merge" });
      await stage.admin.delete(JOIN_POLICIES, { name: "audited" });
      for (const { lines } of [stage.controller, cleaner]) {
        const linesOf = async () => lines.filter(({ policy, audit }) => policy === "audited" && audit === true);
        expect(await eventually("the line of the removal", linesOf, (seen) => seen.length === 3)).toMatchObject([
          { said: "policy changed", change: expect.stringMatching(/added|found/), generation: 1, mode: "Shadow" },
          { said: "policy changed", change: "changed", generation: 2, mode: "Enforce" },
          { said: "policy changed", change: "removed" },
        ]);
      }
      await cleaner.stop();
    });

    it("in Shadow, records what it would have said and decides nothing", async () => {
      await apply("shadowed", { mode: "Shadow" });
      const csr = await judged(await ask(bootstrap(), forNode(aName("shadowed"))), "EvidenceRequired");
      expect(verdictOf(csr)).toMatchObject({ verdict: "Deny", mode: "Shadow", policy: "shadowed" });
      expect(csr.status?.conditions ?? []).toEqual([]);
    });

    describe("by machine-approver's rules", () => {
      const policy: Omit<JoinPolicySpec, "nodeNames"> = {
        mode: "Enforce",
        client: { admit: "Machine", requesters: [BOOTSTRAPPER] },
        machines: { clusterName: "one" },
      };
      let node: string;
      beforeAll(() => apply("machine", policy));

      it("approves a first request whose Machine is there, young, and without a node", async () => {
        node = aName("machine");
        await createMachine(node, byHostname(node));
        const csr = await issued(await ask(bootstrap(), forNode(node)));
        expect(findCondition(csr, "Approved")).toMatchObject({ reason: "NodeMayJoin" });
      });

      it("waits for a Machine whose addresses come late, and approves when they come (issue 40, PR 321)", async () => {
        const late = aName("machine");
        await createMachine(late, []);
        const name = await ask(bootstrap(), forNode(late));
        expect((await judged(name, "MachineIsUnknown")).status?.conditions ?? []).toEqual([]);
        await setStatus(late, { addresses: byHostname(late) });
        await issued(name);
      });

      it("never matches the Machine of another cluster", async () => {
        const other = aName("machine");
        await createMachine(other, byHostname(other), { cluster: "two" });
        const name = await ask(bootstrap(), forNode(other));
        await judged(name, "MachineIsUnknown");
      });

      it("denies a request when its Machine is another node", async () => {
        const taken = aName("machine");
        await createMachine(taken, byHostname(taken), { node: "somebody" });
        const csr = await judged(await ask(bootstrap(), forNode(taken)), "MachineHasANode");
        expect(findCondition(csr, "Denied")).toBeDefined();
      });

      it("gives a Machine to the first of its names, and lets the second wait until its nodeRef says who was right", async () => {
        const [first, second] = [aName("machine"), aName("machine")];
        await createMachine(first, [...byHostname(first), { type: "InternalDNS", address: second }]);
        await issued(await ask(bootstrap(), forNode(first)));
        const name = await ask(bootstrap(), forNode(second));
        expect((await judged(name, "MachineIsClaimed")).status?.conditions ?? []).toEqual([]);
        await setStatus(first, { nodeRef: { name: first } });
        expect(findCondition(await judged(name, "MachineHasANode"), "Denied")).toBeDefined();
      });

      it("tells a wait in one Event for each change, not for each look", async () => {
        const waiting = aName("machine");
        const name = await ask(bootstrap(), forNode(waiting));
        await judged(name, "MachineIsUnknown");
        await createMachine(aName("machine"), []);
        const { items } = await eventually(
          "the Event",
          () => stage.admin.list<Event>(EVENTS, { namespace: "default" }),
          (list) => list.items.some(({ involvedObject }) => involvedObject.name === name),
        );
        expect(items.filter(({ involvedObject }) => involvedObject.name === name)).toMatchObject([
          { reason: "MachineIsUnknown" },
        ]);
      });
    });

    describe("serving certificates", () => {
      const serving = (...modifiers: CsrModifier[]) => [
        withSigner(KUBELET_SERVING_SIGNER),
        withUsages(...SERVING_USAGES),
        ...modifiers,
      ];
      const nodeClient = (name: string) => connectAs(`system:node:${name}`, ["system:nodes"]);

      async function register(name: string, addresses: readonly NodeAddress[]): Promise<void> {
        await stage.admin.create<Node>(NODES, { apiVersion: "v1", kind: "Node", metadata: { name } });
        await stage.admin.patch(NODES, { name, subresource: "status" }, { status: { addresses } }, { type: "merge" });
      }

      it("are left to people, with the reason, where no policy covers them", async () => {
        const node = aName("nobody");
        const name = await ask(nodeClient(node), ...serving(forNode(node), withSan({ dnsNames: [node] })));
        expect((await judged(name, "ServingNeedsAPolicy")).status?.conditions ?? []).toEqual([]);
      });

      it("are given for the Machine's addresses, and for no others", async () => {
        await apply("server", { mode: "Enforce", machines: { clusterName: "one" } });
        const node = aName("server");
        await createMachine(
          node,
          [...byHostname(`${node.toUpperCase()}.`), { type: "InternalIP", address: "FD00:0:0:0:0:0:0:77" }],
          { node },
        );
        const good = withSan({ dnsNames: [node], ipAddresses: ["fd00::77"] });
        await issued(await ask(nodeClient(node), ...serving(forNode(node), good)));
        const stray = await ask(nodeClient(node), ...serving(forNode(node), withSan({ ipAddresses: ["10.9.9.9"] })));
        expect(findCondition(await judged(stray, "NameIsNotTheNodes"), "Denied")).toBeDefined();
        const wild = await ask(nodeClient(node), ...serving(forNode(node), withSan({ dnsNames: [`*.${node}`] })));
        await judged(wild, "WildcardRequested");
        const other = await ask(nodeClient(aName("server")), ...serving(forNode(aName("x")), good)).catch(
          (error) => error.code as string,
        );
        expect(other).toBe("forbidden");
      });

      it("wait while the Machine has no addresses, and are given when they come (OCPBUGS-121194)", async () => {
        const node = aName("server");
        await createMachine(node, [], { node });
        const name = await ask(nodeClient(node), ...serving(forNode(node), withSan({ dnsNames: [node] })));
        await judged(name, "AddressesAreMissing");
        await setStatus(node, { addresses: byHostname(node) });
        await issued(name);
      });

      it("are given for the Machine's addresses, though a neighbour says that they are its own", async () => {
        const [node, neighbour] = [aName("server"), aName("server")];
        const addresses: NodeAddress[] = [...byHostname(node), { type: "InternalIP", address: "10.2.2.1" }];
        await createMachine(node, addresses, { node });
        await register(neighbour, addresses);
        const asked = withSan({ dnsNames: [node], ipAddresses: ["10.2.2.1"] });
        await issued(await ask(nodeClient(node), ...serving(forNode(node), asked)));
      });

      it("are given for no neighbour's name, though a network of the policy holds it", async () => {
        await apply("networked", {
          mode: "Enforce",
          serving: { inventory: { ipPrefixes: ["10.0.0.0/8"], dnsPattern: ".*" } },
        });
        const [node, neighbour] = [aName("networked"), aName("networked")];
        await register(neighbour, [{ type: "InternalIP", address: "10.1.1.1" }]);
        await issued(
          await ask(
            nodeClient(node),
            ...serving(forNode(node), withSan({ dnsNames: [node], ipAddresses: ["10.1.1.2"] })),
          ),
        );
        const stolen = await ask(nodeClient(node), ...serving(forNode(node), withSan({ ipAddresses: ["10.1.1.1"] })));
        expect((await judged(stolen, "NameIsDisputed")).status?.conditions ?? []).toEqual([]);
        const named = await ask(
          nodeClient(node),
          ...serving(forNode(node), withSan({ dnsNames: [neighbour.toUpperCase()] })),
        );
        await judged(named, "NameIsAnotherNodes");
      });

      it("are not denied to an honest node whose address a neighbour writes into its own status", async () => {
        const [honest, liar] = [aName("claimed"), aName("claimed")];
        const address = "10.4.4.4";
        const inventory = { ipPrefixes: ["10.4.0.0/16"], dnsPattern: "claimed-.*" };
        await apply("claimed", { mode: "Enforce", serving: { inventory } });
        await register(honest, [{ type: "InternalIP", address }]);
        await register(liar, [{ type: "InternalIP", address }]);
        const asked = withSan({ dnsNames: [honest], ipAddresses: [address] });
        const name = await ask(nodeClient(honest), ...serving(forNode(honest), asked));
        expect((await judged(name, "NameIsDisputed")).status?.conditions ?? []).toEqual([]);
        const { items } = await eventually(
          "the alarm",
          () => stage.admin.list<Event>(EVENTS, { namespace: "default" }),
          (list) => list.items.some(({ involvedObject, reason }) => involvedObject.name === name && reason !== ""),
        );
        const alarm = items.find(({ involvedObject }) => involvedObject.name === name);
        expect(alarm).toMatchObject({ type: "Warning", reason: "NameIsDisputed" });
        expect(alarm?.message).toContain(`node ${honest} asks for "${address}", and node ${liar} says`);
        // The operator says whose it is: the same request is given its certificate.
        const allow = [{ nodeNames: honest, names: [address] }];
        const settled = { spec: { serving: { inventory: { ...inventory, allow } } } };
        await stage.admin.patch(JOIN_POLICIES, { name: "claimed" }, settled, { type: "merge" });
        await issued(name);
      });

      it("are given for nothing under which the API server is reached, though the policy's networks and patterns hold it", async () => {
        await apply("reached", {
          mode: "Enforce",
          serving: { inventory: { ipPrefixes: ["0.0.0.0/0", "::/0"], dnsPattern: ".*" } },
        });
        const node = aName("reached");
        const { spec } = await stage.admin.get<Service>(SERVICES, { namespace: "default", name: "kubernetes" });
        for (const address of spec?.clusterIPs ?? [spec?.clusterIP ?? ""]) {
          const names = withSan({ dnsNames: [node], ipAddresses: [address] });
          const csr = await judged(
            await ask(nodeClient(node), ...serving(forNode(node), names)),
            "ApiServerNameRequested",
          );
          expect(findCondition(csr, "Denied")).toBeDefined();
        }
        const named = withSan({ dnsNames: [node, "kubernetes.default.svc"] });
        await judged(await ask(nodeClient(node), ...serving(forNode(node), named)), "ServiceNameRequested");
        const own = withSan({ dnsNames: [node], ipAddresses: ["10.3.3.3"] });
        await issued(await ask(nodeClient(node), ...serving(forNode(node), own)));
      });

      it("are looked at again when the Node gets its addresses", async () => {
        await apply("addressed", { mode: "Enforce", serving: { inventory: { nodeAddresses: true } } });
        const node = aName("addressed");
        await stage.admin.create<Node>(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: node } });
        const name = await ask(nodeClient(node), ...serving(forNode(node), withSan({ dnsNames: [node] })));
        await judged(name, "AddressesAreMissing");
        await stage.admin.patch(
          NODES,
          { name: node, subresource: "status" },
          { status: { addresses: byHostname(node) } },
          { type: "merge" },
        );
        await issued(name);
      });

      it("are looked at again when the policy changes", async () => {
        await apply("changed", { mode: "Enforce", serving: { approve: false } });
        const node = aName("changed");
        const name = await ask(nodeClient(node), ...serving(forNode(node), withSan({ dnsNames: [node] })));
        await judged(name, "ServingIsLeftToPeople");
        const spec = { serving: { approve: true, inventory: { dnsPattern: "{node}" } } };
        await stage.admin.patch(JOIN_POLICIES, { name: "changed" }, { spec }, { type: "merge" });
        await issued(name);
      });
    });
  });
}
