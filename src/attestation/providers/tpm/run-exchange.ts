// The exchange as it runs on the machine: look at what was saved and what the API server shows, plan, take one step, again. Each
// step saves before it sends, so that a crash between any two leaves a state the plan knows.

import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { generatePrivateKey, parsePrivateKey } from "../../../platform/keys/index.ts";
import type { Tpm } from "../../../platform/tpm/index.ts";
import {
  encodeProtocol,
  type FinishedRequest,
  nextVersion,
  type Protocol,
  parseProtocol,
  parseSupportedVersions,
} from "../../evidence/index.ts";
import {
  dropExchange,
  loadExchange,
  type SavedExchange,
  type SavedRequest,
  saveExchange,
  stageOf,
} from "./exchange-state.ts";
import { readTpmIdentity, type TpmIdentity } from "./keys.ts";
import { type ExchangeStep, type FoundRequest, planExchange } from "./plan.ts";
import { buildHello, buildProof, type RequestInput } from "./requests.ts";

/** The API server as a joining node may use it: create, get, watch. */
export interface CertificateRequests {
  /** Undefined where an object of that name exists. */
  create(request: FinishedRequest): Promise<{ readonly uid: string } | undefined>;
  find(request: SavedRequest): Promise<FoundRequest & { readonly uid?: string; readonly supportedVersions?: string }>;
  /** Resolves when the object changed, or after a while. */
  untilChanged(request: SavedRequest): Promise<void>;
}

export interface ExchangeOptions {
  readonly tpm: Tpm;
  readonly requests: CertificateRequests;
  /** Where the exchange is kept. The caller holds the lock of its directory. */
  readonly path: string;
  readonly input: Omit<RequestInput, "key" | "protocol">;
  /** Best first. */
  readonly protocols: readonly Protocol[];
  readonly minVersion?: number | undefined;
  readonly keyKind?: "P-256" | "P-384" | undefined;
}

export interface ExchangeResult {
  /** PEM. */
  readonly key: string;
  /** PEM; to be checked and stored by the caller, who then drops the exchange. */
  readonly certificate: string;
}

/** A credential that does not open is asked for anew this often: another TPM, or somebody who tampers. */
const MAX_ACTIVATIONS = 3;

export async function runExchange(options: ExchangeOptions): Promise<ExchangeResult> {
  const identity = await readTpmIdentity(options.tpm);
  const run = new ExchangeRun(options, identity);
  for (;;) {
    const result = await run.step();
    if (result !== undefined) return result;
  }
}

class ExchangeRun {
  readonly #options: ExchangeOptions;
  readonly #identity: TpmIdentity;
  readonly #tried: Protocol[] = [];
  #activations = 0;

  constructor(options: ExchangeOptions, identity: TpmIdentity) {
    this.#options = options;
    this.#identity = identity;
  }

  async step(): Promise<ExchangeResult | undefined> {
    const { path, requests } = this.#options;
    const saved = await loadExchange(path);
    const stage = stageOf(saved);
    const current = saved?.proof ?? saved?.hello;
    const isSent = current?.uid !== undefined;
    const found = current !== undefined && isSent ? await requests.find(current) : undefined;
    const plan = planExchange({ stage, found, hasBegunAgain: saved?.hasBegunAgain });
    if (saved === undefined || current === undefined) return this.#begin({});
    return this.#act(plan, { saved, current, supported: found?.supportedVersions });
  }

  async #act(
    plan: ExchangeStep,
    { saved, current, supported }: { saved: SavedExchange; current: SavedRequest; supported: string | undefined },
  ): Promise<ExchangeResult | undefined> {
    switch (plan.kind) {
      case "Begin":
        return this.#begin({});
      case "Create":
      case "Adopt":
        return this.#send(saved, current);
      case "Answer":
        return this.#answer(saved, plan.challenge);
      case "Wait":
        await this.#options.requests.untilChanged(current);
        return undefined;
      case "Store":
        return { key: saved.key, certificate: plan.certificate };
      case "Renegotiate":
        return this.#renegotiate(saved, supported ?? "");
      case "Drop":
        return this.#drop(plan);
    }
  }

  async #begin(more: { readonly protocol?: Protocol; readonly hasBegunAgain?: boolean }): Promise<undefined> {
    const { protocols, input, path, keyKind = "P-256" } = this.#options;
    const protocol = more.protocol ?? protocols[0];
    if (protocol === undefined) throw new Fault("bad-config", "at least one protocol must be spoken");
    const key = generatePrivateKey(keyKind);
    const hello = buildHello({ ...input, protocol, key: key.signer }, this.#identity);
    const exchange = { key: key.encodePem(), protocol: encodeProtocol(protocol), hello };
    await saveExchange(path, { ...exchange, ...(more.hasBegunAgain === true ? { hasBegunAgain: true } : {}) });
  }

  async #send(saved: SavedExchange, current: SavedRequest): Promise<undefined> {
    const { requests, path } = this.#options;
    const uid = (await requests.create(current))?.uid ?? (await this.#adopt(current));
    if (uid === undefined) return this.#drop({ kind: "Drop", next: "back-off", why: "another request has the name" });
    const sent = { ...current, uid };
    await saveExchange(path, saved.proof === undefined ? { ...saved, hello: sent } : { ...saved, proof: sent });
  }

  /** Sent before a crash, and its answer lost: ours if bytes and user are the same. */
  async #adopt(current: SavedRequest): Promise<string | undefined> {
    const found = await this.#options.requests.find(current);
    return found.kind === "Found" && found.isOurs ? found.uid : undefined;
  }

  async #answer(saved: SavedExchange, annotation: string): Promise<undefined> {
    const { tpm, input, path } = this.#options;
    const { name, request, uid = "" } = saved.hello;
    const key = parsePrivateKey(saved.key).signer;
    const full = { ...input, protocol: parseProtocol(saved.protocol), key };
    try {
      const proof = await buildProof(tpm, this.#identity, { input: full, hello: { name, uid, request, annotation } });
      await saveExchange(path, { ...saved, proof });
    } catch (failure) {
      if (!isFault(failure, "untrusted")) throw failure;
      this.#activations++;
      await dropExchange(path);
      if (this.#activations >= MAX_ACTIVATIONS)
        throw new Fault("untrusted", `ActivationFailed: ${failure.message}`, { cause: failure });
    }
  }

  async #renegotiate(saved: SavedExchange, annotation: string): Promise<undefined> {
    const { protocols, minVersion = 1, path } = this.#options;
    this.#tried.push(parseProtocol(saved.protocol));
    const supported = readSupported(annotation);
    const protocol = nextVersion({ offered: protocols, supported, tried: this.#tried, minVersion });
    await dropExchange(path);
    if (protocol === undefined) {
      const [ours, theirs] = [protocols, supported].map((list) => list.map(encodeProtocol).join(", ") || "none");
      throw new Fault("unsupported", `NoCommonVersion: this machine speaks ${ours}, the controller ${theirs}`);
    }
    return this.#begin({ protocol });
  }

  async #drop({ next, why }: Extract<ExchangeStep, { kind: "Drop" }>): Promise<undefined> {
    await dropExchange(this.#options.path);
    if (next === "begin") return this.#begin({ hasBegunAgain: true });
    throw new Fault("denied", why, { detail: { next }, retryable: next === "back-off" });
  }
}

/** A list that is missing or malformed is no list: the exchange ends with `NoCommonVersion`. */
function readSupported(annotation: string): readonly Protocol[] {
  try {
    return parseSupportedVersions(annotation);
  } catch (failure) {
    if (isFault(failure)) return [];
    throw failure;
  }
}
