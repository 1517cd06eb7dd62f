// May this request be approved? The loop that judges every request: by what it carries, with evidence or without.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import { encodePem } from "../../kernel/pem/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { Log, Metrics } from "../../platform/report/index.ts";
import { createNetwork } from "../dialling/index.ts";
import { type Informers, NODES_BY_ADDRESS, NODES_BY_PROVIDER, PENDING_BY_REQUESTER } from "../informers.ts";
import { createKeyedLock, type Feature, REQUEST_WORKERS } from "../loop/index.ts";
import type { Authorities } from "../signing/index.ts";
import { createAccessReviews } from "./access.ts";
import type { Act } from "./act.ts";
import type { Claims } from "./claims.ts";
import { createEvidenceJudge } from "./evidence.ts";
import type { AttestationWorld } from "./exchange/world.ts";
import { createFloodGuard } from "./flood-guard.ts";
import type { IdentityReader, Surroundings } from "./look.ts";
import { createPending, type Pending } from "./pending.ts";
import { createPlainJudge, type PlainJudge } from "./plain.ts";
import { type RequestReader, wantedNode } from "./reading.ts";
import { createCustody } from "./unproven.ts";

interface JudgingOptions extends Informers {
  readonly client: AttestationWorld["client"];
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Which replica speaks. */
  readonly replica: string;
  readonly authorities: Authorities;
  readonly servedSigners: readonly string[];
  /** Stricter rules that do not hold here, by id: docs/rules.md. */
  readonly switchedOff?: readonly string[] | undefined;
  /** URL of the API server, where it is known. */
  readonly server?: string | undefined;
  readonly readRequest: RequestReader["plain"];
  readonly claims: Claims;
  readonly act: Act;
  readonly attesting: AttestationWorld;
  readonly seeIdentity: IdentityReader;
}

export function createJudging(options: JudgingOptions): Feature {
  const { client, clock, csrs, nodes, policies, authorities, attesting, act } = options;
  const pending = createPending();
  const locks = createKeyedLock();
  const getCsr = (name: string) => csrs.get(name);
  const evidence = createEvidenceJudge({ world: attesting, getCsr, pending, locks });
  const caPemFor = (csr: CertificateSigningRequest) => encodePem("CERTIFICATE", authorities.of(csr).certificate.raw);
  const plain = createPlainJudge({
    ...options,
    ...{ writer: act, pending, getCsr, locks },
    seeEvidence: createCustody({ ...attesting, nowMs: clock.now }),
    hasSynced: () => csrs.hasSynced() && nodes.hasSynced(),
    access: createAccessReviews(client, clock),
    surroundings: surroundingsOf(options),
    network: createNetwork({ client, clock, server: options.server, caPemFor }),
  });
  const startedMs = clock.now();
  const nodeNameIn = (csr: CertificateSigningRequest) => wantedNode(options.readRequest(csr));
  return {
    name: "approval",
    needs: [csrs, nodes, policies],
    workers: REQUEST_WORKERS,
    flow: { flowOf: (name) => getCsr(name)?.spec.username ?? "", ...floodGuardOf(options) },
    wakesOn: (wake) => wakeOn(options, { plain, pending, wake }),
    handle: async (key, signal) => {
      if (!options.identities.hasSynced() && clock.now() - startedMs < SETTLING_MS) return { afterMs: LOOK_AGAIN_MS };
      const csr = getCsr(key);
      const isAttested = csr !== undefined && evidence.takes(csr, () => nodeNameIn(csr));
      if (!isAttested) return plain.handle(key, signal);
      return (await plain.vetNames(csr, signal)) ?? evidence.handle(key, signal);
    },
  };
}

/**
 * Identities are found by discovery, which may fail once and answer a second later. In this time after the start no
 * request is told to wait for them: after a restart in a rush that would be a write for each.
 */
const SETTLING_MS = 5_000;
const LOOK_AGAIN_MS = 200;

interface Woken {
  readonly plain: PlainJudge;
  readonly pending: Pending;
  readonly wake: (key: string) => void;
}

function wakeOn(options: JudgingOptions, { plain, pending, wake }: Woken): void {
  const { csrs, nodes, machines, pools, identities, policies, authorities, claims } = options;
  /** The name became free, or lost its Node: the requests that wait for it are judged anew. */
  const judgeAgain = (key: string | undefined) => {
    if (key !== undefined) pending.of(key).forEach(wake);
  };
  const judgeAllAgain = (keys: readonly string[]) => keys.forEach(judgeAgain);
  const judgeAllPendingAgain = () => [...pending.all()].forEach(wake);

  csrs.onChange(({ type, object }) => {
    if (type === "DELETED") {
      judgeAgain(claims.forget(object.metadata.uid ?? ""));
      plain.forget(object);
      return;
    }
    const name = object.metadata.name ?? "";
    judgeAgain(claims.observe(object));
    // Of the three changes in the life of a request this loop wants one: the others need not pass through a worker.
    // Policies that were not read yet may want to record what others decided.
    if (plain.wants(object) || !policies.hasSynced()) wake(name);
    else pending.forget(name);
  });
  // A kubelet's heartbeat modifies its Node all day; a request that waits for that name is looked at again, and there
  // is rarely one.
  nodes.onChange(({ object }) => judgeAgain(object.metadata.name));
  machines.onChange(judgeAllAgain);
  pools.onChange(judgeAllAgain);
  identities.onChange(judgeAgain);
  policies.onChange(judgeAllPendingAgain);
  // Evidence names the cluster by the pin of its CA.
  authorities.onChange?.(judgeAllPendingAgain);
}

function surroundingsOf({ csrs, nodes, machines, policies }: Informers): Surroundings {
  return {
    getNode: (name) => nodes.get(name),
    nodesNamed: (name) => nodes.byIndex(NODES_BY_ADDRESS, name),
    nodesOfProvider: (providerId) => nodes.byIndex(NODES_BY_PROVIDER, providerId),
    countNodes: nodes.size,
    pendingOf: (username) => csrs.byIndex(PENDING_BY_REQUESTER, username),
    machines,
    policies,
  };
}

function floodGuardOf({ clock, log, csrs, metrics }: JudgingOptions) {
  const pendingOf = (requester: string) => csrs.countByIndex(PENDING_BY_REQUESTER, requester);
  const { holdMs, onTake, readings } = createFloodGuard({ clock, log, pendingOf });
  const help = "Undecided requests of a requester who has so many that they are served slowly.";
  metrics.reading({ name: "countersign_flooding_requester_pending", help, type: "gauge" }, readings);
  return { holdMs, onTake };
}
