// Two replicas on a real kube-apiserver while a thousand nodes join: the leader is frozen and thawed, its successor is
// killed. The witness is the server's own audit log, in which each replica has a credential of its own.

import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findCondition } from "../../src/api/certificates/index.ts";
import { checkTrail, getAnchors, headsOf } from "../../src/controller/index.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { type KubeClient, loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { CLIENT_WAS_GONE, createWitness, type WitnessedWrite } from "./controller/audit-log.ts";
import { type Joins, joinRequest, startJoins } from "./controller/joins.ts";
import { type Replica, startReplica, untilOtherLeads } from "./controller/replicas.ts";
import { type ControlPlane, startControlPlane } from "./harness/index.ts";

const JOINS = 1_000;
/** Shorter than in production to be quick, longer than a busy machine may keep a renewal waiting. */
const LEASE_MS = 8_000;
const RETRY_MS = 500;
const TIMING = [
  `--leader-elect-lease-duration=${LEASE_MS}ms`,
  "--leader-elect-renew-deadline=5s",
  `--leader-elect-retry-period=${RETRY_MS}ms`,
];
/** A busy machine; what is asserted is that hand-over is a matter of one lease, not of minutes. */
const SLACK_MS = 3_000;

/** Certificates that a replica has in hand at one time, at most. */
const IN_FLIGHT = 20;

let plane: ControlPlane;
let admin: KubeClient;
let node: KubeClient;
let joins: Joins & { readonly made: Promise<void> };
let writes: readonly WitnessedWrite[];
const replicas: Replica[] = [];
const handOvers: Record<string, number> = {};
let frozen: Replica;
let thawedMs = 0;
let frozenEnding: string | undefined;

async function replica(name: string): Promise<Replica> {
  const one = await startReplica(plane, name, TIMING);
  replicas.push(one);
  return one;
}

async function leading(holder: string): Promise<Replica> {
  for (const one of replicas) if ((await one.identity()) === holder) return one;
  throw new Error(`no replica is ${holder}`);
}

beforeAll(async () => {
  const witness = await createWitness();
  plane = await startControlPlane({ apiServerFlags: witness.flags });
  admin = await loadKubeconfigClient(plane.adminKubeconfigPath);
  node = await loadKubeconfigClient(await plane.writeTokenKubeconfig("node", await plane.createBootstrapToken()));
  await replica("first");
  await replica("second");
  const first = await untilOtherLeads(admin, "", 30_000);
  joins = startJoins(
    { node, admin },
    Array.from({ length: JOINS }, (_, i) => joinRequest(`worker-${i}`)),
  );

  await joins.untilIssued(JOINS * 0.2, 60_000);
  frozen = await leading(first.holder);
  process.kill(frozen.process.pid(), "SIGSTOP");
  const second = await untilOtherLeads(admin, first.holder, LEASE_MS + SLACK_MS * 2);
  handOvers["frozen"] = second.afterMs;
  await joins.untilIssued(JOINS * 0.4, 60_000);
  process.kill(frozen.process.pid(), "SIGCONT");
  thawedMs = Date.now();
  await replica("third");

  await joins.untilIssued(JOINS * 0.6, 60_000);
  const killed = await leading(second.holder);
  process.kill(killed.process.pid(), "SIGKILL");
  const third = await untilOtherLeads(admin, second.holder, LEASE_MS + SLACK_MS * 2);
  handOvers["killed"] = third.afterMs;
  await joins.made;
  await joins.untilIssued(JOINS, 90_000);

  // Long enough for a late write, if there were one.
  await systemClock.sleep(1_000);
  frozenEnding = frozen.process.ending();
  await (await replica("fourth")).identity();
  process.kill((await leading(third.holder)).process.pid(), "SIGTERM");
  handOvers["told"] = (await untilOtherLeads(admin, third.holder, LEASE_MS + SLACK_MS)).afterMs;
  writes = await witness.writes();
  console.log("hand-overs in ms:", handOvers);
});

afterAll(async () => {
  await joins?.stop();
  await Promise.all(replicas.map((one) => one.process.stop()));
  await Promise.all([admin?.close(), node?.close()]);
  await plane?.stop();
});

const accepted = (subresource: string) =>
  writes.filter((write) => write.subresource === subresource && write.code >= 200 && write.code < 300);

function timesByRequest(subresource: string): Map<string, number> {
  const times = new Map<string, number>();
  for (const { csr } of accepted(subresource)) times.set(csr, (times.get(csr) ?? 0) + 1);
  return times;
}

describe("a thousand joins while leaders freeze and die", () => {
  it("loses none: every request is approved and has its certificate", () => {
    expect(joins.created).toHaveLength(JOINS);
    for (const name of joins.created) {
      const csr = joins.get(name);
      expect(csr?.status?.certificate, name).toBeTruthy();
      expect(csr === undefined ? undefined : findCondition(csr, "Approved"), name).toBeDefined();
    }
  });

  it.each(["approval", "status"])("accepts one write of /%s for each request, and not one more", (subresource) => {
    const times = timesByRequest(subresource);
    expect([...times].filter(([, count]) => count !== 1)).toEqual([]);
    // All were approved and signed (above), so one without an accepted write is one whose leader was killed meanwhile.
    const cut = writes.filter((write) => write.subresource === subresource && write.code === CLIENT_WAS_GONE);
    expect(new Set([...times.keys(), ...cut.map(({ csr }) => csr)]).size).toBe(JOINS);
  });

  it("accepts nothing of the old leader after it thawed, and the old leader ends to begin anew", () => {
    const own = writes.filter(({ credential }) => credential === frozen.credential);
    expect(own.length).toBeGreaterThan(0);
    // Frozen between the question and the system call (platform/kube/lease/term.ts, 4) it may send one; it must be
    // refused.
    const late = own.filter(({ atMs }) => atMs >= thawedMs);
    expect(late.filter(({ code }) => code !== 409)).toEqual([]);
    expect(late.length).toBeLessThanOrEqual(1);
    expect(frozenEnding).toBe("exit code 75");
  });

  it("hands over one look after the lease has run out, and one look after a leader that is told to go has given it back", () => {
    expect(handOvers["frozen"]).toBeLessThan(LEASE_MS + RETRY_MS + SLACK_MS);
    expect(handOvers["killed"]).toBeLessThan(LEASE_MS + RETRY_MS + SLACK_MS);
    expect(handOvers["told"]).toBeLessThan(RETRY_MS + SLACK_MS);
  });

  it("leaves an audit trail of every replica in which every certificate stands, and that the cluster vouches for", async () => {
    const texts = await Promise.all(replicas.map(({ auditPath }) => readFile(auditPath, "utf8").catch(() => "")));
    const lines = texts.flatMap((text) => text.split("\n"));
    const { chains } = checkTrail(lines, headsOf(await getAnchors(admin, "countersign-system")));
    expect(chains.flatMap(({ problems }) => problems)).toEqual([]);
    const named = (event: string) =>
      lines.filter((line) => line.includes(`"event":"${event}"`)).map((line) => JSON.parse(line).fields.csr as string);
    expect(new Set(named("certificate issued")).size).toBe(JOINS);
    // Each line is written before its certificate leaves; those that did not arrive are said to be so, or died with
    // their leader.
    const twice = named("certificate issued").length - JOINS;
    expect(twice).toBeLessThanOrEqual(named("certificate not delivered").length + 2 * IN_FLIGHT);
  });
});
