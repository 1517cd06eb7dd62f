// The machine's end of the TPM provider. The TPM is opened for one exchange and closed again, because other programs
// use it too.

import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { EkTemplateName } from "../../kernel/tpm/index.ts";
import { type Clock, systemClock } from "../../platform/clock/index.ts";
import type { KeySeal } from "../../platform/pair/index.ts";
import { DEFAULT_TPM_ADDRESS, keepPrimaries, openTpm, type Tpm } from "../../platform/tpm/index.ts";
import { USUAL_PCRS } from "../evidence/index.ts";
import type { ExchangeProver, ExchangeProvider } from "../provider.ts";
import { explainTpm } from "./explain.ts";
import { createKeySeal } from "./key-seal.ts";
import { readAttestationKind, readTpmIdentity, type TpmIdentity } from "./keys.ts";
import { buildBeaconRenewal, buildHello, buildProof, TPM_PROTOCOLS } from "./requests.ts";

interface TpmProviderOptions {
  /** As in platform/tpm/open-tpm.ts. Default: the kernel's resource manager. */
  readonly address?: string | undefined;
  /** Default: the first with a certificate. */
  readonly endorsementKey?: EkTemplateName | undefined;
  /** For one command. Default: as platform/tpm has it. */
  readonly timeoutMs?: number | undefined;
  /** By which a key is sealed or opened outside of an exchange. Default: the system's. */
  readonly clock?: Clock | undefined;
}

export function createTpmProvider(options: TpmProviderOptions = {}): ExchangeProvider {
  const { address = DEFAULT_TPM_ADDRESS, endorsementKey, timeoutMs, clock: ownClock = systemClock } = options;
  return {
    kind: "exchange",
    name: "tpm",
    protocols: TPM_PROTOCOLS,
    canRenew: true,
    canServe: true,
    open: async ({ clock, signal }) =>
      createTpmProver(await openOrExplain(address, { clock, signal, timeoutMs }), endorsementKey),
    keySeal: sealBy(async (act) => {
      const tpm = await openOrExplain(address, { clock: ownClock, timeoutMs });
      try {
        return await act(tpm);
      } finally {
        await tpm.close();
      }
    }),
  };
}

function sealBy(withTpm: (act: (tpm: Tpm) => Promise<string>) => Promise<string>): KeySeal {
  return {
    seal: (keyPem, use) => withTpm((tpm) => explained(() => createKeySeal(tpm).seal(keyPem, use))),
    open: (sealedPem, use) => withTpm((tpm) => explained(() => createKeySeal(tpm).open(sealedPem, use))),
  };
}

/** Over an open TPM, on which its two keys stay loaded until the end of the exchange. */
export function createTpmProver(opened: Tpm, endorsementKey?: EkTemplateName): ExchangeProver {
  const tpm = keepPrimaries(opened);
  let identity: Promise<TpmIdentity> | undefined;
  const readOnce = () => {
    identity ??= readTpmIdentity(tpm, endorsementKey);
    return identity;
  };
  return {
    hello: (input) => explained(async () => buildHello(input, await readOnce())),
    proof: (input, hello) => explained(async () => buildProof(tpm, await readOnce(), { input, hello })),
    // Without the endorsement key, which a discrete TPM makes in seconds: what is pinned is the attestation key.
    renewal: (input, { beacon, pcrs = USUAL_PCRS }) =>
      explained(async () => buildBeaconRenewal(tpm, await readAttestationKind(tpm), { input, beacon, pcrs })),
    keySeal: sealBy((act) => act(tpm)),
    close: () => tpm.close(),
  };
}

async function explained<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (failure) {
    throw explainTpm(failure);
  }
}

async function openOrExplain(address: string, options: Parameters<typeof openTpm>[1]): Promise<Tpm> {
  try {
    return await explained(() => openTpm(address, options));
  } catch (cause) {
    if (!isFault(cause) || cause.code === "aborted" || cause.code === "bad-config") throw cause;
    throw new Fault(cause.code, `this machine's TPM cannot be used: ${cause.message}`, { cause, detail: cause.detail });
  }
}

export { readEndorsementKey, readTpmIdentity } from "./keys.ts";
export { buildBeaconRenewal, buildHello, buildProof, TPM_PROTOCOLS } from "./requests.ts";
