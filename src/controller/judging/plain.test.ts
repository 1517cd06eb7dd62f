import { setImmediate } from "node:timers/promises";
// Gather, judge and act around the accidents: the happy and the refused ways are in test/contract/controller.ts.

import { describe, expect, it } from "vitest";
import {
  aCsr,
  aNode,
  annotated,
  approved,
  aToken,
  forNode,
  from,
  named,
  withCondition,
  withProviderId,
  withSan,
  withSigner,
  withUsages,
} from "../../../test/builders/csr.ts";
import { type Answers, aRecordingClient } from "../../../test/builders/csr-client.ts";
import { aPolicy, foundMachine } from "../../../test/builders/csr-facts.ts";
import { anIdentity } from "../../../test/builders/exchange.ts";
import { aSoftTpm } from "../../../test/builders/soft-tpm.ts";
import {
  type ClusterAround,
  kubeadmAccess,
  noIdentities,
  noNetwork,
  surroundingsOf,
} from "../../../test/builders/surroundings.ts";
import { createManualClock } from "../../../test/fakes/clock.ts";
import {
  type CertificateSigningRequest,
  INSECURE_CLIENT_SIGNER,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  SERVING_USAGES,
  VERDICT_ANNOTATION,
} from "../../api/certificates/index.ts";
import type { Node } from "../../api/core/index.ts";
import type { KubeObject } from "../../api/meta/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { createMetrics, silentLog } from "../../platform/report/index.ts";
import { createClaims } from "./claims.ts";
import type { EvidenceReader, IdentityReader, Network } from "./look.ts";
import { createPending } from "./pending.ts";
import { createPlainJudge } from "./plain.ts";
import { parseVerdict, verdictOn } from "./record.ts";

const never = new AbortController().signal;

interface Stage extends ClusterAround {
  readonly hasSynced?: boolean;
  readonly evidence?: EvidenceReader;
  readonly identity?: IdentityReader;
  readonly network?: Network;
}

function anApproval(csrs: readonly CertificateSigningRequest[], answers: Answers = {}, stage: Stage = {}) {
  const cache = new Map(csrs.map((csr) => [csr.metadata.name ?? "", csr]));
  const approve = () => ({ ...csrs[0]!, status: { conditions: [{ type: "Approved", status: "True" as const }] } });
  const client = aRecordingClient({ update: approve, patch: approve, ...answers });
  const claims = createClaims();
  const metrics = createMetrics();
  const approval = createPlainJudge({
    client,
    claims,
    clock: createManualClock(),
    log: silentLog,
    replica: "test",
    servedSigners: [KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER, INSECURE_CLIENT_SIGNER],
    access: kubeadmAccess(),
    surroundings: surroundingsOf(stage),
    network: stage.network ?? noNetwork,
    seeIdentity: stage.identity ?? noIdentities,
    seeEvidence: stage.evidence,
    metrics,
    pending: createPending(),
    hasSynced: () => stage.hasSynced ?? true,
    getCsr: (name) => cache.get(name),
  });
  const judge = async (name: string) => {
    const next = await approval.handle(name, never);
    await setImmediate(); // Events are written beside the verdict
    return next;
  };
  return { cache, client, claims, metrics, approval, judge };
}

const nameOf = (csr: CertificateSigningRequest) => csr.metadata.name ?? "";
const updatesOf = (client: ReturnType<typeof aRecordingClient>) =>
  client.written.filter(({ verb }) => verb === "update");

function annotationsIn(client: ReturnType<typeof aRecordingClient>): Record<string, string> {
  const body = updatesOf(client)[0]?.body as CertificateSigningRequest | undefined;
  return body?.metadata.annotations ?? {};
}

describe("approval", () => {
  it("writes condition and annotation in one call, for exactly the object that was judged", async () => {
    const csr = aCsr();
    const { client, judge } = anApproval([csr]);
    await judge(nameOf(csr));
    expect(client.written).toMatchObject([
      {
        verb: "update",
        target: { name: nameOf(csr), subresource: "approval" },
        body: {
          metadata: {
            uid: csr.metadata.uid,
            resourceVersion: "1",
            annotations: { [VERDICT_ANNOTATION]: expect.stringContaining('"verdict":"Allow"') },
          },
          status: { conditions: [{ type: "Approved", reason: "AutoApproved" }] },
        },
      },
    ]);
  });

  it("keeps the conditions that are there: a PUT replaces the list", async () => {
    const csr = aCsr();
    const noted = { ...csr, status: { conditions: [{ type: "Noted", status: "True" as const }] } };
    const { client, judge } = anApproval([noted]);
    await judge(nameOf(csr));
    expect(client.written[0]?.body).toMatchObject({
      status: { conditions: [{ type: "Noted" }, { type: "Approved" }] },
    });
  });

  it("turns no accident into a denial: when the Node cannot be read, nothing is written and the fault goes up", async () => {
    const csr = aCsr(withSigner(INSECURE_CLIENT_SIGNER));
    const stage = { policy: aPolicy() };
    const { client, judge } = anApproval([csr], { get: () => new Fault("unavailable", "no connection") }, stage);
    await expect(judge(nameOf(csr))).rejects.toMatchObject({ code: "unavailable" });
    expect(client.written).toEqual([]);
  });

  it("waits, with the reason on the object and in an Event, until the caches are complete", async () => {
    const csr = aCsr(withSigner(INSECURE_CLIENT_SIGNER));
    const { client, judge } = anApproval([csr], {}, { hasSynced: false });
    expect((await judge(nameOf(csr))).afterMs).toBeGreaterThan(0);
    expect(client.written).toMatchObject([
      { verb: "update", body: { metadata: { annotations: expect.anything() } } },
      { verb: "create", body: { kind: "Event", reason: "NodeIsNotRead" } },
    ]);
    expect(client.written[0]?.body).not.toHaveProperty("status.conditions");
  });

  it("writes a verdict once: not again when it comes back as a change", async () => {
    const csr = aCsr(withSan({ dnsNames: ["x"] }));
    const { cache, client, judge } = anApproval([csr]);
    await judge(nameOf(csr));
    cache.set(nameOf(csr), { ...csr, metadata: { ...csr.metadata, annotations: annotationsIn(client) } });
    await judge(nameOf(csr));
    expect(client.written.map(({ verb }) => verb)).toEqual(["update", "create"]);
  });

  it("writes and tells of a refusal though the requester sent the words of one along", async () => {
    const honest = aCsr(withSan({ dnsNames: ["x"] }));
    const first = anApproval([honest]);
    await first.judge(nameOf(honest));
    const forged = aCsr(withSan({ dnsNames: ["x"] }), annotated(annotationsIn(first.client)));
    const { client, judge } = anApproval([forged]);
    await judge(nameOf(forged));
    expect(client.written).toMatchObject([
      { verb: "update", target: { subresource: "approval" } },
      { verb: "create", body: { reason: "AlternativeNamesRequested" } },
    ]);
  });

  it("does not lose a verdict for an Event that cannot be written", async () => {
    const csr = aCsr(withSan({ dnsNames: ["x"] }));
    const { judge } = anApproval([csr], { create: () => new Fault("forbidden", "no events for you") });
    await expect(judge(nameOf(csr))).resolves.toEqual({});
  });

  it("touches nothing that is decided, issued, being deleted or gone", async () => {
    const decided = { ...aCsr(), status: { conditions: [{ type: "Denied", status: "True" as const }] } };
    const issued = { ...aCsr(), status: { certificate: "x" } };
    const base = aCsr();
    const leaving = { ...base, metadata: { ...base.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    const { client, judge } = anApproval([decided, issued, leaving]);
    for (const name of [...[decided, issued, leaving].map(nameOf), "gone"]) await judge(name);
    expect(client.written).toEqual([]);
  });
});

describe("two keys for one name", () => {
  it("the second sees the approval of the first before the watch has told of it", async () => {
    const [first, second] = [aCsr(withSigner(INSECURE_CLIENT_SIGNER)), aCsr(withSigner(INSECURE_CLIENT_SIGNER))];
    const { client, judge } = anApproval([first, second]);
    await Promise.all([judge(nameOf(first)), judge(nameOf(second))]);
    expect(updatesOf(client)).toMatchObject([
      { target: { name: nameOf(first) }, body: { status: { conditions: [{ type: "Approved" }] } } },
      {
        target: { name: nameOf(second) },
        body: { status: { conditions: [{ type: "Denied", reason: "NameIsClaimed" }] } },
      },
    ]);
  });

  it("the second waits while nobody knows whether the approval of the first was written", async () => {
    const [first, second] = [aCsr(), aCsr()];
    const answers = [new Fault("timeout", "no answer"), first, { ...first, status: {} }];
    const { client, claims, judge } = anApproval([first, second], { update: () => answers.shift() ?? first });
    await expect(judge(nameOf(first))).rejects.toMatchObject({ code: "timeout" });
    expect(claims.of("worker-3")).toMatchObject([{ standing: "Reserved" }]);
    expect(await judge(nameOf(second))).toEqual({ afterMs: expect.any(Number) });
    expect(updatesOf(client)[1]?.body).not.toHaveProperty("status.conditions");
  });

  it("the second still waits when the first is tried again and meets a conflict: it may be with its own approval", async () => {
    const [first, second] = [aCsr(), aCsr()];
    const answers = [new Fault("timeout", "no answer"), new Fault("conflict", "modified"), second];
    const { claims, judge } = anApproval([first, second], { update: () => answers.shift() ?? second });
    await expect(judge(nameOf(first))).rejects.toMatchObject({ code: "timeout" });
    await expect(judge(nameOf(first))).rejects.toMatchObject({ code: "conflict" });
    expect(await judge(nameOf(second))).toEqual({ afterMs: expect.any(Number) });
    claims.observe({ ...first, status: { conditions: [{ type: "Denied", status: "True" }] } });
    expect(claims.of("worker-3")).toEqual([]);
  });

  it("the second gets the name when the approval of the first was surely not written", async () => {
    const [first, second] = [aCsr(), aCsr()];
    const approved = { ...second, status: { conditions: [{ type: "Approved", status: "True" as const }] } };
    const answers = [new Fault("conflict", "modified"), approved];
    const { claims, judge } = anApproval([first, second], { update: () => answers.shift() ?? approved });
    await expect(judge(nameOf(first))).rejects.toMatchObject({ code: "conflict" });
    await judge(nameOf(second));
    expect(claims.of("worker-3")).toMatchObject([{ csrName: nameOf(second), standing: "Approved" }]);
  });
});

describe("the modes", () => {
  const evidence: EvidenceReader = async () => ({ kind: "Present", value: { kind: "Pass", note: "tpm" } });

  it("denies under a policy in Enforce, also for a built-in signer", async () => {
    const csr = aCsr();
    const { client, judge } = anApproval([csr], {}, { policy: aPolicy() });
    await judge(nameOf(csr));
    expect(updatesOf(client)).toMatchObject([
      {
        target: { subresource: "approval" },
        body: { status: { conditions: [{ type: "Denied", reason: "EvidenceRequired" }] } },
      },
    ]);
  });

  it("approves under a policy in Enforce when the evidence holds", async () => {
    const csr = aCsr();
    const { client, judge } = anApproval([csr], {}, { policy: aPolicy(), evidence });
    await judge(nameOf(csr));
    expect(client.written).toMatchObject([
      { verb: "update", body: { status: { conditions: [{ type: "Approved", reason: "NodeMayJoin" }] } } },
    ]);
  });

  it("records under a policy in Shadow and writes nothing to the approval, whatever the verdict", async () => {
    const [good, bad] = [aCsr(), aCsr(withSan({ dnsNames: ["x"] }))];
    const { client, judge } = anApproval([good, bad], {}, { policy: aPolicy({ mode: "Shadow" }), evidence });
    await judge(nameOf(good));
    await judge(nameOf(bad));
    expect(client.written.filter(({ target }) => target !== undefined)).toMatchObject([
      { verb: "patch", target: { subresource: "status" }, body: { metadata: { uid: good.metadata.uid } } },
      { verb: "patch", target: { subresource: "status" } },
    ]);
    expect(JSON.stringify(client.written)).toContain('\\"mode\\":\\"Shadow\\"');
  });

  it.each(["Shadow", undefined] as const)(
    "denies what the node's identity forbids, also where nothing else would: %s",
    async (mode) => {
      const csr = aCsr();
      const identity: IdentityReader = async () => ({ kind: "Present", value: anIdentity(aSoftTpm()) });
      const stage =
        mode === undefined ? { identity } : { identity, policy: aPolicy({ mode, client: { admit: "Access" } }) };
      const { client, judge } = anApproval([csr], {}, stage);
      await judge(nameOf(csr));
      expect(updatesOf(client)).toMatchObject([
        {
          target: { name: nameOf(csr), subresource: "approval" },
          body: { status: { conditions: [{ type: "Denied", status: "True", reason: "EvidenceRequired" }] } },
        },
      ]);
    },
  );

  it("records under Shadow also what others have decided meanwhile, once", async () => {
    const decided = { ...aCsr(), status: { conditions: [{ type: "Approved", status: "True" as const }] } };
    const { cache, client, judge } = anApproval([decided], {}, { policy: aPolicy({ mode: "Shadow" }), evidence });
    await judge(nameOf(decided));
    const body = client.written[0]?.body as CertificateSigningRequest;
    cache.set(nameOf(decided), {
      ...decided,
      metadata: { ...decided.metadata, annotations: body.metadata.annotations ?? {} },
    });
    await judge(nameOf(decided));
    expect(client.written).toHaveLength(1);
  });

  it("counts each verdict once, by signer, rule, reason and mode", async () => {
    const csr = aCsr();
    const { judge, metrics } = anApproval([csr], {}, { policy: aPolicy() });
    await judge(nameOf(csr));
    await judge(nameOf(csr));
    expect(metrics.expose()).toContain(
      'countersign_approval_verdicts_total{signer="kubernetes.io/kube-apiserver-client-kubelet",verdict="Deny",rule="evidence-holds",reason="EvidenceRequired",mode="Enforce"} 1',
    );
  });
});

describe("the pending limit", () => {
  const policy = aPolicy({ client: { admit: "Access" }, limits: { pendingPerRequester: 2 } });

  it("lets the newest of a requester wait, never the oldest, and nobody else (OCPBUGS-23544, -47508)", async () => {
    const own = [aCsr(), aCsr(), aCsr(forNode("own"))];
    const other = aCsr(from(aToken("ffffff")), forNode("other"));
    const { client, judge } = anApproval([...own, other], {}, { policy, pending: [...own, other] });
    for (const csr of [own[2], own[0], other]) await judge(nameOf(csr ?? other));
    const verdicts = updatesOf(client).map(
      ({ body }) => (body as CertificateSigningRequest).status?.conditions?.[0]?.type,
    );
    expect(verdicts).toEqual([undefined, "Approved", "Approved"]);
    expect(JSON.stringify(client.written)).toContain("TooManyPending");
  });

  it("does not count what is denied or failed, as machine-approver does", async () => {
    const failed = [aCsr(withCondition("Failed")), aCsr(withCondition("Failed"))];
    const csr = aCsr(forNode("own"));
    const { client, judge } = anApproval([csr], {}, { policy, pending: failed });
    await judge(nameOf(csr));
    expect(updatesOf(client)).toMatchObject([{ body: { status: { conditions: [{ type: "Approved" }] } } }]);
  });

  it("says the same of a request while a flood grows behind and before it, so that nothing is written again", async () => {
    const wordsAmong = async (count: number) => {
      const own = Array.from({ length: count }, () => aCsr());
      const last = aCsr();
      const { client, judge } = anApproval([last], {}, { policy, pending: [...own, last] });
      await judge(nameOf(last));
      const { trail, ...said } = JSON.parse(annotationsIn(client)[VERDICT_ANNOTATION] ?? "");
      return JSON.stringify([said.reason, said.message, trail]);
    };
    const few = await wordsAmong(2);
    expect(few).toContain("TooManyPending");
    expect(await wordsAmong(300)).toBe(few);
  });
});

describe("what an approval costs without a policy", () => {
  it("is one PUT and no read", async () => {
    const csr = aCsr();
    const { client, judge } = anApproval([csr], { get: () => new Fault("internal", "nobody should read") });
    await judge(nameOf(csr));
    expect(client.written.map(({ verb }) => verb)).toEqual(["update"]);
  });
});

describe("a Machine that is asked for under several names", () => {
  const machine = foundMachine({
    addresses: [
      { type: "InternalDNS", address: "ip-10-0-0-3.example.com" },
      { type: "Hostname", address: "worker-3" },
    ],
  });
  const policy = aPolicy({ client: { admit: "Machine" } });
  const long = aCsr(named("long"), forNode("ip-10-0-0-3.example.com"));
  const short = aCsr(named("short"), forNode("worker-3"), from(aToken("zzzzzz")));
  const asIs = { update: (object: KubeObject) => object };
  const saidOf = (client: ReturnType<typeof aRecordingClient>) =>
    updatesOf(client).map(({ target, body }) => {
      const recorded = verdictOn(body as CertificateSigningRequest);
      return [target?.name, recorded?.verdict, recorded?.reason];
    });

  it("is given away once, though both ask at the same moment", async () => {
    const { client, judge } = anApproval([long, short], asIs, { machine, policy });
    await Promise.all([judge("long"), judge("short")]);
    expect(saidOf(client)).toEqual([
      ["long", "Allow", "NodeMayJoin"],
      ["short", "Wait", "MachineIsClaimed"],
    ]);
  });

  it("is free again for the other name when the first request is gone", async () => {
    const { client, claims, judge } = anApproval([long, short], asIs, { machine, policy });
    await judge("long");
    claims.forget(long.metadata.uid ?? "");
    await judge("short");
    expect(saidOf(client)).toEqual([
      ["long", "Allow", "NodeMayJoin"],
      ["short", "Allow", "NodeMayJoin"],
    ]);
  });

  const node = (name: string, providerID?: string): Node => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: name },
    ...(providerID === undefined ? {} : { spec: { providerID } }),
  });
  it.each<[string, Node]>([
    ["a Node of its other name", node("ip-10-0-0-3.example.com")],
    ["a Node of any name that has its provider ID", node("elsewhere", "aws:///eu-1a/i-3")],
  ])("is kept by %s, whose request was cleaned away long ago", async (_, present) => {
    const { client, judge } = anApproval([short], asIs, { machine, policy, nodes: [present] });
    await judge("short");
    expect(saidOf(client)).toEqual([["short", "Wait", "MachineIsClaimed"]]);
  });

  it("is kept by a request that somebody else approved for its provider ID under any name", async () => {
    const { client, claims, judge } = anApproval([short], asIs, { machine, policy });
    claims.observe(aCsr(named("by-hand"), forNode("elsewhere"), withProviderId("aws:///eu-1a/i-3"), approved()));
    await judge("short");
    expect(saidOf(client)).toEqual([["short", "Wait", "MachineIsClaimed"]]);
  });

  describe("is not kept by a node that only writes its provider ID into a request", () => {
    const foreign = withProviderId("aws:///eu-1a/i-3");
    const ofLiar = [forNode("liar"), from(aNode("liar")), withSigner(INSECURE_CLIENT_SIGNER), foreign];

    it.each<[string, CertificateSigningRequest]>([
      ["to renew, whoever approved that", aCsr(named("by-hand"), ...ofLiar, approved())],
      [
        "to join under a signer of others",
        aCsr(named("x"), forNode("liar"), withSigner("example.com/x"), foreign, approved()),
      ],
    ])("%s", async (_, theirs) => {
      const { client, claims, judge } = anApproval([short], asIs, { machine, policy });
      claims.observe(theirs);
      await judge("short");
      expect(saidOf(client)).toEqual([["short", "Allow", "NodeMayJoin"]]);
    });

    it("and that node is refused, before and after the machine has joined", async () => {
      const nodes = [node("liar", "aws:///eu-1a/i-9")];
      const { client, judge } = anApproval([aCsr(named("liars"), ...ofLiar), short], asIs, { machine, policy, nodes });
      await judge("liars");
      await judge("short");
      await judge("liars");
      expect(saidOf(client)).toEqual([
        ["liars", "Deny", "ProviderIdIsNotItsOwn"],
        ["short", "Allow", "NodeMayJoin"],
        ["liars", "Deny", "ProviderIdIsNotItsOwn"],
      ]);
    });

    it.each<[string, NonNullable<ClusterAround["machine"]>, string[]]>([
      [
        "is refused though its Node says so too, where the Machine is another node",
        foundMachine({ nodeName: "worker-3" }),
        ["Deny", "ProviderIdIsNotItsOwn"],
      ],
      [
        "is refused where one of several Machines is another node",
        { kind: "Present", value: { kind: "Several", names: ["a/x", "a/y"], nodeNames: ["worker-3"] } },
        ["Deny", "ProviderIdIsNotItsOwn"],
      ],
      [
        "renews by its Node's word while the Machines are not read",
        { kind: "NotRead", why: "the management cluster is away" },
        ["Allow", "NodeMayRenew"],
      ],
    ])("and that node %s", async (_, found, said) => {
      const nodes = [node("liar", "aws:///eu-1a/i-3")];
      const around = { machine: found, nodes };
      const { client, judge } = anApproval([aCsr(named("liars"), ...ofLiar)], asIs, around);
      await judge("liars");
      expect(saidOf(client)).toEqual([["liars", ...said]]);
    });

    it("nor by a first request that no policy held to its Machine", async () => {
      const covering = aPolicy({ client: { admit: "Machine" }, nodeNames: "worker-.*" });
      const { client, claims, judge } = anApproval([short], asIs, { machine, policy: covering });
      claims.observe(aCsr(named("first"), forNode("liar"), foreign, approved()));
      await judge("short");
      expect(saidOf(client)).toEqual([["short", "Allow", "NodeMayJoin"]]);
    });
  });

  it("is not another Machine's: names and provider IDs of others are nobody's objection", async () => {
    const { client, claims, judge } = anApproval([short], asIs, { machine, policy, nodes: [node("worker-4", "x")] });
    claims.observe(aCsr(named("other"), forNode("worker-5"), withProviderId("aws:///eu-1a/i-5"), approved()));
    await judge("short");
    expect(saidOf(client)).toEqual([["short", "Allow", "NodeMayJoin"]]);
  });
});

describe("the name of a node", () => {
  const serving = (nodeName: string) =>
    aCsr(
      ...[named("serving"), forNode(nodeName), from(aNode(nodeName))],
      ...[withSigner(KUBELET_SERVING_SIGNER), withUsages(...SERVING_USAGES), withSan({ dnsNames: ["worker-1"] })],
    );
  const says = (name: string, address: string): Node => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: name },
    status: { addresses: [{ type: "Hostname", address }] },
  });
  const policy = aPolicy({ serving: { inventory: { machineAddresses: false, nodeAddresses: true } } });

  it.each([
    ["is its own, whatever a neighbour says of itself", "worker-1", "NodeMayRenew"],
    ["is not its neighbour's, whatever that says of itself", "liar", "NameIsAnotherNodes"],
  ])("%s", async (_, nodeName, reason) => {
    const nodes = [says("worker-1", "worker-1"), says("liar", "worker-1")];
    const { client, judge } = anApproval([serving(nodeName)], {}, { policy, nodes });
    await judge("serving");
    expect(parseVerdict(annotationsIn(client)[VERDICT_ANNOTATION] ?? "")?.reason).toBe(reason);
  });
});

describe("the names of a serving request that proves what its machine is", () => {
  const serving = (names: Parameters<typeof withSan>[0]) =>
    aCsr(named("serving"), withSigner(KUBELET_SERVING_SIGNER), withUsages(...SERVING_USAGES), withSan(names));
  const policy = aPolicy({ serving: { inventory: { ipPrefixes: ["0.0.0.0/0"] } } });
  const vet = async (csr: CertificateSigningRequest, stage: Stage = { policy }) => {
    const { client, approval } = anApproval([csr], { update: (object) => object }, stage);
    const next = await approval.vetNames(csr, never);
    const said = updatesOf(client).map(({ body }) => verdictOn(body as CertificateSigningRequest)?.reason);
    return [next, ...said];
  };

  it.each([
    ["the node itself", aNode("worker-3"), 1],
    [
      "a holder of a bootstrap token, whose requests would wait for a kubelet that does not answer",
      aToken("abcdef"),
      0,
    ],
  ])("lead to the kubelet for %s: %#", async (_, requester, dials) => {
    let dialled = 0;
    const presentNames: Network["presentNames"] = async () => {
      dialled += 1;
      return { kind: "NotRead", why: "no answer" };
    };
    const renewing = aPolicy({ serving: { renewal: "Allow", inventory: { ipPrefixes: ["10.0.0.0/8"] } } });
    const csr = aCsr(
      ...[forNode("worker-3"), named("serving"), from(requester), withSigner(KUBELET_SERVING_SIGNER)],
      ...[withUsages(...SERVING_USAGES), withSan({ ipAddresses: ["10.0.0.3"] })],
    );
    const { judge } = anApproval([csr], {}, { policy: renewing, network: { ...noNetwork, presentNames } });
    await judge("serving");
    expect(dialled).toBe(dials);
  });

  it("are refused where no node can have them, though every network of the policy holds them", async () => {
    expect(await vet(serving({ ipAddresses: ["127.0.0.1"] }))).toEqual([{}, "LoopbackRequested"]);
    expect(await vet(serving({ dnsNames: ["kubernetes"] }))).toEqual([{}, "ServiceNameRequested"]);
  });

  it.each<[string, CertificateSigningRequest, Stage]>([
    ["good names", serving({ ipAddresses: ["10.0.0.3"] }), { policy }],
    ["a request without a policy", serving({ ipAddresses: ["127.0.0.1"] }), {}],
    ["a request for a client certificate", aCsr(named("client")), { policy }],
  ])("are no objection to %s: then the evidence is judged", async (_, csr, stage) => {
    expect(await vet(csr, stage)).toEqual([undefined]);
  });
});
