// A certificate for this node, from key to stored pair; continues what a crash left behind. lock -> is there a good
// pair by now? -> request with the provider's evidence -> store. Join, plugin and manager all come through here. Three
// ways:
//   plain      Kubernetes' own signers: a PKCS#10, as a kubelet's
//   in one     our signers, a provider whose evidence travels with the request
//   exchange   our signers, a provider that answers a challenge: hello, then proof

import type { FinishedRequest, Protocol } from "../../attestation/evidence/index.ts";
import { agreeOnVersion } from "../../attestation/exchange/index.ts";
import type { SingleProvider } from "../../attestation/provider.ts";
import { equalBytes } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { readCertificates, type Signer } from "../../kernel/x509/index.ts";
import { waitForLockUnless } from "../../platform/files/index.ts";
import { generatePrivateKey, type PrivateKey, parsePrivateKey } from "../../platform/keys/index.ts";
import type { CertificatePair, StoredPair } from "../../platform/pair/index.ts";
import { storeByExchange } from "./attested/by-exchange.ts";
import { type ObtainOptions, requireMayAsk, statementOf, takesEvidence } from "./attested/claims.ts";
import { requireNoOthers } from "./current.ts";
import { REQUEST_LIMIT_MS, requestCertificate, withinLimit } from "./request.ts";
import { type CertificateStore, openFit } from "./store/store.ts";
import { commonNameOf } from "./template.ts";

export async function obtainCertificate(options: ObtainOptions): Promise<CertificatePair> {
  const { store, clock, signal, limitMs = REQUEST_LIMIT_MS } = options;
  const deadlineMs = clock.now() + limitMs;
  await store.open();
  const unfit = options.intent === "join" ? await findUnfit(store) : undefined;
  const good = () => {
    const current = store.load();
    const isFit = current !== undefined && current.certificatePem !== unfit?.certificatePem;
    return isFit && options.isGood(current) ? current : undefined;
  };
  const isDone = () => good() !== undefined;
  const lock = await waitForLockUnless(isDone, store.layout.lockPath, { clock, signal, limitMs });
  // Gone again in the same moment: from the beginning.
  if (lock === undefined) return await unsealOr(store, good(), () => obtainCertificate(options));
  try {
    const { nodeName } = options;
    requireNoOthers(store.look(), { nodeName, directory: store.layout.directory, nowMs: clock.now() });
    await store.repair(commonNameOf(nodeName));
    const limit = { limitMs: Math.max(deadlineMs - clock.now(), 0) };
    return await unsealOr(store, good(), () => askAndStore({ ...options, ...limit }));
  } finally {
    await lock.release();
  }
}

/** What is there already and will not do, whatever its certificate says. */
async function findUnfit(store: CertificateStore): Promise<StoredPair | undefined> {
  const pair = store.load();
  return pair !== undefined && (await openFit(store, pair)) === undefined ? pair : undefined;
}

async function unsealOr(
  store: CertificateStore,
  found: StoredPair | undefined,
  otherwise: () => Promise<CertificatePair>,
): Promise<CertificatePair> {
  return found === undefined ? await otherwise() : await store.unseal(found);
}

async function askAndStore(options: ObtainOptions): Promise<CertificatePair> {
  const { provider, signerName } = options;
  if (!takesEvidence(signerName)) return await requestAndStore(options, undefined);
  requireMayAsk(options);
  if (provider.kind === "exchange") return await storeByExchange(options, provider);
  return await inBestVersion(options, provider);
}

/** In the newest version that the controller supports as well, each tried once. */
async function inBestVersion(options: ObtainOptions, provider: SingleProvider): Promise<CertificatePair> {
  const tried: Protocol[] = [];
  let [protocol] = provider.protocols;
  while (protocol !== undefined) {
    try {
      return await requestAndStore(options, { provider, protocol });
    } catch (error) {
      if (!isFault(error, "denied") || error.detail["reason"] !== "VersionUnsupported") throw error;
      tried.push(protocol);
      const annotation = String(error.detail["supportedVersions"] ?? "");
      protocol = agreeOnVersion({ offered: provider.protocols, tried, annotation });
      await options.store.dropPendingKey();
    }
  }
  throw new Fault("bad-config", `provider ${provider.name} speaks no protocol`);
}

/** Undefined: no evidence. */
type Spoken = { readonly provider: SingleProvider; readonly protocol: Protocol } | undefined;

async function requestAndStore(options: ObtainOptions, spoken: Spoken): Promise<CertificatePair> {
  const { store } = options;
  try {
    return await storeOne(options, spoken);
  } catch (error) {
    if (isSpent(error)) {
      await store.dropPendingKey();
      return await storeOne(options, spoken);
    }
    if (isRefusedRequest(error) && options.onRefusal === "new-key") await store.dropPendingKey();
    throw error;
  }
}

async function storeOne(options: ObtainOptions, spoken: Spoken): Promise<CertificatePair> {
  const { store, clock, limitMs = REQUEST_LIMIT_MS } = options;
  const deadlineMs = clock.now() + limitMs;
  const key = await pendingKey(store);
  const attested = spoken && (await attestInOne(options, spoken, key.signer));
  const leftMs = Math.max(deadlineMs - clock.now(), 0);
  const certificatePem = await requestCertificate({ ...options, key: key.signer, attested, limitMs: leftMs });
  const pair = await store.save(certificatePem, key.encodePem());
  await store.dropPendingKey();
  return pair;
}

/**
 * A pending key that the current pair already has is left from a crash between the last two steps. Its request was
 * answered, and requesting again under its name would return the same certificate for ever.
 */
async function pendingKey(store: CertificateStore): Promise<PrivateKey> {
  const pem = await store.loadPendingKey();
  const pending = pem === undefined ? undefined : parsePrivateKey(pem);
  if (pending !== undefined && !isKeyOf(store.load(), pending)) return pending;
  const key = generatePrivateKey("P-256");
  await store.savePendingKey(key.encodePem());
  return key;
}

function isKeyOf(pair: StoredPair | undefined, { signer }: PrivateKey): boolean {
  const [leaf] = pair === undefined ? [] : readCertificates(pair.certificatePem);
  return leaf !== undefined && equalBytes(leaf.publicKey.spki, signer.publicKey);
}

/** The request of this key is used up, or another client created it; only another key makes another request. */
function isSpent(error: unknown): boolean {
  return isFault(error, "already-exists");
}

/** Denied by an approver, failed at its signer, or answered with a certificate that is not what was asked for. */
export function isRefusedRequest(error: unknown): boolean {
  return isFault(error, "denied") || isFault(error, "failed-request") || isFault(error, "untrusted");
}

/** One request that carries its evidence. Gathering the evidence and waiting for the answer share one limit. */
async function attestInOne(
  options: ObtainOptions,
  spoken: { readonly provider: SingleProvider; readonly protocol: Protocol },
  key: Signer,
): Promise<FinishedRequest> {
  const { clock, signal, serving, recipient, limitMs = REQUEST_LIMIT_MS } = options;
  const { provider, protocol } = spoken;
  const awaited = () => `${provider.name} evidence is being gathered`;
  return await withinLimit({ clock, limitMs, signal, awaited }, async (stop) => {
    const statement = await statementOf(options, stop);
    const prover = await provider.open({ clock, signal: stop });
    try {
      const request = await prover.single({ statement, protocol, key, names: serving, recipient });
      // The insecure provider proves nothing, so its request must not be reported as attested.
      if (provider.name !== "insecure") options.onAttested?.();
      return request;
    } finally {
      await prover.close();
    }
  });
}
