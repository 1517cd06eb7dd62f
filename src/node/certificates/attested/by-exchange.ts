// A certificate by hello, challenge and proof; or, where the cluster publishes a beacon, a renewal by one request.
// Every step is on disk before it is sent, so that a later try continues after a crash, a lost TPM or a reached limit.
// A refusal is saved too, so that the next try keeps its distance.

import { isDeepStrictEqual } from "node:util";
import type { ConfigMap } from "../../../api/core/index.ts";
import { CONFIG_MAPS } from "../../../api/meta/index.ts";
import { BEACON_CONFIG_MAP, type Beacon, parseBeacon } from "../../../attestation/evidence/index.ts";
import {
  afterRefusal,
  countHello,
  dropExchange,
  type ExchangeOptions,
  type ExchangeResult,
  isRefusal,
  loadPace,
  type Pace,
  requireNoPause,
  runExchange,
  savePace,
  withPcrsOf,
} from "../../../attestation/exchange/index.ts";
import type { ExchangeProver, ExchangeProvider } from "../../../attestation/provider.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import type { CertificatePair } from "../../../platform/pair/index.ts";
import { checkIssued } from "../check.ts";
import { REQUEST_LIMIT_MS, withinLimit } from "../request.ts";
import { type ObtainOptions, statementOf } from "./claims.ts";
import { createCertificateRequests } from "./requests.ts";

/** Limit of one try, below kubeadm's five minutes. The next try continues with the same requests. */
const TRY_LIMIT_MS = 240_000;

export async function storeByExchange(options: ObtainOptions, provider: ExchangeProvider): Promise<CertificatePair> {
  const { store, clock, onRefusal } = options;
  const { pacePath, exchangePath } = store.layout;
  const pace = await loadPace(pacePath);
  if (onRefusal === "keep-key") requireNoPause(pace, clock.now());
  const { pcrs } = pace;
  const { key, certificate } = await keepingPace(options, pace, (pacing) =>
    exchangeWithin(options, { provider, pcrs, ...pacing }),
  );
  await requireAsAsked(options, { key, certificate });
  const pair = await store.save(certificate, key.encodePem());
  await dropExchange(exchangePath);
  return pair;
}

interface Pacing {
  readonly beforeHello: () => Promise<void>;
  readonly onChallenge: (annotation: string) => Promise<void>;
}

interface Exchanging extends Pacing {
  readonly provider: ExchangeProvider;
  readonly pcrs: readonly number[] | undefined;
}

function exchangeWithin(options: ObtainOptions, exchanging: Exchanging): Promise<ExchangeResult> {
  const { clock, signal, client, serving, recipient, random = Math.random } = options;
  const { provider, beforeHello, onChallenge } = exchanging;
  let why = `${provider.name} evidence is being gathered`;
  const limitMs = Math.min(options.limitMs ?? REQUEST_LIMIT_MS, TRY_LIMIT_MS);
  return withinLimit({ clock, limitMs, signal, awaited: () => why }, async (stop) => {
    const { onRequested, onServerTime } = options;
    const requests = createCertificateRequests({
      ...{ client, clock, random, signal: stop },
      ...(onRequested === undefined ? {} : { onRequested }),
      ...(onServerTime === undefined ? {} : { onServerTime }),
      onState: (state) => {
        if (state.kind === "pending") why = state.why;
        options.onState?.(state);
      },
    });
    const statement = await statementOf(options, stop);
    const prover = await provider.open({ clock, signal: stop });
    try {
      return await runExchange({
        prover,
        requests,
        path: options.store.layout.exchangePath,
        input: { statement, names: serving, recipient },
        protocols: provider.protocols,
        sealKey: options.store.sealNow() !== undefined,
        renewInOne: await shortWay(options, { prover, pcrs: exchanging.pcrs, signal: stop }),
        beforeHello,
        onChallenge,
        onAttested: options.onAttested,
      });
    } finally {
      await prover.close();
    }
  });
}

interface ShortWay {
  readonly prover: ExchangeProver;
  readonly pcrs: readonly number[] | undefined;
  readonly signal: AbortSignal;
}

/**
 * Undefined where only the full exchange works: a join, a provider without a renewal in one, a cluster without a
 * beacon.
 */
async function shortWay(
  { intent, client }: ObtainOptions,
  { prover, pcrs, signal }: ShortWay,
): Promise<ExchangeOptions["renewInOne"]> {
  const { renewal } = prover;
  if (intent !== "renew" || renewal === undefined) return undefined;
  const beacon = await readBeacon(client, signal);
  return beacon === undefined ? undefined : (input) => renewal(input, { beacon, pcrs });
}

/** Twelve hellos an hour at most, and a pause after each refusal. */
async function keepingPace<T>(
  { store, clock, random = Math.random }: ObtainOptions,
  loaded: Pace,
  act: (pacing: Pacing) => Promise<T>,
): Promise<T> {
  const { pacePath } = store.layout;
  let pace = loaded;
  const keep = async (next: Pace) => {
    if (isDeepStrictEqual(next, pace)) return;
    pace = next;
    await savePace(pacePath, pace);
  };
  try {
    const result = await act({
      beforeHello: () => keep(countHello(pace, clock.now())),
      onChallenge: (annotation) => keep(withPcrsOf(pace, annotation)),
    });
    await keep({ ...pace, denials: 0, pause: undefined });
    return result;
  } catch (failure) {
    if (isRefusal(failure)) {
      await savePace(pacePath, afterRefusal(pace, failure, { nowMs: clock.now(), fraction: random() }));
    }
    throw failure;
  }
}

/** `CertificateUnexpected`: what came is not what was asked for, and the next try begins anew. */
async function requireAsAsked(options: ObtainOptions, { key, certificate }: ExchangeResult): Promise<void> {
  const { nodeName, serving, roots, clock, store } = options;
  const { publicKey } = key.signer;
  const issued = { certificatePem: certificate, publicKey, nodeName, serving, roots, nowMs: clock.now() };
  const verdict = checkIssued(issued);
  if (verdict.kind === "Allow") return;
  await dropExchange(store.layout.exchangePath);
  throw new Fault("untrusted", `CertificateUnexpected: ${verdict.message}`, { detail: { check: verdict.rule } });
}

/**
 * The beacon by which the cluster offers renewals of one request ("Renewal by beacon" of the specification). Undefined
 * when it cannot be read for any reason: the renewal is then a full exchange.
 */
async function readBeacon(client: KubeClient, signal: AbortSignal): Promise<Beacon | undefined> {
  const { namespace, name, key } = BEACON_CONFIG_MAP;
  try {
    const { data } = await client.get<ConfigMap>(CONFIG_MAPS, { namespace, name }, { signal });
    return parseBeacon(data?.[key] ?? "");
  } catch (failure) {
    if (!isFault(failure) || failure.code === "aborted") throw failure;
    return undefined;
  }
}
