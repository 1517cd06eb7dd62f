// A certificate for this node, from key to stored pair, with everything a crash in between leaves behind taken up again:
// lock -> is there a good pair by now? -> request with the provider's evidence -> store. Three ways lead to it, and everybody
// who needs a certificate (join, plugin, manager) comes through here:
//   plain      Kubernetes' own signers: a PKCS#10, as a kubelet's
//   in one     our signers, a provider whose evidence travels with the request
//   exchange   our signers, a provider that answers a challenge: hello, then proof

import type { Protocol } from "../../attestation/evidence/index.ts";
import { agreeOnVersion, type SingleProvider } from "../../attestation/providers/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { waitForLockUnless } from "../../platform/files/index.ts";
import { generatePrivateKey, type PrivateKey, parsePrivateKey } from "../../platform/keys/index.ts";
import type { CertificatePair } from "../../platform/pair/index.ts";
import { attestInOne, requireMayAsk, storeByExchange, takesEvidence } from "./attested/index.ts";
import type { ObtainOptions } from "./obtain-options.ts";
import { REQUEST_LIMIT_MS, requestCertificate } from "./request.ts";
import type { CertificateStore } from "./store/index.ts";
import { commonNameOf } from "./template.ts";

export async function obtainCertificate(options: ObtainOptions): Promise<CertificatePair> {
  const { store, clock, signal, limitMs = REQUEST_LIMIT_MS } = options;
  const deadlineMs = clock.now() + limitMs;
  await store.open();
  const good = () => {
    const current = store.load();
    return current !== undefined && options.isGood(current) ? current : undefined;
  };
  const isDone = () => good() !== undefined;
  const lock = await waitForLockUnless(isDone, store.layout.lockPath, { clock, signal, limitMs });
  // Gone again in the same moment: from the beginning.
  if (lock === undefined) return good() ?? (await obtainCertificate(options));
  try {
    await store.repair(commonNameOf(options.nodeName));
    return good() ?? (await askAndStore({ ...options, limitMs: Math.max(deadlineMs - clock.now(), 0) }));
  } finally {
    await lock.release();
  }
}

async function askAndStore(options: ObtainOptions): Promise<CertificatePair> {
  const { provider, signerName } = options;
  if (!takesEvidence(signerName)) return await requestAndStore(options, undefined);
  requireMayAsk(options);
  if (provider.kind === "exchange") return await storeByExchange(options, provider);
  return await inBestVersion(options, provider);
}

/** In the best version that the controller speaks as well, each tried once. */
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
    if (isRefusal(error) && options.onRefusal === "new-key") await store.dropPendingKey();
    throw error;
  }
}

async function storeOne(options: ObtainOptions, spoken: Spoken): Promise<CertificatePair> {
  const { store } = options;
  const key = await pendingKey(store);
  const attested = spoken && (await attestInOne(options, spoken, key.signer));
  const certificatePem = await requestCertificate({ ...options, key: key.signer, attested });
  const pair = await store.save(certificatePem, key.encodePem());
  await store.dropPendingKey();
  return pair;
}

/**
 * One that the current pair has already is left from a crash between the two last steps. Its request has been answered, and
 * asking again under its name would bring back the same certificate for ever.
 */
async function pendingKey(store: CertificateStore): Promise<PrivateKey> {
  const pem = await store.loadPendingKey();
  if (pem !== undefined && pem.trim() !== store.load()?.keyPem.trim()) return parsePrivateKey(pem);
  const key = generatePrivateKey("P-256");
  await store.savePendingKey(key.encodePem());
  return key;
}

/** The request of this key has been used up or is somebody else's; only another key makes another request. */
function isSpent(error: unknown): boolean {
  return isFault(error, "already-exists");
}

function isRefusal(error: unknown): boolean {
  return isFault(error, "denied") || isFault(error, "failed-request") || isFault(error, "untrusted");
}
