// What the controller does on an API server, whichever: the embedded one and a real one run the same suite. Each story
// has its attacker. The controller has the rights of deploy/controller-rbac.yaml and no others, so the manifest is
// tested too.

import { beforeAll, describe, expect, it } from "vitest";
import { buildTokenSecret, generateToken } from "../../src/api/bootstrap/index.ts";
import {
  type CertificateSigningRequest,
  type CsrCondition,
  findCondition,
  INSECURE_CLIENT_SIGNER,
  isIssued,
  VERDICT_ANNOTATION,
} from "../../src/api/certificates/index.ts";
import type { ConfigMap, Event, Node } from "../../src/api/core/index.ts";
import { CONFIG_MAPS, CSRS, EVENTS, NODES, SECRETS } from "../../src/api/meta/index.ts";
import { parseVerdict } from "../../src/controller/index.ts";
import { encodeUtf8, parseBase64, parseUtf8 } from "../../src/kernel/bytes/index.ts";
import { verifyDetachedHs256 } from "../../src/kernel/jose/index.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import { basicConstraintsExtension, parseCertificate } from "../../src/kernel/x509/index.ts";
import { generatePrivateKey, randomBytes } from "../../src/platform/keys/index.ts";
import type { KubeClient } from "../../src/platform/kube/index.ts";
import {
  aCsr,
  annotated,
  type CsrModifier,
  forNode,
  withExtension,
  withKey,
  withSan,
  withSigner,
  withSubject,
  wrapped,
} from "../builders/csr.ts";
import { eventually, type Plane, useControllerStage } from "./controller-stage.ts";

/** A name that no other test uses. */
let names = 0;
function aName(): string {
  names++;
  return `node-${names}-${Buffer.from(randomBytes(3)).toString("hex")}`;
}

export function describeController(where: string, startPlane: () => Promise<Plane>): void {
  describe(`the controller on ${where}`, () => {
    const stage = useControllerStage(startPlane);
    const { connect } = stage;
    let joining: KubeClient;
    let tokenId: string;
    beforeAll(async () => {
      ({ client: joining, tokenId } = await stage.connectWithToken());
    });

    /** Sends what a joining machine would send; the API server stamps who it was. */
    async function ask(client: KubeClient, ...modifiers: readonly CsrModifier[]): Promise<string> {
      const { apiVersion, kind, metadata, spec } = aCsr(...modifiers);
      const { request, signerName, usages } = spec;
      const sent = {
        apiVersion,
        kind,
        metadata: { generateName: "csr-", annotations: metadata.annotations ?? {} },
        spec: { request, signerName, usages },
      };
      const created = await client.create<CertificateSigningRequest>(CSRS, sent);
      return created.metadata.name ?? "";
    }

    const read = (name: string) => stage.admin.get<CertificateSigningRequest>(CSRS, { name });

    const issued = (name: string) => eventually(`${name} to be issued`, () => read(name), isIssued);

    /** The request once our verdict is on it. */
    const judged = (name: string) =>
      eventually(
        `${name} to be judged`,
        () => read(name),
        (csr) => verdictOf(csr) !== undefined,
      );

    async function register(name: string): Promise<void> {
      await stage.admin.create<Node>(NODES, { apiVersion: "v1", kind: "Node", metadata: { name } });
    }

    it("approves and signs a first certificate, and writes down why", async () => {
      const node = aName();
      const csr = await issued(await ask(joining, forNode(node)));
      expect(findCondition(csr, "Approved")).toMatchObject({ reason: "AutoApproved", status: "True" });
      expect(verdictOf(csr)).toMatchObject({ verdict: "Allow", reason: "AutoApproved" });
      expect(verdictOf(csr)?.trail.every(({ outcome }) => outcome === "pass")).toBe(true);
      expect(leafOf(csr).subject.commonName).toBe(`system:node:${node}`);
    });

    it("renews the certificate of a registered node, asked for with the certificate before", async () => {
      const node = aName();
      const key = generatePrivateKey("P-256");
      const first = await issued(await ask(joining, forNode(node), withKey(key)));
      await register(node);
      const self = connect({ certPem: certificateOf(first), keyPem: key.encodePem() });
      const second = await issued(await ask(self, forNode(node)));
      expect(findCondition(second, "Approved")).toMatchObject({
        reason: "AutoApproved",
        message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
      });
    });

    it("lets a node renew, and another join, whose names somebody approved for a signer that never comes", async () => {
      const [node, other] = [aName(), aName()];
      const key = generatePrivateKey("P-256");
      const first = await issued(await ask(joining, forNode(node), withKey(key)));
      await register(node);
      // As when it was cleaned up after an hour: then nothing but the certificate speaks for the node.
      await stage.admin.delete(CSRS, { name: first.metadata.name ?? "" });
      for (const name of [node, other]) {
        const foreign = await ask(joining, forNode(name), withSigner("example.com/other"));
        await approveByHand(stage.admin, await read(foreign));
      }
      const self = connect({ certPem: certificateOf(first), keyPem: key.encodePem() });
      await issued(await ask(self, forNode(node)));
      await issued(await ask(joining, forNode(other)));
    });

    it("leaves an impostor pending who asks for a joined node's name with a live token, and tells why", async () => {
      const node = aName();
      await issued(await ask(joining, forNode(node)));
      await register(node);
      const name = await ask(joining, forNode(node));
      const csr = await judged(name);
      expect(conditionsOf(csr)).toEqual([]);
      expect(csr.status?.certificate).toBeUndefined();
      const { verdict, reason = "" } = verdictOf(csr) ?? {};
      expect(verdict).toBe("Deny");
      expect(TAKEN).toContain(reason);
      const event = await eventually(
        "an Event about it",
        () => stage.admin.list<Event>(EVENTS, { namespace: "default" }),
        ({ items }) => items.some(({ involvedObject }) => involvedObject.name === name),
      );
      expect(event.items.filter(({ involvedObject }) => involvedObject.name === name)).toMatchObject([
        { reason, type: "Warning" },
      ]);
    });

    it("gives the name to a new request after the Node was deleted, never to one that lay in wait", async () => {
      const node = aName();
      await register(node);
      // Nodes come from a watch, and this one has no approved request that would speak for it meanwhile.
      await issued(await ask(joining, forNode(aName())));
      const lurker = await ask(joining, forNode(node));
      expect(verdictOf(await judged(lurker))).toMatchObject({ reason: "NodeIsRegistered" });
      await stage.admin.delete(NODES, { name: node });
      await issued(await ask(joining, forNode(aName())));
      await issued(await ask(joining, forNode(node)));
      const csr = await read(lurker);
      expect(verdictOf(csr)).toMatchObject({ verdict: "Deny", reason: "NodeIsRegistered" });
      expect(conditionsOf(csr)).toEqual([]);
    });

    it("gives a name to one key only, however many ask at once", async () => {
      const node = aName();
      const asked = await Promise.all(Array.from({ length: 12 }, () => ask(joining, forNode(node))));
      const csrs = await Promise.all(asked.map(judged));
      const approvals = csrs.filter((csr) => findCondition(csr, "Approved") !== undefined);
      expect(approvals).toHaveLength(1);
      const settled = await Promise.all(
        asked.map((name) => eventually(`${name} to settle`, () => read(name), hasFinalVerdict)),
      );
      const reasons = settled.map((csr) => verdictOf(csr)?.reason ?? "").toSorted();
      expect(reasons).toEqual(["AutoApproved", ...Array.from({ length: 11 }, () => "NameIsClaimed")]);
    });

    it("approves the same key again: a machine that crashed before it stored its certificate asks twice", async () => {
      const node = aName();
      const key = generatePrivateKey("P-256");
      await issued(await ask(joining, forNode(node), withKey(key)));
      await issued(await ask(joining, forNode(node), withKey(key)));
    });

    it("gives a name free when the request that held it is deleted", async () => {
      const node = aName();
      const holder = await issued(await ask(joining, forNode(node)));
      const lurker = await ask(joining, forNode(node));
      expect(verdictOf(await judged(lurker))).toMatchObject({ reason: "NameIsClaimed" });
      await stage.admin.delete(CSRS, { name: holder.metadata.name ?? "" });
      await issued(await ask(joining, forNode(node)));
      expect(conditionsOf(await read(lurker))).toEqual([]);
    });

    describe("refuses", () => {
      const attacks: Record<string, [CsrModifier, string]> = {
        "a group of administrators": [
          withSubject({ commonName: "system:node:evil", organizations: ["system:masters"] }),
          "OrganizationIsNotSystemNodes",
        ],
        "alternative names": [withSan({ dnsNames: ["kubernetes.default"] }), "AlternativeNamesRequested"],
        "a CA certificate": [withExtension(basicConstraintsExtension({ ca: true })), "ForeignExtensionRequested"],
        "a second request in the same object": [wrapped((pem) => pem + requestText(aCsr())), "RequestIsNotAlone"],
      };

      it.each(Object.entries(attacks))(
        "%s, and leaves it pending under a built-in signer",
        async (_, [attack, reason]) => {
          const csr = await judged(await ask(joining, forNode(aName()), attack));
          expect(verdictOf(csr)).toMatchObject({ verdict: "Deny", reason });
          expect(conditionsOf(csr)).toEqual([]);
        },
      );

      it.each(Object.entries(attacks))("%s, and denies it under our own signer", async (_, [attack, reason]) => {
        const name = await ask(joining, forNode(aName()), withSigner(INSECURE_CLIENT_SIGNER), attack);
        const csr = await judged(name);
        expect(conditionsOf(csr)).toMatchObject([{ type: "Denied", reason }]);
        expect(verdictOf(csr)).toMatchObject({ verdict: "Deny", reason });
      });

      it("a node that asks for another node's name under our own signer, where no admission plugin looks", async () => {
        const key = generatePrivateKey("P-256");
        const node = aName();
        const first = await issued(await ask(joining, forNode(node), withKey(key)));
        const self = connect({ certPem: certificateOf(first), keyPem: key.encodePem() });
        const csr = await judged(await ask(self, forNode(aName()), withSigner(INSECURE_CLIENT_SIGNER)));
        expect(conditionsOf(csr)).toMatchObject([{ type: "Denied", reason: "RequesterIsAnotherNode" }]);
      });

      it("an administrator who asks in a node's place under our own signer; under Kubernetes' own the authorizer decides", async () => {
        const csr = await judged(await ask(stage.admin, forNode(aName()), withSigner(INSECURE_CLIENT_SIGNER)));
        expect(verdictOf(csr)).toMatchObject({ verdict: "Deny", reason: "RequesterIsNeitherTokenNorNode" });
        await issued(await ask(stage.admin, forNode(aName())));
      });
    });

    it("believes nothing that the requester wrote into the metadata", async () => {
      const forged = JSON.stringify({ verdict: "Allow", rule: "x", reason: "NodeMayJoin", message: "", trail: [] });
      const name = await ask(joining, forNode("UPPER"), annotated({ [VERDICT_ANNOTATION]: forged }));
      const csr = await eventually(
        "the true verdict",
        () => read(name),
        (seen) => verdictOf(seen)?.verdict === "Deny",
      );
      expect(conditionsOf(csr)).toEqual([]);
    });

    it("lets no verdict reach another request that took the judged one's name", async () => {
      const old = await read(await ask(stage.admin, forNode(aName())));
      await stage.admin.delete(CSRS, { name: old.metadata.name ?? "" });
      const { metadata: _, ...rest } = old;
      const spec = { ...rest.spec, request: aCsr(forNode("UPPER")).spec.request };
      await joining.create(CSRS, { ...rest, spec, metadata: { name: old.metadata.name ?? "" } });
      const stale = { uid: old.metadata.uid, annotations: { [VERDICT_ANNOTATION]: "stale" } };
      const target = { name: old.metadata.name ?? "", subresource: "approval" };
      await expect(stage.admin.patch(CSRS, target, { metadata: stale })).rejects.toMatchObject({ code: "invalid" });
      const put = stage.admin.update(CSRS, { ...old, status: {} }, { subresource: "approval" });
      await expect(put).rejects.toMatchObject({ code: "conflict" });
      const csr = await judged(old.metadata.name ?? "");
      expect(verdictOf(csr)).toMatchObject({ verdict: "Deny", reason: "NodeNameIsInvalid" });
    });

    it("does not touch a request for somebody else's signer", async () => {
      const foreign = await ask(joining, forNode(aName()), withSigner("example.com/other"));
      // A request that came later has been judged: the foreign one had its turn.
      await judged(await ask(joining, forNode(aName())));
      const csr = await read(foreign);
      expect(csr.metadata.annotations?.[VERDICT_ANNOTATION]).toBeUndefined();
      expect(conditionsOf(csr)).toEqual([]);
    });

    it("does not sign what breaks the signer's rules, though an administrator approved it", async () => {
      const name = await ask(joining, withSubject({ commonName: "system:node:x", organizations: ["system:masters"] }));
      await judged(name);
      await approveByHand(stage.admin, await read(name));
      const csr = await eventually(
        "the failure",
        () => read(name),
        (seen) => findCondition(seen, "Failed") !== undefined,
      );
      expect(findCondition(csr, "Failed")).toMatchObject({ reason: "SignerValidationFailure" });
      expect(csr.status?.certificate).toBeUndefined();
    });

    it("signs what an administrator approved against our verdict, as long as the request itself is good", async () => {
      const node = aName();
      await issued(await ask(joining, forNode(node)));
      const name = await ask(joining, forNode(node));
      await judged(name);
      await approveByHand(stage.admin, await read(name));
      await issued(name);
    });

    it("comes to rest: a judged request is not written again", async () => {
      const name = await ask(joining, forNode("UPPER"));
      const { metadata } = await judged(name);
      await judged(await ask(joining, forNode(aName())));
      await issued(await ask(joining, forNode(aName())));
      expect((await read(name)).metadata.resourceVersion).toBe(metadata.resourceVersion);
    });

    it("signs cluster-info with the token, and takes the signature away with the token", async () => {
      const other = generateToken(randomBytes);
      await stage.admin.create(SECRETS, buildTokenSecret(other, { nowMs: Date.now(), ttlMs: 3_600_000 }));
      const key = `jws-kubeconfig-${other.id}`;
      const target = { namespace: "kube-public", name: "cluster-info" };
      const info = () => stage.admin.get<ConfigMap>(CONFIG_MAPS, target);
      const { data = {} } = await eventually("the signature", info, (seen) => seen.data?.[key] !== undefined);
      const signed = { jws: data[key] ?? "", keyId: other.id, secret: other.secret, content: data["kubeconfig"] ?? "" };
      expect(verifyDetachedHs256(signed)).toBe(true);
      await stage.admin.delete(SECRETS, { namespace: "kube-system", name: `bootstrap-token-${other.id}` });
      const after = await eventually("its end", info, (seen) => seen.data?.[key] === undefined);
      expect(after.data).toHaveProperty(`jws-kubeconfig-${tokenId}`);
    });

    it("goes on after a restart with what came in between", async () => {
      await stage.controller.stop();
      const node = aName();
      const first = await ask(joining, forNode(node));
      await stage.startAgain();
      await issued(first);
      expect(verdictOf(await judged(await ask(joining, forNode(node))))).toMatchObject({ reason: "NameIsClaimed" });
    });

    it("says every verdict and every certificate in one audit line", async () => {
      const node = aName();
      const name = await ask(joining, forNode(node));
      await issued(name);
      const audit = await eventually(
        "the audit lines",
        async () => stage.controller.lines.filter(({ csr, audit }) => csr === name && audit === true),
        (lines) => lines.length >= 2,
      );
      // The watch may tell the signer of an approval before its own answer reaches the approver.
      expect(audit.toSorted((one) => (one["said"] === "verdict" ? -1 : 1))).toMatchObject([
        { said: "verdict", verdict: "Allow", reason: "AutoApproved", requester: `system:bootstrap:${tokenId}` },
        { said: "certificate issued", subject: `system:node:${node}` },
      ]);
    });
  });
}

async function approveByHand(admin: KubeClient, csr: CertificateSigningRequest): Promise<void> {
  const condition: CsrCondition = { type: "Approved", status: "True", reason: "KubectlApprove", message: "by hand" };
  await admin.update(CSRS, { ...csr, status: { ...csr.status, conditions: [condition] } }, { subresource: "approval" });
}

function verdictOf(csr: CertificateSigningRequest) {
  return parseVerdict(csr.metadata.annotations?.[VERDICT_ANNOTATION] ?? "");
}

/** The Node, or the request that let it join: whichever of the two watches tells first. */
const TAKEN: readonly string[] = ["NodeIsRegistered", "NameIsClaimed"];

/** Not one that waits for a rival's approval to arrive. */
function hasFinalVerdict(csr: CertificateSigningRequest): boolean {
  return ["Allow", "Deny"].includes(verdictOf(csr)?.verdict ?? "");
}

function conditionsOf(csr: CertificateSigningRequest): readonly CsrCondition[] {
  return csr.status?.conditions ?? [];
}

function requestText(csr: CertificateSigningRequest): string {
  return parseUtf8(parseBase64(csr.spec.request));
}

function certificateOf(csr: CertificateSigningRequest): string {
  return parseUtf8(parseBase64(csr.status?.certificate ?? ""));
}

function leafOf(csr: CertificateSigningRequest) {
  const [leaf] = parsePem(certificateOf(csr));
  return parseCertificate(leaf?.bytes ?? encodeUtf8(""));
}
