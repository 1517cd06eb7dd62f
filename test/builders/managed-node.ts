// A node with a certificate manager on a joinable cluster: all the parts real, the clock turned by hand.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KUBELET_CLIENT_SIGNER } from "../../src/api/certificates/index.ts";
import { createInsecureProvider } from "../../src/attestation/insecure/node.ts";
import { readCertificates } from "../../src/kernel/x509/index.ts";
import {
  type CertificateManager,
  type CertificateStore,
  createCertificateManager,
  createCertificateStore,
  type ManagerEvent,
} from "../../src/node/certificates/index.ts";
import type { ClusterAccess, ManagerOptions } from "../../src/node/certificates/manager/options.ts";
import { createKubeClient } from "../../src/platform/kube/index.ts";
import { createManualClock, type ManualClock } from "../fakes/clock.ts";
import type { JoinableCluster } from "../fakes/joinable-cluster.ts";

export interface ManagedNode {
  readonly directory: string;
  readonly clock: ManualClock;
  readonly store: CertificateStore;
  readonly events: ManagerEvent[];
  readonly notices: string[];
  readonly access: ClusterAccess;
  /** A manager as it starts now; several may follow one another on the directory. */
  manager(more?: Partial<ManagerOptions>): CertificateManager;
  /** Runs it until `stop`, which answers how it ended. */
  run(more?: Partial<ManagerOptions>): { manager: CertificateManager; stop(): Promise<unknown>; ending(): unknown };
  /** Turns the clock second by second until `probe` answers something. */
  until<T>(what: string, probe: () => T | undefined): Promise<NonNullable<T>>;
  untilEvent<K extends ManagerEvent["kind"]>(kind: K): Promise<ManagerEvent & { kind: K }>;
  remove(): void;
}

/** Turns of the clock; each lets sockets work for a moment. */
const MOST_TURNS = 5_000;
/** Longer than any pause of a back-off here, shorter than the limit of a request. */
const LONGEST_NAP_MS = 65_000;
/** A request that nobody answers in this many turns is one that a test leaves unanswered. */
const PATIENT_TURNS = 300;

export function aManagedNode(cluster: JoinableCluster, startMs = Date.now()): ManagedNode {
  const directory = mkdtempSync(join(tmpdir(), "managed-node-"));
  const clock = createManualClock(startMs);
  const events: ManagerEvent[] = [];
  const notices: string[] = [];
  const newStore = () =>
    createCertificateStore({ directory: join(directory, "pki"), clock, onNotice: (text) => notices.push(text) });
  const access = accessTo(cluster);

  function manager(more: Partial<ManagerOptions> = {}): CertificateManager {
    return createCertificateManager({
      store: newStore(),
      nodeName: "worker-1",
      signerName: KUBELET_CLIENT_SIGNER,
      provider: createInsecureProvider(),
      access,
      clock,
      random: () => 0.5,
      onEvent: (event) => events.push(event),
      ...more,
    });
  }

  /** The clock stands still while a request is under way: nobody sleeps for a short time then. */
  async function turn(idleTurns: number): Promise<number> {
    const [soonestMs = Number.POSITIVE_INFINITY] = clock.pending();
    if (soonestMs <= LONGEST_NAP_MS) await clock.advance(1_000);
    else if (idleTurns >= PATIENT_TURNS && Number.isFinite(soonestMs)) await clock.advance(soonestMs);
    await new Promise((resolve) => setTimeout(resolve, 1));
    return soonestMs <= LONGEST_NAP_MS ? 0 : idleTurns + 1;
  }

  async function until<T>(what: string, probe: () => T | undefined): Promise<NonNullable<T>> {
    let idleTurns = 0;
    for (let turns = 0; turns < MOST_TURNS; turns++) {
      const answer = probe();
      if (answer !== undefined && answer !== null) return answer;
      idleTurns = await turn(idleTurns);
    }
    throw new Error(`waited for ${what}; events: ${JSON.stringify(events.slice(-5))}`);
  }

  return {
    directory,
    clock,
    store: newStore(),
    events,
    notices,
    access,
    manager,
    run: (more) => {
      const one = manager(more);
      const controller = new AbortController();
      let ending: unknown;
      const end = one.run(controller.signal).then(
        () => "stopped",
        (error: unknown) => {
          ending = error;
          return error;
        },
      );
      return {
        manager: one,
        ending: () => ending,
        stop: () => {
          controller.abort();
          return end;
        },
      };
    },
    until,
    untilEvent: (kind) => {
      const from = events.length;
      return until(kind, () => events.slice(from).find((event) => event.kind === kind)) as never;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

export function accessTo({ api, token }: Pick<JoinableCluster, "api" | "token">): ClusterAccess {
  const connect = (credentials: object) =>
    createKubeClient({ server: api.url, caPem: api.caPem, credentials: () => credentials });
  return {
    roots: readCertificates(api.caPem),
    evidenceCluster: "test",
    asNode: ({ certificatePem: certPem, keyPem }) => connect({ certPem, keyPem }),
    asBootstrapper: async () => connect({ token }),
  };
}
