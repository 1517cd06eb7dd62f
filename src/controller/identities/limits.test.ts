import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { anExchange } from "../../../test/builders/exchange.ts";
import { createManualClock } from "../../../test/fakes/clock.ts";
import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import { CHALLENGE_ANNOTATION, CONSUMED_BY_ANNOTATION } from "../../attestation/evidence/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { EventWords, KubeClient } from "../../platform/kube/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import {
  createChallengePace,
  createCrowd,
  createJunkCount,
  createWritePace,
  DENIALS_TOLD,
  paceWrites,
} from "./limits.ts";
import { ATTESTED_REQUESTS, attestedKeys, createOverflow, REQUESTS_KEPT } from "./overflow.ts";

const TPM_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm";

function aRequest(name: string, more: Partial<CertificateSigningRequest> = {}): CertificateSigningRequest {
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    spec: { request: "", signerName: TPM_SIGNER, usages: [], username: "system:bootstrap:abcdef" },
    ...more,
    metadata: { name, uid: `uid-${name}`, ...more.metadata },
  };
}

const denied = { conditions: [{ type: "Denied", status: "True", reason: "No" }] } as never;
const challenge = anExchange().challenged.annotations[CHALLENGE_ANNOTATION] ?? "";

describe("the pace of a replica", () => {
  it("is a hundred challenges a second; who comes faster is told when", async () => {
    const clock = createManualClock();
    const pace = createChallengePace(clock);
    const burst = Array.from({ length: 100 }, () => pace.takeOrWaitMs());
    expect(burst.every((waitMs) => waitMs === 0)).toBe(true);
    expect(pace.takeOrWaitMs()).toBe(10);
    await clock.advance(1_000);
    const second = Array.from({ length: 101 }, () => pace.takeOrWaitMs());
    expect(second.filter((waitMs) => waitMs === 0)).toHaveLength(100);
  });

  it("is so many writes a second, of every kind and of both clusters; reads are free", async () => {
    const clock = createManualClock();
    const bucket = createWritePace(clock, { perSecond: 10, burst: 2 });
    const calls: string[] = [];
    const called = (verb: string) => async () => void calls.push(verb);
    const plain = {
      ...{ get: called("get"), create: called("create"), update: called("update"), patch: called("patch") },
      delete: called("delete"),
    } as unknown as KubeClient;
    const [client, management] = [paceWrites(plain, clock, bucket), paceWrites(plain, clock, bucket)];
    const writes = [
      client.create({} as never, {} as never),
      management.update({} as never, {} as never),
      client.patch({} as never, {} as never, {}),
      management.delete({} as never, {} as never),
    ];
    await client.get({} as never, {} as never);
    expect(calls.toSorted()).toEqual(["create", "get", "update"]);
    await clock.advance(100);
    expect(calls).toHaveLength(4);
    await clock.advance(100);
    await Promise.all(writes);
    expect(calls).toHaveLength(5);
  });
});

describe("a crowd", () => {
  it("is told of by one Event a minute, with what was not told", async () => {
    const clock = createManualClock();
    const told: EventWords[] = [];
    const crowd = createCrowd({ clock, events: { record: (_, words) => told.push(words) } });
    const why = { reason: "Throttled", message: "too many" };
    for (let i = 0; i < 50; i++) crowd.note(aRequest(`r${i}`), why);
    expect(told).toHaveLength(1);
    await clock.advance(60_000);
    crowd.note(aRequest("later"), why);
    expect(told.map(({ message }) => message)).toEqual([
      'too many; 1 waits since the last such event, this one of "system:bootstrap:abcdef"',
      'too many; 50 waits since the last such event, this one of "system:bootstrap:abcdef"',
    ]);
  });
});

describe("proofs that fail", () => {
  it("are told why eight times for one hello, and for each other hello anew", () => {
    const junk = createJunkCount();
    const told = Array.from({ length: 20 }, () => junk.mayTell("hello-1"));
    expect(told.filter(Boolean)).toHaveLength(DENIALS_TOLD);
    expect(told.slice(0, DENIALS_TOLD).every(Boolean)).toBe(true);
    expect(junk.mayTell("hello-2")).toBe(true);
  });

  it("are counted for so many hellos as memory allows", () => {
    const junk = createJunkCount();
    for (let i = 0; i < DENIALS_TOLD + 1; i++) junk.mayTell("first");
    for (let i = 0; i < 5_000; i++) junk.mayTell(`hello-${i}`);
    expect(junk.mayTell("first")).toBe(true);
  });
});

describe("too many requests", () => {
  const NOW_MS = 1_794_772_300_000;

  function anOverflow(requests: readonly CertificateSigningRequest[], limit: number) {
    const present = new Map(requests.map((csr) => [csr.metadata.name, csr]));
    const byIndex = (_: string, key: string) => [...present.values()].filter((csr) => attestedKeys(csr).includes(key));
    const csrs = { byIndex, countByIndex: (index: string, key: string) => byIndex(index, key).length };
    const removed: string[] = [];
    const remove = async ({ metadata }: CertificateSigningRequest) => {
      removed.push(metadata.name ?? "");
      present.delete(metadata.name);
    };
    let nowMs = NOW_MS + 3_600_000;
    const overflow = createOverflow({ csrs, clock: { now: () => nowMs }, log: silentLog, remove, limit });
    const come = (csr: CertificateSigningRequest) => void present.set(csr.metadata.name, csr);
    const pass = (ms: number) => {
      nowMs += ms;
    };
    return { removed, overflow, come, pass };
  }

  const at = (second: number) => ({ creationTimestamp: `2026-01-01T00:00:0${second}Z` });
  const requests = [
    aRequest("denied-late", { metadata: at(5), status: denied }),
    aRequest("denied-early", { metadata: at(1), status: denied }),
    aRequest("expired", { metadata: { ...at(2), annotations: { [CHALLENGE_ANNOTATION]: challenge } } }),
    aRequest("answered", {
      metadata: { ...at(0), annotations: { [CHALLENGE_ANNOTATION]: challenge, [CONSUMED_BY_ANNOTATION]: "proof" } },
    }),
    aRequest("waiting", { metadata: at(0) }),
    aRequest("kubernetes-own", { spec: { request: "", signerName: "kubernetes.io/x", usages: [] }, status: denied }),
  ];

  it("lose the oldest that are over, and no more than are too many", async () => {
    const { overflow, removed } = anOverflow(requests, 3);
    expect(overflow.count()).toBe(5);
    expect(overflow.isOver()).toBe(true);
    await overflow.sweep();
    expect(removed).toEqual(["denied-early", "expired"]);
    expect(overflow.isOver()).toBe(false);
  });

  it("never lose what waits or was answered", async () => {
    const { overflow, removed } = anOverflow(requests, 0);
    await overflow.sweep();
    expect(removed).toEqual(["denied-early", "expired", "denied-late"]);
    expect(overflow.isOver()).toBe(true);
  });

  it("lose nothing below the limit", async () => {
    const { overflow, removed } = anOverflow(requests, 5);
    await Promise.all([overflow.sweep(), overflow.sweep()]);
    expect(removed).toEqual([]);
  });

  it("that may not be deleted keep nobody from being judged", async () => {
    const csrs = { byIndex: () => requests, countByIndex: () => requests.length };
    const told: string[] = [];
    const log = { ...silentLog, warn: (said: string) => told.push(said) };
    const remove = () => Promise.reject(new Fault("forbidden", "no right to delete"));
    const overflow = createOverflow({ csrs, clock: { now: () => NOW_MS }, log, remove, limit: 0 });
    await overflow.sweep();
    expect(told).toEqual(["requests under our signers are too many and not deleted"]);
  });

  it("are swept by one at a time", async () => {
    const { overflow, removed } = anOverflow(requests, 4);
    await Promise.all([overflow.sweep(), overflow.sweep()]);
    expect(removed).toEqual(["denied-early"]);
  });

  it("are looked through once a second, however many come", async () => {
    const { overflow, removed, come, pass } = anOverflow(requests, 4);
    await overflow.sweep();
    come(aRequest("denied-next", { metadata: at(0), status: denied }));
    pass(999);
    await overflow.sweep();
    expect(removed).toEqual(["denied-early"]);
    pass(1);
    await overflow.sweep();
    expect(removed).toEqual(["denied-early", "denied-next"]);
  });

  it("raise an alert at the limit that the controller keeps", async () => {
    const text = await readFile(
      new URL("../../../deploy/alerts/countersign-controller.rules.yaml", import.meta.url),
      "utf8",
    );
    const [{ rules }] = parse(text).groups;
    const { expr } = rules.find(({ alert }: { alert: string }) => alert === "CountersignAttestationOverflow");
    expect(expr).toBe(`max(countersign_attestation_requests) > ${REQUESTS_KEPT}`);
    expect(ATTESTED_REQUESTS).toBe("attested-requests");
  });
});
