// Replicas around one Lease on the real API server code, with a clock that is turned by hand.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connectAdmin, startTestApiServer, type TestApiServer } from "../../../../test/fakes/api-server.ts";
import { createManualClock, type ManualClock } from "../../../../test/fakes/clock.ts";
import type { Lease } from "../../../api/core/index.ts";
import { CONFIG_MAPS, LEASES, NAMESPACES } from "../../../api/meta/index.ts";
import { silentLog } from "../../report/index.ts";
import type { KubeClient } from "../client.ts";
import { type ElectionEnd, runElector } from "./elector.ts";
import { fenceWrites, LEASE_TIMING, type Term } from "./term.ts";

let server: TestApiServer;
let client: KubeClient;
let clock: ManualClock;
let round = 0;

beforeAll(async () => {
  server = await startTestApiServer();
  client = connectAdmin(server);
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "election" } });
});
afterAll(async () => {
  await client.close();
  await server.close();
});
beforeEach(() => {
  clock = createManualClock();
  round++;
});

interface Candidate {
  readonly stop: AbortController;
  readonly end: Promise<ElectionEnd>;
  term(): Term | undefined;
  leads(): Promise<Term>;
}

/** `own`: a clock of its own, which stands still while the process is frozen. */
function candidate(identity: string, own: ManualClock = clock): Candidate {
  const stop = new AbortController();
  let present: Term | undefined;
  let tell: (term: Term) => void = () => undefined;
  const first = new Promise<Term>((resolve) => {
    tell = resolve;
  });
  const end = runElector(
    {
      ...{ client, clock: own, monotonicMs: own.now, random: () => 0, log: silentLog, identity },
      lease: { namespace: "election", name: `lease-${round}` },
      timing: LEASE_TIMING,
    },
    async (term) => {
      present = term;
      tell(term);
      await new Promise<void>((resolve) => term.signal.addEventListener("abort", () => resolve(), { once: true }));
    },
    stop.signal,
  );
  return { stop, end, term: () => present, leads: () => first };
}

async function holder(): Promise<string | undefined> {
  const lease = await client.get<Lease>(LEASES, { namespace: "election", name: `lease-${round}` });
  return lease.spec?.holderIdentity;
}

/** Turns the clock until it is so: sockets are real, so a turn alone proves nothing. */
async function turnUntil(isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo(); turns++) {
    if (turns > 2_000) throw new Error("it never came to be");
    await clock.advance(50);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

describe("an election", () => {
  it("has one leader; when it gives the lease back the other follows without waiting for its expiry", async () => {
    const [a, b] = [candidate("a"), candidate("b")];
    const first = await Promise.race([a.leads().then(() => a), b.leads().then(() => b)]);
    const other = first === a ? b : a;
    expect(other.term()).toBeUndefined();
    first.stop.abort();
    expect(await first.end).toBe("Stopped");
    expect(await holder()).toBe("");
    const beganMs = clock.now();
    await turnUntil(() => other.term() !== undefined);
    expect(clock.now() - beganMs).toBeLessThan(LEASE_TIMING.durationMs);
    other.stop.abort();
    await other.end;
  });

  it("replaces a leader who fell silent, and the old one writes nothing when he comes back", async () => {
    const frozenClock = createManualClock();
    const old = candidate("old", frozenClock);
    const oldTerm = await old.leads();
    const fenced = fenceWrites(client, oldTerm);
    const next = candidate("next");
    await turnUntil(() => next.term() !== undefined);
    expect(await holder()).toBe("next");
    // He thaws: time has passed for him too, all at once.
    const waking = frozenClock.advance(LEASE_TIMING.durationMs);
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "election", name: `late-${round}` } };
    await waking;
    await expect(fenced.create(CONFIG_MAPS, object)).rejects.toMatchObject({ code: "aborted" });
    expect(await old.end).toBe("Lost");
    next.stop.abort();
    await next.end;
  });
});

describe("the fence", () => {
  it("asks once more when the request's turn on a connection has come", async () => {
    let asked = 0;
    const term = {
      writeMs: () => {
        if (++asked > 1) throw Object.assign(new TypeError("over"), {});
        return 5_000;
      },
    };
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "election", name: `fenced-${round}` },
    };
    await expect(fenceWrites(client, term).create(CONFIG_MAPS, object)).rejects.toThrow(/over/);
    expect(asked).toBe(2);
    await expect(client.get(CONFIG_MAPS, { namespace: "election", name: `fenced-${round}` })).rejects.toMatchObject({
      code: "not-found",
    });
  });

  it("lets reads through, whoever leads", async () => {
    const nobody = fenceWrites(client, {
      writeMs: () => {
        throw new TypeError("nobody leads");
      },
    });
    expect((await nobody.list(LEASES, { namespace: "election" })).items).toBeDefined();
  });
});
