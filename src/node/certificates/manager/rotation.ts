// One rotation of the pair that a manager holds: whether it is due, with which credential to request, and what a
// refused credential means for the next one.

import { KUBELET_CLIENT_SIGNER } from "../../../api/certificates/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import { readCertificates } from "../../../kernel/x509/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import type { CertificatePair, PairCertificate } from "../../../platform/pair/index.ts";
import { onAbort } from "../../../platform/signals/index.ts";
import { jitterOf } from "../plan.ts";
import { commonNameOf, missingNames, namesOf, type ServingNames } from "../template.ts";
import { attemptCertificate } from "./attempt.ts";
import type { Holding } from "./holding.ts";
import type { ManagerOptions } from "./options.ts";
import { planRotation, type RotationPlan, type RotationReason } from "./plan.ts";

interface Rotation {
  plan(isAsked: boolean): RotationPlan;
  /** The pair that is then held. */
  rotate(why: RotationReason, limitMs: number, signal?: AbortSignal): Promise<CertificatePair>;
  /** The server does not know this pair. */
  noteRefused(pair: CertificatePair): void;
  isRefused(): boolean;
}

export function createRotation(options: ManagerOptions, holding: Holding): Rotation {
  const { serving, onEvent } = options;
  let refused: CertificatePair | undefined;
  const noteRefused = (pair: CertificatePair) => {
    refused = pair;
    onEvent?.({ kind: "refused", pair });
  };
  const planFor = (pair: PairCertificate | undefined, names: ServingNames | undefined, isAsked: boolean) =>
    planRotation({
      current: pair && holding.life(pair),
      nowMs: holding.clock.now(),
      jitter: pair === undefined ? 0 : jitterOf(pair.leaf),
      canRenew: canRenew(options),
      isEnabled: options.isEnabled ?? true,
      canAsk: serving === undefined || (names !== undefined && options.identity?.() !== undefined),
      isRefused: pair !== undefined && pair === refused,
      lacksNames: pair !== undefined && lacksNames(pair, names),
      isAsked,
    });

  async function rotate(why: RotationReason, limitMs: number, signal?: AbortSignal): Promise<CertificatePair> {
    const before = holding.pair();
    const names = serving?.();
    const as = chooseIdentity(options, holding, refused);
    onEvent?.({ kind: "asking", why, as: as === undefined ? "bootstrap" : "node" });
    const isGood = (pair: PairCertificate) =>
      pair.commonName === commonNameOf(options.nodeName) &&
      pair.certificatePem !== before?.certificatePem &&
      planFor(pair, names, false).kind === "wait";
    const attempt = { as, serving: names, limitMs, clock: holding.clock, isGood, onServerTime: holding.noteServerTime };
    try {
      const pair = await whileNamesHold({ clock: options.clock, names: serving, asked: names, signal }, (stop) =>
        attemptCertificate(options, { ...attempt, signal: stop }),
      );
      holding.use(pair, holding.clock.now());
      onEvent?.({ kind: "stored", pair, why });
      return pair;
    } catch (error) {
      // Refused as the node: the bootstrap credential is next. Refused with that as well: the node's may be good again.
      refused = undefined;
      if (isFault(error, "unauthorized") && as !== undefined && as === before) noteRefused(as);
      throw error;
    }
  }

  return {
    plan: (isAsked) => planFor(holding.pair(), serving?.(), isAsked),
    rotate,
    noteRefused,
    isRefused: () => refused !== undefined && refused === holding.pair(),
  };
}

/** Kubernetes' own signers always renew; for ours the provider decides. A serving certificate is never a credential. */
function canRenew({ provider, signerName, serving }: ManagerOptions): boolean {
  return provider.canRenew || signerName === KUBELET_CLIENT_SIGNER || serving !== undefined;
}

/**
 * Undefined: the bootstrap credential. A pair that has expired by our clock is tried as well, because the clock may be
 * wrong and the bootstrap credential long dead; if it has really expired, the server answers 401.
 */
function chooseIdentity(
  options: ManagerOptions,
  holding: Holding,
  refused: CertificatePair | undefined,
): CertificatePair | undefined {
  if (options.identity !== undefined) return options.identity();
  const own = holding.pair();
  return canRenew(options) && own !== refused ? own : undefined;
}

function lacksNames(pair: PairCertificate, names: ServingNames | undefined): boolean {
  if (names === undefined) return false;
  const [leaf] = readCertificates(pair.certificatePem);
  return leaf !== undefined && missingNames(leaf, names).length > 0;
}

const LOOK_MS = 1_000;

interface NamesWatch {
  readonly clock: Clock;
  /** Undefined: nothing to watch. */
  readonly names: (() => ServingNames | undefined) | undefined;
  /** Those of the request. */
  readonly asked: ServingNames | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * While a serving certificate is requested, the machine may get other addresses. The signal that `act` gets then fires,
 * and the next request is for the new names: a certificate for the old ones would be useless.
 */
async function whileNamesHold<T>(watch: NamesWatch, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const done = new AbortController();
  const giveUp = () => stop.abort();
  const leave = onAbort(watch.signal, giveUp);
  const watching = watchNames(watch, done.signal, giveUp);
  try {
    return await act(stop.signal);
  } finally {
    done.abort();
    leave();
    await watching;
  }
}

async function watchNames({ clock, names, asked }: NamesWatch, done: AbortSignal, giveUp: () => void): Promise<void> {
  if (names === undefined) return;
  try {
    do await clock.sleep(LOOK_MS, done);
    while (isSame(names(), asked));
    giveUp();
  } catch (error) {
    if (!isFault(error, "aborted")) throw error;
  }
}

function isSame(a: ServingNames | undefined, b: ServingNames | undefined): boolean {
  return namesOf(a).join("|") === namesOf(b).join("|");
}
