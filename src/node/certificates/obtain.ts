// A certificate for this node, from key to stored pair, with everything a crash in between leaves behind taken up again:
// lock -> is there a good pair by now? -> key (the pending one or a new one) -> attest -> request -> store -> forget key.

import type { NodeAttestationProvider } from "../../attestation/providers/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { generatePrivateKey, type PrivateKey, parsePrivateKey } from "../../platform/keys/index.ts";
import type { CertificatePair } from "../../platform/pair/index.ts";
import { REQUEST_LIMIT_MS, type RequestOptions, requestCertificate } from "./request.ts";
import { type CertificateStore, waitForLockUnless } from "./store/index.ts";
import { commonNameOf } from "./template.ts";

export interface ObtainOptions extends Omit<RequestOptions, "key" | "evidence"> {
  readonly store: CertificateStore;
  readonly provider: NodeAttestationProvider;
  /** Asked under the lock: another process may have stored a pair while this one waited for it. */
  readonly isGood: (pair: CertificatePair) => boolean;
  /**
   * After a refusal: `new-key` asks anew next time, for a person who has removed the cause. `keep-key` meets the same
   * refused request again, for a plugin that is called twice a second and must not file a request each time.
   */
  readonly onRefusal: "new-key" | "keep-key";
}

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
    return good() ?? (await requestAndStore({ ...options, limitMs: Math.max(deadlineMs - clock.now(), 0) }));
  } finally {
    await lock.release();
  }
}

async function requestAndStore(options: ObtainOptions): Promise<CertificatePair> {
  const { store } = options;
  try {
    return await storeOne(options);
  } catch (error) {
    if (isSpent(error)) {
      await store.dropPendingKey();
      return await storeOne(options);
    }
    if (isRefusal(error) && options.onRefusal === "new-key") await store.dropPendingKey();
    throw error;
  }
}

async function storeOne(options: ObtainOptions): Promise<CertificatePair> {
  const { store, provider, nodeName } = options;
  const key = await pendingKey(store);
  const evidence = await provider.attest({ nodeName, publicKey: key.signer.publicKey });
  const certificatePem = await requestCertificate({ ...options, key: key.signer, evidence });
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
