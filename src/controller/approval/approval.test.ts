// Gather, judge and act around the accidents: the happy and the refused ways are in test/contract/controller.ts.

import { describe, expect, it } from "vitest";
import { aCsr, annotated, withSan, withSigner } from "../../../test/builders/csr.ts";
import { type Answers, aRecordingClient } from "../../../test/builders/csr-client.ts";
import { createManualClock } from "../../../test/fakes/clock.ts";
import {
  type CertificateSigningRequest,
  INSECURE_CLIENT_SIGNER,
  KUBELET_CLIENT_SIGNER,
  VERDICT_ANNOTATION,
} from "../../api/certificates/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import { createClaims } from "./claims.ts";
import { createApproval } from "./index.ts";
import { createPending } from "./pending.ts";

const never = new AbortController().signal;

function anApproval(csrs: readonly CertificateSigningRequest[], answers: Answers = {}, hasSynced = true) {
  const cache = new Map(csrs.map((csr) => [csr.metadata.name ?? "", csr]));
  const approve = () => ({ ...csrs[0]!, status: { conditions: [{ type: "Approved", status: "True" as const }] } });
  const client = aRecordingClient({ patch: approve, ...answers });
  const claims = createClaims();
  const approval = createApproval({
    client,
    claims,
    clock: createManualClock(),
    log: silentLog,
    identity: "test",
    servedSigners: [KUBELET_CLIENT_SIGNER, INSECURE_CLIENT_SIGNER],
    pending: createPending(),
    hasSynced: () => hasSynced,
    getCsr: (name) => cache.get(name),
  });
  return { cache, client, claims, judge: (name: string) => approval.handle(name, never) };
}

const nameOf = (csr: CertificateSigningRequest) => csr.metadata.name ?? "";
const patchesOf = (client: ReturnType<typeof aRecordingClient>) =>
  client.written.filter(({ verb }) => verb === "patch");

function annotationsIn(client: ReturnType<typeof aRecordingClient>): Record<string, string> {
  const body = patchesOf(client)[0]?.body as CertificateSigningRequest | undefined;
  return body?.metadata.annotations ?? {};
}

describe("approval", () => {
  it("writes condition and annotation in one call, for exactly the object that was judged", async () => {
    const csr = aCsr();
    const { client, judge } = anApproval([csr]);
    await judge(nameOf(csr));
    expect(client.written).toMatchObject([
      {
        verb: "patch",
        target: { name: nameOf(csr), subresource: "approval" },
        body: {
          metadata: {
            uid: csr.metadata.uid,
            resourceVersion: "1",
            annotations: { [VERDICT_ANNOTATION]: expect.stringContaining('"verdict":"Allow"') },
          },
          status: { conditions: [{ type: "Approved", reason: "NodeMayJoin" }] },
        },
      },
    ]);
  });

  it("keeps the conditions that are there: a merge patch replaces the list", async () => {
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
    const { client, judge } = anApproval([csr], { get: () => new Fault("unavailable", "no connection") });
    await expect(judge(nameOf(csr))).rejects.toMatchObject({ code: "unavailable" });
    expect(client.written).toEqual([]);
  });

  it("waits, with the reason on the object and in an Event, until the caches are complete", async () => {
    const csr = aCsr(withSigner(INSECURE_CLIENT_SIGNER));
    const { client, judge } = anApproval([csr], {}, false);
    expect((await judge(nameOf(csr))).afterMs).toBeGreaterThan(0);
    expect(client.written).toMatchObject([
      { verb: "patch", body: { metadata: { annotations: expect.anything() } } },
      { verb: "create", body: { kind: "Event", reason: "NodeIsNotRead" } },
    ]);
    expect(client.written[0]?.body).not.toHaveProperty("status");
  });

  it("writes a verdict once: not again when it comes back as a change", async () => {
    const csr = aCsr(withSan({ dnsNames: ["x"] }));
    const { cache, client, judge } = anApproval([csr]);
    await judge(nameOf(csr));
    cache.set(nameOf(csr), { ...csr, metadata: { ...csr.metadata, annotations: annotationsIn(client) } });
    await judge(nameOf(csr));
    expect(client.written.map(({ verb }) => verb)).toEqual(["patch", "create"]);
  });

  it("tells of a refusal though the requester forged the annotation that we would write", async () => {
    const honest = aCsr(withSan({ dnsNames: ["x"] }));
    const first = anApproval([honest]);
    await first.judge(nameOf(honest));
    const forged = aCsr(withSan({ dnsNames: ["x"] }), annotated(annotationsIn(first.client)));
    const { client, judge } = anApproval([forged]);
    await judge(nameOf(forged));
    expect(client.written).toMatchObject([{ verb: "create", body: { reason: "AlternativeNamesRequested" } }]);
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
    expect(patchesOf(client)).toMatchObject([
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
    const { client, claims, judge } = anApproval([first, second], { patch: () => answers.shift() ?? first });
    await expect(judge(nameOf(first))).rejects.toMatchObject({ code: "timeout" });
    expect(claims.of("worker-3")).toMatchObject([{ standing: "Reserved" }]);
    expect(await judge(nameOf(second))).toEqual({ afterMs: expect.any(Number) });
    expect(patchesOf(client)[1]?.body).not.toHaveProperty("status");
  });

  it("the second still waits when the first is tried again and meets a conflict: it may be with its own approval", async () => {
    const [first, second] = [aCsr(), aCsr()];
    const answers = [new Fault("timeout", "no answer"), new Fault("conflict", "modified"), second];
    const { claims, judge } = anApproval([first, second], { patch: () => answers.shift() ?? second });
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
    const { claims, judge } = anApproval([first, second], { patch: () => answers.shift() ?? approved });
    await expect(judge(nameOf(first))).rejects.toMatchObject({ code: "conflict" });
    await judge(nameOf(second));
    expect(claims.of("worker-3")).toMatchObject([{ csrName: nameOf(second), standing: "Approved" }]);
  });
});
