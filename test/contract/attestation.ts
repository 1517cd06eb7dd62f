// Attestation on an API server, whichever: a machine with a TPM joins, renews and serves; and each attacker of the protocol's section 8
// is refused with the token that names what was wrong. The TPM is one in software, so that forgers can hold one too.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClusterRole, RoleBinding } from "../../src/api/access/index.ts";
import { buildTokenSecret, encodeToken, generateToken } from "../../src/api/bootstrap/index.ts";
import {
  type CertificateSigningRequest,
  findCondition,
  isIssued,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  SERVING_USAGES,
  VERDICT_ANNOTATION,
} from "../../src/api/certificates/index.ts";
import type { ConfigMap, Node } from "../../src/api/core/index.ts";
import {
  EK_LABEL,
  JOIN_POLICIES,
  type JoinPolicySpec,
  NODE_IDENTITIES,
  type NodeIdentity,
} from "../../src/api/countersign/index.ts";
import { CAPI_MACHINES_V1BETA2 } from "../../src/api/foreign/index.ts";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, CONFIG_MAPS, CSRS, NODES, SECRETS } from "../../src/api/meta/index.ts";
import {
  BEACON_CONFIG_MAP,
  CHALLENGE_ANNOTATION,
  type Claims,
  CONSUMED_BY_ANNOTATION,
  draftRequest,
  finishRequest,
  SUPPORTED_VERSIONS_ANNOTATION,
  transcriptDigest,
} from "../../src/attestation/evidence/index.ts";
import type { ProviderVerifier } from "../../src/controller/attestation/index.ts";
import { parseVerdict } from "../../src/controller/index.ts";
import { servedSigners } from "../../src/controller/signers.ts";
import { encodeBase64, encodeHex, encodeUtf8, parseBase64, parseUtf8 } from "../../src/kernel/bytes/index.ts";
import { sha256 } from "../../src/kernel/crypto/index.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import { publicKeyOf } from "../../src/kernel/tpm/index.ts";
import { parseCertificate } from "../../src/kernel/x509/index.ts";
import { generatePrivateKey, randomBytes } from "../../src/platform/keys/index.ts";
import { type Credentials, createKubeClient, type KubeClient } from "../../src/platform/kube/index.ts";
import {
  type AnswerOptions,
  type AttestingMachine,
  anAttestingMachine,
  type MachineOptions,
  refusalOf,
} from "../builders/attesting-machine.ts";
import { aCsr, forNode, withSan, withSigner, withUsages } from "../builders/csr.ts";
import { machineDefinition } from "../builders/machine-definition.ts";
import { aSoftTpm, type SoftTpm } from "../builders/soft-tpm.ts";
import {
  applyRights,
  controllerIdentity,
  ensureKubeadmObjects,
  eventually,
  type Plane,
  type RunningController,
  startController,
} from "./controller-stage.ts";
import { define, loadDefinitions } from "./definitions.ts";

const CLIENT_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm";
const SERVING_SIGNER = "cluster.x-k8s.io/kubelet-serving-tpm";
const INSECURE_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-insecure";

const MACHINE_KEY_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-machine-key";

/** An installed provider, by challenge: shows the digest of the exchange, as a signature over it would. */
const machineKeyVerifier: ProviderVerifier = {
  name: "machine-key",
  versions: [1],
  freshness: "challenge",
  ask: async ({ request, evidence, hello }) =>
    evidence["digest"] === encodeHex(request.digest) && hello?.["serial"] !== undefined
      ? { kind: "Attested", level: "Key", pins: { serial: String(hello["serial"]) } }
      : { kind: "Refused", reason: "ProofInvalid", message: "the digest is not that of the exchange" },
};

/** Who installs a provider also lets the controller decide about its signer. */
async function allowSigner(admin: KubeClient, signer: string): Promise<void> {
  const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "countersign:installed-provider" } };
  const rules = [
    { apiGroups: ["certificates.k8s.io"], resources: ["signers"], resourceNames: [signer], verbs: ["approve", "sign"] },
  ];
  await admin.create<ClusterRole>(CLUSTER_ROLES, { ...rbac, kind: "ClusterRole", rules });
  const name = "system:serviceaccount:countersign-system:node-attestation-controller";
  await admin.create<RoleBinding>(CLUSTER_ROLE_BINDINGS, {
    ...rbac,
    kind: "ClusterRoleBinding",
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: rbac.metadata.name },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name }],
  });
}

type Csr = CertificateSigningRequest;
type Attestation = NonNullable<JoinPolicySpec["attestation"]>;

let names = 0;
function aFamily(): string {
  names++;
  return `m${names}${Buffer.from(randomBytes(3)).toString("hex")}`;
}

/** Of a Machine, another for each. */
const addresses = new Map<string, string>();
function addressOf(name: string): string {
  const known = addresses.get(name) ?? `10.9.${addresses.size >> 8}.${addresses.size & 0xff}`;
  addresses.set(name, known);
  return known;
}

const ekHash = (tpm: SoftTpm) => encodeHex(sha256(publicKeyOf(tpm.ek).spki));

export function describeAttestation(where: string, startPlane: () => Promise<Plane>): void {
  describe(`attestation on ${where}`, () => {
    let plane: Plane;
    let joining: KubeClient;
    let cluster: string;
    let controller: RunningController;
    const clients: KubeClient[] = [];

    function connect(credentials: Credentials): KubeClient {
      const client = createKubeClient({ server: plane.url, caPem: plane.caPem, credentials: () => credentials });
      clients.push(client);
      return client;
    }

    async function connectWithToken(machine?: string): Promise<KubeClient> {
      const token = generateToken(randomBytes);
      const secret = buildTokenSecret(token, { nowMs: Date.now(), ttlMs: 3_600_000 });
      const annotations = machine === undefined ? {} : { "countersign.dev/machine": machine };
      await plane.admin.create(SECRETS, { ...secret, metadata: { ...secret.metadata, annotations } });
      return connect({ token: encodeToken(token) });
    }

    beforeAll(async () => {
      plane = await startPlane();
      for (const definition of await loadDefinitions()) {
        const isPolicy = definition.metadata.name?.startsWith("joinpolicies") === true;
        await define(plane.admin, definition, isPolicy ? JOIN_POLICIES : NODE_IDENTITIES);
      }
      await define(plane.admin, machineDefinition("cluster.x-k8s.io", ["v1beta2"]), CAPI_MACHINES_V1BETA2);
      await applyRights(plane.admin);
      await allowSigner(plane.admin, MACHINE_KEY_SIGNER);
      await ensureKubeadmObjects(plane.admin, plane.url);
      const [ca] = parsePem(plane.caPem);
      cluster = `sha256:${encodeHex(sha256(parseCertificate(ca?.bytes ?? new Uint8Array()).publicKey.spki))}`;
      const signers = [...servedSigners({ allowInsecure: true }), MACHINE_KEY_SIGNER];
      const attestation = { verifiers: [machineKeyVerifier] };
      controller = await startController(plane, connect(controllerIdentity(plane)), { signers, attestation });
      joining = await connectWithToken();
    });
    afterAll(async () => {
      await controller?.stop();
      await Promise.all(clients.map((client) => client.close()));
      await plane?.stop();
    });

    async function apply(family: string, attestation: Attestation, more: Partial<JoinPolicySpec> = {}): Promise<void> {
      const policy = { apiVersion: "countersign.dev/v1alpha1", kind: "JoinPolicy", metadata: { name: family } };
      const limits = { newIdentitiesPerHour: 10_000 };
      const spec: JoinPolicySpec = { mode: "Enforce", nodeNames: `${family}-.*`, limits, attestation, ...more };
      await plane.admin.create(JOIN_POLICIES, { ...policy, spec });
      await eventually(
        `policy ${family} to be read`,
        () => plane.admin.get(JOIN_POLICIES, { name: family }),
        (seen) => "status" in seen,
      );
    }

    async function createMachine(name: string, more: { cluster?: string; addresses?: readonly string[] } = {}) {
      const { addresses = [addressOf(name)] } = more;
      await plane.admin.create(CAPI_MACHINES_V1BETA2, {
        apiVersion: "cluster.x-k8s.io/v1beta2",
        kind: "Machine",
        metadata: { name, namespace: "default" },
        spec: {
          clusterName: more.cluster ?? "one",
          providerID: `test:///${name}`,
          bootstrap: { dataSecretName: "s" },
        },
      } as never);
      const status = { addresses: addresses.map((address) => ({ type: "InternalIP", address })) };
      await plane.admin.patch(
        CAPI_MACHINES_V1BETA2,
        { name, namespace: "default", subresource: "status" },
        { status },
        { type: "merge" },
      );
    }

    function claims(node: string, overrides: Partial<Claims> = {}): Claims {
      const signer = overrides.purpose === "serving" ? SERVING_SIGNER : CLIENT_SIGNER;
      const common = { intent: "join", purpose: "client", signer, node, providerId: `test:///${node}` } as const;
      return { ...common, cluster, offered: ["tpm/1"], ...overrides };
    }

    interface Scene {
      readonly family: string;
      readonly node: string;
      readonly tpm: SoftTpm;
      machine(overrides?: Partial<Claims>, more?: Partial<MachineOptions>): AttestingMachine;
    }

    /** A Machine that waits for its node, and a TPM that the policy lists. */
    async function aScene(attestation: Attestation = {}, more: Partial<JoinPolicySpec> = {}): Promise<Scene> {
      const family = aFamily();
      const node = `${family}-1`;
      const tpm = aSoftTpm();
      await apply(family, { ...attestation, tpm: { endorsementKeys: [ekHash(tpm)], ...attestation.tpm } }, more);
      await createMachine(node);
      const machine = (overrides: Partial<Claims> = {}, options: Partial<MachineOptions> = {}) =>
        anAttestingMachine({ client: joining, tpm, claims: claims(node, overrides), ...options });
      return { family, node, tpm, machine };
    }

    const read = (name: string) => plane.admin.get<Csr>(CSRS, { name });
    const nameOf = (csr: Csr) => csr.metadata.name ?? "";
    const challenged = (csr: Csr) =>
      eventually(
        `${nameOf(csr)} to be challenged`,
        () => read(nameOf(csr)),
        (seen) => seen.metadata.annotations?.[CHALLENGE_ANNOTATION] !== undefined,
      );
    /** Challenged or refused. */
    const settled = (csr: Csr) =>
      eventually(
        `${nameOf(csr)} to be settled`,
        () => read(nameOf(csr)),
        (seen) => seen.metadata.annotations?.[CHALLENGE_ANNOTATION] !== undefined || refusalOf(seen) !== undefined,
      );
    const issued = (csr: Csr) => eventually(`${nameOf(csr)} to be issued`, () => read(nameOf(csr)), isIssued);
    const refused = async (csr: Csr) =>
      refusalOf(
        await eventually(
          `${nameOf(csr)} to be refused`,
          () => read(nameOf(csr)),
          (seen) => refusalOf(seen) !== undefined,
        ),
      );
    const waiting = (csr: Csr, reason: string) =>
      eventually(
        `${nameOf(csr)} to wait for ${reason}`,
        () => read(nameOf(csr)),
        (seen) => parseVerdict(seen.metadata.annotations?.[VERDICT_ANNOTATION] ?? "")?.reason === reason,
      );
    const identityOf = (node: string) => plane.admin.get<NodeIdentity>(NODE_IDENTITIES, { name: node });
    const pem = (csr: Csr) => parseUtf8(parseBase64(csr.status?.certificate ?? ""));

    async function prove(machine: AttestingMachine, options: AnswerOptions = {}): Promise<Csr> {
      const hello = await challenged(await machine.hello());
      return await machine.send(machine.answer(hello, options));
    }

    /** The whole join; the client of the node that came of it. */
    async function join(machine: AttestingMachine): Promise<{ readonly node: KubeClient; readonly csr: Csr }> {
      const csr = await issued(await prove(machine));
      return { csr, node: connect({ certPem: pem(csr), keyPem: machine.key.encodePem() }) };
    }

    async function register(name: string): Promise<void> {
      await plane.admin.create<Node>(NODES, { apiVersion: "v1", kind: "Node", metadata: { name } });
    }

    describe("an honest machine", () => {
      it("joins by its TPM, and the identity holds what it proved", async () => {
        const { machine, node, tpm } = await aScene();
        const actor = machine();
        const hello = await actor.hello();
        const seen = await challenged(hello);
        expect(seen.metadata.annotations?.["cluster.x-k8s.io/tpm-endorsement-key"]).toContain("PUBLIC KEY");
        const proof = await issued(await actor.send(actor.answer(seen)));
        expect(findCondition(proof, "Approved")).toMatchObject({
          reason: "Attested",
          message: expect.stringContaining("provider tpm/1, level Listed"),
        });
        const identity = await eventually(
          "the exchange to be issued",
          () => identityOf(node),
          ({ status }) => status?.exchanges?.[0]?.state === "Issued",
        );
        const [block] = parsePem(pem(proof));
        expect(identity.status).toMatchObject({
          phase: "Active",
          provider: "tpm",
          providerId: `test:///${node}`,
          tpm: { ek: { spkiSha256: ekHash(tpm), trust: "Listed" } },
          machine: { namespace: "default", name: node },
          exchanges: [{ proofUid: proof.metadata.uid, helloUid: hello.metadata.uid, signerName: CLIENT_SIGNER }],
          certificates: [{ sha256: encodeHex(sha256(block?.bytes ?? new Uint8Array())), purpose: "Client" }],
        });
        expect(identity.metadata.labels?.[EK_LABEL]).toHaveLength(52);
        await eventually(
          "the hello to be deleted",
          () => plane.admin.list<Csr>(CSRS),
          ({ items }) => items.every(({ metadata }) => metadata.uid !== hello.metadata.uid),
        );
      });

      it("joins bare metal that an operator enrolled beforehand", async () => {
        const family = aFamily();
        const node = `${family}-1`;
        const tpm = aSoftTpm();
        await apply(family, {}, { machines: { clusterName: "none-of-these", namespace: "nowhere" } });
        await plane.admin.create<NodeIdentity>(NODE_IDENTITIES, {
          apiVersion: "countersign.dev/v1alpha1",
          kind: "NodeIdentity",
          metadata: { name: node },
          spec: { nodeName: node, tpm: { ek: { spkiSha256: ekHash(tpm) } } },
        });
        await join(anAttestingMachine({ client: joining, tpm, claims: claims(node) }));
        expect((await identityOf(node)).status?.tpm?.ek.trust).toBe("Bound");
      });

      it("renews by a second exchange and is given a serving certificate", async () => {
        const { machine, node } = await aScene();
        const first = await join(machine());
        await register(node);
        const second = await join(machine({ intent: "renew" }, { client: first.node }));
        const serving = machine(
          { intent: "renew", purpose: "serving" },
          { client: second.node, names: { ipAddresses: [addressOf(node)] } },
        );
        const csr = await issued(await prove(serving));
        const [block] = parsePem(pem(csr));
        expect(parseCertificate(block?.bytes ?? new Uint8Array()).subjectAltNames?.ipAddresses).toEqual([
          addressOf(node),
        ]);
        expect((await identityOf(node)).status?.certificates?.map(({ purpose }) => purpose)).toEqual([
          "Client",
          "Client",
          "Serving",
        ]);
      });

      it("renews by beacon where the policy says so", async () => {
        const { machine, node } = await aScene({ renewalBeacon: true });
        const first = await join(machine());
        await register(node);
        const { namespace, name, key } = BEACON_CONFIG_MAP;
        const beacon = await eventually(
          "the beacon to be published",
          async () => (await plane.admin.list<ConfigMap>(CONFIG_MAPS, { namespace })).items,
          (items) => items.some(({ metadata }) => metadata.name === name),
        );
        const text = beacon.find(({ metadata }) => metadata.name === name)?.data?.[key] ?? "";
        const actor = machine({ intent: "renew" }, { client: first.node });
        await issued(await actor.send(actor.beaconRenewal(text)));
      });

      it("waits for its Machine and is challenged when it comes", async () => {
        const { family, tpm } = await aScene();
        const node = `${family}-2`;
        const hello = await anAttestingMachine({ client: joining, tpm, claims: claims(node) }).hello();
        await waiting(hello, "MachineNotReady");
        await createMachine(node);
        await challenged(hello);
      });

      it("joins again after it was re-imaged: the pins are its own", async () => {
        const { machine, node } = await aScene();
        await join(machine());
        await register(node);
        await join(machine());
      });

      it("has its kubelet's own serving request approved by custody", async () => {
        const { machine, node } = await aScene(
          {},
          {
            serving: { inventory: { machineAddresses: true } },
            machines: { nameFrom: ["MachineName"] },
          },
        );
        const { node: client } = await join(machine());
        const { spec } = aCsr(
          forNode(node),
          withSigner(KUBELET_SERVING_SIGNER),
          withUsages(...SERVING_USAGES),
          withSan({ ipAddresses: [addressOf(node)] }),
        );
        const sent = await client.create<Csr>(CSRS, bare(spec));
        await issued(sent);
      });
    });

    function bare({ request, signerName, usages }: Csr["spec"]): Csr {
      return {
        apiVersion: "certificates.k8s.io/v1",
        kind: "CertificateSigningRequest",
        metadata: { generateName: "csr-" },
        spec: { request, signerName, usages },
      };
    }

    /** The provider that proves nothing, in the envelope. */
    function askInsecurely(node: string, overrides: Partial<Claims> = {}, client = joining): Promise<Csr> {
      const claimed = claims(node, { signer: INSECURE_SIGNER, offered: ["insecure/1"], ...overrides });
      const protocol = { provider: "insecure", version: 1 };
      const actor = anAttestingMachine({ client, claims: claimed, protocol });
      const draft = draftRequest({ step: "single", claims: claimed, protocol, key: actor.key.signer });
      return actor.send(finishRequest(draft, { body: { kind: "insecure" } }));
    }

    describe("the insecure provider", () => {
      it("lets a machine in once, and says that nothing was proven", async () => {
        const { node } = await aScene({ providers: ["insecure"] });
        const csr = await issued(await askInsecurely(node));
        expect(findCondition(csr, "Approved")).toMatchObject({
          reason: "Unattested",
          message: expect.stringContaining("level Unattested"),
        });
        expect(await refused(await askInsecurely(node))).toBe("FirstUseSpent");
      });

      it("neither renews nor serves", async () => {
        const { node } = await aScene({ providers: ["insecure"] });
        expect(await refused(await askInsecurely(node, { intent: "renew" }))).toBe("ProviderCannotRenew");
      });
    });

    describe("an installed provider", () => {
      /** Hello and proof as the SDK's node side makes them. */
      async function proveByKey(node: string, spoil: (digest: string) => string = (digest) => digest): Promise<Csr> {
        const protocol = { provider: "machine-key", version: 1 };
        const claimed = claims(node, { signer: MACHINE_KEY_SIGNER, offered: ["machine-key/1"] });
        const key = generatePrivateKey("P-256");
        const actor = anAttestingMachine({ client: joining, claims: claimed, key, protocol });
        const draft = draftRequest({ step: "hello", claims: claimed, protocol, key: key.signer });
        const body = { kind: "other", value: { serial: "42" } } as const;
        const hello = await challenged(await actor.send(finishRequest(draft, { body })));
        const answer = draftRequest({ step: "proof", claims: claimed, protocol, key: key.signer });
        const freshness = {
          kind: "challenge",
          helloRequest: parseBase64(hello.spec.request),
          helloUid: hello.metadata.uid ?? "",
          annotation: hello.metadata.annotations?.[CHALLENGE_ANNOTATION] ?? "",
        } as const;
        const digest = transcriptDigest({ claims: claimed, protocol, spki: answer.spki, cri: answer.cri, freshness });
        const value = { digest: spoil(encodeHex(digest)) };
        const named = { name: nameOf(hello), uid: hello.metadata.uid ?? "" };
        return await actor.send(finishRequest(answer, { body: { kind: "other", value }, hello: named }));
      }

      it("joins by challenge, and its pins are kept", async () => {
        const { node } = await aScene({ providers: ["machine-key"] });
        const csr = await issued(await proveByKey(node));
        expect(findCondition(csr, "Approved")?.message).toContain("provider machine-key/1, level Key");
        expect((await identityOf(node)).status).toMatchObject({ provider: "machine-key", pins: { serial: "42" } });
      });

      it("refuses in its own words", async () => {
        const { node } = await aScene({ providers: ["machine-key"] });
        expect(await refused(await proveByKey(node, () => "00"))).toBe("ProofInvalid");
      });
    });

    describe("a stranger with a bootstrap token", () => {
      it("without a TPM cannot open the challenge", async () => {
        const { machine } = await aScene();
        expect(await refused(await prove(machine(), { secret: randomBytes(32) }))).toBe("ChallengeFailed");
      });

      it("with a TPM that nobody listed is not challenged", async () => {
        const { node } = await aScene();
        const stranger = anAttestingMachine({ client: joining, claims: claims(node) });
        expect(await refused(await stranger.hello())).toBe("EndorsementKeyUntrusted");
      });

      it("with a TPM of an unknown CA is not let in at first use either", async () => {
        const { node } = await aScene({ tpm: { firstUse: "Allow" } });
        const stranger = anAttestingMachine({ client: joining, claims: claims(node) });
        expect(await refused(await stranger.hello())).toBe("EndorsementKeyUntrusted");
      });

      it("with an attestation key that signs anything is refused", async () => {
        const tpm = aSoftTpm({ akFields: { attributes: 0x00040072 } });
        const { family } = await aScene({ tpm: { endorsementKeys: [ekHash(tpm)] } });
        const node = `${family}-1`;
        const stranger = anAttestingMachine({ client: joining, tpm, claims: claims(node) });
        expect(await refused(await stranger.hello())).toBe("AttestationKeyUnacceptable");
      });

      it("with an attestation key of another TPM fails at the challenge", async () => {
        const { machine } = await aScene();
        expect(await refused(await prove(machine(), { tpm: aSoftTpm() }))).toBe("QuoteSignatureInvalid");
      });

      it("replays a proof in vain: the challenge is used up", async () => {
        const { machine } = await aScene();
        const actor = machine();
        const hello = await challenged(await actor.hello());
        const proof = await actor.send(actor.answer(hello));
        await eventually(
          "the challenge to be used up",
          () => plane.admin.list<Csr>(CSRS),
          ({ items }) =>
            items.every(
              ({ metadata }) =>
                metadata.uid !== hello.metadata.uid || metadata.annotations?.[CONSUMED_BY_ANNOTATION] !== undefined,
            ),
        );
        const again = await actor.send(actor.answer(hello));
        expect(["ChallengeConsumed", "ChallengeUnknown"]).toContain(await refused(again));
        await issued(proof);
      });

      it("answers late in vain", async () => {
        const { machine } = await aScene();
        const actor = machine();
        const hello = await challenged(await actor.hello());
        const late = actor.answer(hello);
        controller.skip(10 * 60_000);
        try {
          expect(["ChallengeExpired", "ChallengeUnknown"]).toContain(await refused(await actor.send(late)));
        } finally {
          controller.skip(-10 * 60_000);
        }
      });

      it("swaps the key that the certificate is for", async () => {
        const { machine } = await aScene();
        expect(await refused(await prove(machine(), { key: generatePrivateKey("P-256") }))).toBe("HelloMismatch");
      });

      it("files junk that names another's hello, which stays good", async () => {
        const { machine } = await aScene();
        const actor = machine();
        const hello = await challenged(await actor.hello());
        for (let round = 0; round < 10; round++) {
          await actor.send(actor.answer(hello, { secret: randomBytes(32) }));
        }
        await issued(await actor.send(actor.answer(hello)));
      });

      it("sets the annotations of the controller itself", async () => {
        const { machine } = await aScene();
        const actor = machine({}, { metadata: { annotations: { [CHALLENGE_ANNOTATION]: "{}" } } });
        expect(await refused(await actor.hello())).toBe("AnnotationForged");
      });

      it("sets a finalizer so that the request cannot be deleted", async () => {
        const { machine } = await aScene();
        const actor = machine({}, { metadata: { finalizers: ["example.com/mine"] } });
        expect(await refused(await actor.hello())).toBe("MetadataNotAllowed");
      });

      it("asks with the token of another Machine", async () => {
        const { machine, family } = await aScene();
        const other = await connectWithToken(`default/${family}-other`);
        await eventually(
          "the token to be known",
          async () => refusalOf(await settled(await machine({}, { client: other }).hello())),
          (reason) => reason === "BootstrapTokenForOtherMachine",
        );
      });

      it("asks in the name of another cluster", async () => {
        const { machine } = await aScene();
        const actor = machine({ cluster: `sha256:${"00".repeat(32)}` });
        expect(await refused(await actor.hello())).toBe("ClusterMismatch");
      });

      it("sends a mebibyte of evidence", async () => {
        const { node } = await aScene();
        const draft = draftRequest({
          step: "hello",
          claims: claims(node),
          protocol: { provider: "tpm", version: 1 },
          key: generatePrivateKey("P-256").signer,
        });
        const { request } = finishRequest(draft, {
          body: { kind: "tpm-hello", ak: new Uint8Array(64), endorsement: undefined },
        });
        const huge = encodeBase64(encodeUtf8(parseUtf8(request) + "#".repeat(1_000_000)));
        const spec = { request: huge, signerName: CLIENT_SIGNER, usages: ["digital signature"] };
        expect(await refused(await joining.create<Csr>(CSRS, bare(spec)))).toBe("RequestTooLarge");
      });

      it("sends something else than an envelope", async () => {
        const { node } = await aScene();
        const { spec } = aCsr(forNode(node), withSigner(CLIENT_SIGNER));
        expect(await refused(await joining.create<Csr>(CSRS, bare(spec)))).toBe("EnvelopeMalformed");
      });

      it("copies a request under another name", async () => {
        const { machine } = await aScene();
        const actor = machine({}, { metadata: { name: `my-own-name-${aFamily()}` } });
        expect(await refused(await actor.hello())).toBe("NameNotBound");
      });

      it("speaks a version that nobody knows, and is told which are", async () => {
        const { machine } = await aScene();
        const actor = machine({ offered: ["tpm/2", "tpm/1"] }, { protocol: { provider: "tpm", version: 2 } });
        const hello = await actor.hello();
        expect(await refused(hello)).toBe("VersionUnsupported");
        expect((await read(nameOf(hello))).metadata.annotations?.[SUPPORTED_VERSIONS_ANNOTATION]).toBe('["tpm/1"]');
      });

      it("falls back to the insecure provider", async () => {
        const { node } = await aScene();
        expect(await refused(await askInsecurely(node))).toBe("ProviderNotAuthorized");
      });

      it("falls back to a request without evidence under the insecure signer", async () => {
        const { machine, node } = await aScene();
        await join(machine());
        const { spec } = aCsr(forNode(node), withSigner(INSECURE_SIGNER));
        expect(await refused(await joining.create<Csr>(CSRS, bare(spec)))).toBe("EnvelopeMalformed");
      });

      it("falls back to Kubernetes' own signer with the same token", async () => {
        const { node } = await aScene();
        const { spec } = aCsr(forNode(node), withSigner(KUBELET_CLIENT_SIGNER));
        expect(await refused(await joining.create<Csr>(CSRS, bare(spec)))).toBe("EvidenceRequired");
      });
    });

    describe("a machine that is another", () => {
      it("does not get the name of another Machine", async () => {
        const { family, tpm } = await aScene();
        await createMachine(`${family}-2`);
        const wrong = claims(`${family}-3`, { providerId: `test:///${family}-2` });
        const hello = await anAttestingMachine({ client: joining, tpm, claims: wrong }).hello();
        await waiting(hello, "MachineAddressesMissing");
      });

      it("does not get the name of a registered Node", async () => {
        const { machine, node } = await aScene();
        await register(node);
        expect(await refused(await machine().hello())).toBe("NodeNameTaken");
      });

      it("does not get in by a Machine of another cluster", async () => {
        const { family, tpm } = await aScene({}, { machines: { clusterName: "one" } });
        const node = `${family}-2`;
        await createMachine(node, { cluster: "two" });
        await waiting(
          await anAttestingMachine({ client: joining, tpm, claims: claims(node) }).hello(),
          "MachineNotReady",
        );
      });

      it("does not get a second name with its own TPM", async () => {
        const { machine, family, tpm } = await aScene();
        await join(machine());
        const node = `${family}-2`;
        await createMachine(node);
        const second = anAttestingMachine({ client: joining, tpm, claims: claims(node) });
        const hello = await second.hello();
        expect(await refused(hello)).toBe("EndorsementKeyInUse");
      });

      it("does not take over a node that another TPM was pinned to", async () => {
        const other = aSoftTpm();
        const { machine, node, tpm } = await aScene({ tpm: { endorsementKeys: [] } });
        await plane.admin.patch(
          JOIN_POLICIES,
          { name: node.slice(0, -2) },
          { spec: { attestation: { tpm: { endorsementKeys: [ekHash(tpm), ekHash(other)] } } } },
          { type: "merge" },
        );
        await eventually("the join", () => join(machine()), Boolean);
        const stranger = anAttestingMachine({ client: joining, tpm: other, claims: claims(node) });
        expect(await refused(await stranger.hello())).toBe("EndorsementKeyChanged");
      });

      it("shows a changed boot where the policy lists the good one", async () => {
        const allowed = [{ index: 0, values: ["11".repeat(32)] }];
        const { machine } = await aScene({ tpm: { pcrs: { rule: "Match", select: [0, 7], allowed } } });
        expect(await refused(await prove(machine()))).toBe("PcrPolicyViolation");
      });

      it("is a copy: its TPM's clock goes back", async () => {
        const { machine, node } = await aScene();
        const { node: client } = await join(machine());
        await register(node);
        const copy = machine({ intent: "renew" }, { client });
        expect(await refused(await prove(copy, { quote: { clock: 1n } }))).toBe("TpmClockRegressed");
      });

      it("asks for the certificate of another node with its own", async () => {
        const { machine, family, tpm } = await aScene();
        const { node: client } = await join(machine());
        const foreign = anAttestingMachine({ client, tpm, claims: claims(`${family}-2`, { intent: "renew" }) });
        expect(await refused(await foreign.hello())).toBe("RequesterNotAllowed");
      });

      it("asks for names that are not its Machine's", async () => {
        const { machine, node } = await aScene();
        const { node: client } = await join(machine());
        await register(node);
        const actor = machine(
          { intent: "renew", purpose: "serving" },
          { client, names: { ipAddresses: ["10.10.0.99"] } },
        );
        expect(await refused(await prove(actor))).toBe("SanNotAllowed");
      });

      it("races another for one name: one of them gets it", async () => {
        const other = aSoftTpm();
        const own = aSoftTpm();
        const { node, machine } = await aScene({ tpm: { endorsementKeys: [ekHash(own), ekHash(other)] } });
        const machines = [machine({}, { tpm: own }), machine({}, { tpm: other })];
        const hellos = await Promise.all(machines.map(async (one) => challenged(await one.hello())));
        const proofs = await Promise.all(machines.map((one, index) => one.send(one.answer(hellos[index] as Csr))));
        const ends = await Promise.all(
          proofs.map((proof) =>
            eventually(
              "both to be decided",
              () => read(nameOf(proof)),
              (csr) => isIssued(csr) || refusalOf(csr) !== undefined,
            ),
          ),
        );
        expect(ends.filter(isIssued)).toHaveLength(1);
        const [reason] = ends.flatMap((csr) => refusalOf(csr) ?? []);
        expect(["IdentityConflict", "EndorsementKeyChanged"]).toContain(reason);
        expect((await identityOf(node)).status?.exchanges).toHaveLength(1);
      });
    });

    describe("what was given", () => {
      it("is not renewed after the Machine is gone", async () => {
        const { machine, node } = await aScene();
        const { node: client } = await join(machine());
        await register(node);
        await plane.admin.delete(CAPI_MACHINES_V1BETA2, { name: node, namespace: "default" });
        await eventually(
          "the renewal to be refused",
          async () => refusalOf(await settled(await machine({ intent: "renew" }, { client }).hello())),
          (reason) => reason === "MachineMismatch",
        );
      });

      it("is over when Machine and Node are gone, and the TPM may serve another", async () => {
        const { machine, node, family, tpm } = await aScene();
        await join(machine());
        await plane.admin.delete(CAPI_MACHINES_V1BETA2, { name: node, namespace: "default" });
        // Any change of a policy brings the round of upkeep forward.
        await apply(aFamily(), {});
        const retired = await eventually(
          "the identity to be retired",
          () => identityOf(node),
          ({ status, metadata }) => status?.phase === "Retired" && metadata.labels?.[EK_LABEL] === undefined,
        );
        expect(retired.status?.certificates).toMatchObject([{ revoked: true }]);
        await createMachine(`${family}-2`);
        await join(anAttestingMachine({ client: joining, tpm, claims: claims(`${family}-2`) }));
      });

      it("is given anew to another TPM after an operator's reset, once", async () => {
        const [own, other] = [aSoftTpm(), aSoftTpm()];
        const { node, machine } = await aScene({ tpm: { endorsementKeys: [ekHash(own), ekHash(other)] } });
        await join(machine({}, { tpm: own }));
        const until = new Date(Date.now() + 3_600_000).toISOString();
        const spec = { reset: { until, ekSpkiSha256: ekHash(other) } };
        await plane.admin.patch(NODE_IDENTITIES, { name: node }, { spec }, { type: "merge" });
        await eventually(
          "the other TPM to be challenged",
          async () => (await settled(await machine({}, { tpm: other }).hello())).metadata.annotations ?? {},
          (annotations) => annotations[CHALLENGE_ANNOTATION] !== undefined,
        );
        await join(machine({}, { tpm: other }));
        const identity = await identityOf(node);
        expect(identity.status?.tpm?.ek.spkiSha256).toBe(ekHash(other));
        expect(identity.spec.reset).toBeUndefined();
        await eventually(
          "the first TPM to be refused",
          async () => refusalOf(await settled(await machine({}, { tpm: own }).hello())),
          (reason) => reason === "EndorsementKeyChanged",
        );
      });

      it("is nothing for a revoked identity", async () => {
        const { machine, node } = await aScene();
        await join(machine());
        await plane.admin.patch(NODE_IDENTITIES, { name: node }, { spec: { revoked: true } }, { type: "merge" });
        await eventually(
          "the revocation to be known",
          async () => refusalOf(await settled(await machine().hello())),
          (reason) => reason === "IdentityRevoked",
        );
      });

      it("is not signed on an approval alone, and a hello never", async () => {
        const { machine, family } = await aScene();
        const stray = machine({ node: `${family}-2`, providerId: "test:///nobody-waits-for-this-one" });
        const hello = await stray.hello();
        const live = await waiting(hello, "MachineNotReady");
        const condition = { type: "Approved", status: "True", reason: "ByHand", message: "looks fine" } as const;
        await plane.admin.update<Csr>(
          CSRS,
          { ...live, status: { conditions: [condition] } },
          { subresource: "approval" },
        );
        const failed = await eventually(
          "the signer to refuse",
          () => read(nameOf(hello)),
          (csr) => findCondition(csr, "Failed") !== undefined,
        );
        expect(findCondition(failed, "Failed")?.reason).toBe("ApprovalWithoutAttestation");
      });
    });
  });
}
