// The exchange as it runs on the machine: look at what was saved and what the API server shows, plan, take one step, again. Each
// step saves before it sends, so that a crash between any two leaves a state the plan knows. The uid that a request was given is saved
// while its answer is awaited: without it the request is found again by its name.

import { encodeHex, encodeUtf8 } from "../../../kernel/bytes/index.ts";
import { sha256 } from "../../../kernel/crypto/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { generatePrivateKey, parsePrivateKey } from "../../../platform/keys/index.ts";
import { encodeProtocol, type FinishedRequest, type Protocol, parseProtocol } from "../../evidence/index.ts";
import { agreeOnVersion } from "../next-version.ts";
import type { ExchangeProver, RequestInput } from "../provider.ts";
import {
  dropExchange,
  loadExchange,
  type SavedExchange,
  type SavedRequest,
  saveExchange,
  stageOf,
} from "./exchange-state.ts";
import { type ExchangeDrop, type ExchangeStep, type FoundRequest, planExchange } from "./plan.ts";

/** The API server as a joining node may use it: create, get, watch. */
export interface CertificateRequests {
  /** Undefined where an object of that name exists. */
  create(request: FinishedRequest): Promise<{ readonly uid: string } | undefined>;
  find(request: SavedRequest): Promise<FoundRequest & { readonly uid?: string; readonly supportedVersions?: string }>;
  /** Resolves when the object changed, or after a while. */
  untilChanged(request: SavedRequest): Promise<void>;
}

export interface ExchangeOptions {
  readonly prover: Pick<ExchangeProver, "hello" | "proof">;
  readonly requests: CertificateRequests;
  /** Where the exchange is kept. The caller holds the lock of its directory. */
  readonly path: string;
  readonly input: Omit<RequestInput, "key" | "protocol">;
  /** Best first. */
  readonly protocols: readonly Protocol[];
  readonly minVersion?: number | undefined;
  readonly keyKind?: "P-256" | "P-384" | undefined;
  /** A renewal of one request, where the cluster offers it; tried before a hello. */
  readonly renewInOne?: ((input: RequestInput) => Promise<FinishedRequest>) | undefined;
  /** Asked before each new hello; a Fault thrown at once keeps it from being made, and one that comes later from being sent. */
  readonly beforeHello?: (() => Promise<void>) | undefined;
  /** The annotation with the challenge, while it is answered. */
  readonly onChallenge?: ((annotation: string) => Promise<void>) | undefined;
  /** The challenge was answered: the proof is made and saved. */
  readonly onAttested?: (() => void) | undefined;
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
  const run = new ExchangeRun(options, await loadExchange(options.path));
  for (;;) {
    const result = await run.step();
    if (result !== undefined) return result;
  }
}

interface Beginning {
  readonly protocol?: Protocol;
  readonly hasBegunAgain?: boolean;
  /** By hello and proof, although the cluster offers less. */
  readonly isFull?: boolean;
}

class ExchangeRun {
  readonly #options: ExchangeOptions;
  readonly #about: string;
  readonly #tried: Protocol[] = [];
  #activations = 0;
  /** As in the file; only the uid of what was just sent may be missing there. */
  #saved: SavedExchange | undefined;
  #isUidSaved = true;

  constructor(options: ExchangeOptions, found: SavedExchange | undefined) {
    this.#options = options;
    const { claims, names } = options.input;
    this.#about = encodeHex(sha256(encodeUtf8(JSON.stringify([claims, names ?? {}]))));
    this.#saved = found?.about === this.#about ? found : undefined;
  }

  async step(): Promise<ExchangeResult | undefined> {
    const { requests } = this.#options;
    const saved = this.#saved;
    const stage = stageOf(saved);
    const current = saved?.proof ?? saved?.hello;
    const isSent = current?.uid !== undefined;
    const found = current !== undefined && isSent ? await requests.find(current) : undefined;
    const isShort = saved !== undefined && saved.hello === undefined;
    const plan = planExchange({ stage, found, hasBegunAgain: saved?.hasBegunAgain, isShort });
    if (saved === undefined || current === undefined) return this.#begin({});
    return this.#act(plan, { saved, current, supported: found?.supportedVersions });
  }

  async #save(exchange: SavedExchange): Promise<void> {
    await saveExchange(this.#options.path, exchange);
    this.#saved = exchange;
    this.#isUidSaved = true;
  }

  async #forget(): Promise<void> {
    await dropExchange(this.#options.path);
    this.#saved = undefined;
    this.#isUidSaved = true;
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
        return this.#answer(saved, current, plan.challenge);
      case "Wait":
        return this.#wait(saved, current);
      case "Store":
        return { key: saved.key, certificate: plan.certificate };
      case "Renegotiate":
        return this.#renegotiate(saved, supported ?? "");
      case "Drop":
        return this.#drop(plan, current.name);
    }
  }

  async #wait(saved: SavedExchange, current: SavedRequest): Promise<undefined> {
    const saving = this.#isUidSaved ? undefined : this.#save(saved);
    const changing = this.#options.requests.untilChanged(current);
    await bothOf(saving, changing);
  }

  async #begin(more: Beginning): Promise<undefined> {
    const { prover, protocols, input, keyKind = "P-256", renewInOne, beforeHello } = this.#options;
    const protocol = more.protocol ?? protocols[0];
    if (protocol === undefined) throw new Fault("bad-config", "at least one protocol must be spoken");
    const key = generatePrivateKey(keyKind);
    const full = { ...input, protocol, key: key.signer };
    const exchange = { key: key.encodePem(), protocol: encodeProtocol(protocol), about: this.#about };
    if (renewInOne !== undefined && more.isFull !== true) {
      await this.#save({ ...exchange, proof: await renewInOne(full) });
      this.#options.onAttested?.();
      return;
    }
    const [, hello] = await bothOf(beforeHello?.(), prover.hello(full));
    await this.#save({ ...exchange, hello, ...(more.hasBegunAgain === true ? { hasBegunAgain: true } : {}) });
  }

  async #send(saved: SavedExchange, current: SavedRequest): Promise<undefined> {
    const uid = (await this.#options.requests.create(current))?.uid ?? (await this.#adopt(current));
    if (uid === undefined) return this.#drop({ kind: "Drop", next: "back-off", because: "taken" }, current.name);
    const sent = { ...current, uid };
    this.#saved = saved.proof === undefined ? { ...saved, hello: sent } : { ...saved, proof: sent };
    this.#isUidSaved = false;
  }

  /** Sent before a crash, and its answer lost: ours if bytes and user are the same. */
  async #adopt(current: SavedRequest): Promise<string | undefined> {
    const found = await this.#options.requests.find(current);
    return found.kind === "Found" && found.isOurs ? found.uid : undefined;
  }

  async #answer(
    saved: SavedExchange,
    { name, request, uid = "" }: SavedRequest,
    annotation: string,
  ): Promise<undefined> {
    const { prover, input, onChallenge, onAttested } = this.#options;
    const key = parsePrivateKey(saved.key).signer;
    const full = { ...input, protocol: parseProtocol(saved.protocol), key };
    try {
      const [, proof] = await bothOf(onChallenge?.(annotation), prover.proof(full, { name, uid, request, annotation }));
      await this.#save({ ...saved, proof });
    } catch (failure) {
      if (!isFault(failure, "untrusted")) throw failure;
      this.#activations++;
      await this.#forget();
      if (this.#activations < MAX_ACTIVATIONS) return;
      const detail = { next: "back-off", reason: "ActivationFailed" };
      throw new Fault("untrusted", `ActivationFailed: ${failure.message}`, { cause: failure, detail });
    }
    onAttested?.();
  }

  async #renegotiate(saved: SavedExchange, annotation: string): Promise<undefined> {
    const { protocols, minVersion } = this.#options;
    this.#tried.push(parseProtocol(saved.protocol));
    await this.#forget();
    return this.#begin({
      protocol: agreeOnVersion({ offered: protocols, tried: this.#tried, minVersion, annotation }),
      isFull: true,
    });
  }

  async #drop({ next, because }: ExchangeDrop, name: string): Promise<undefined> {
    await this.#forget();
    if (next === "exchange") return this.#begin({ isFull: true });
    if (next === "begin") return this.#begin({ isFull: true, hasBegunAgain: true });
    if (because === "gone") {
      throw new Fault("expired", `request ${name} is gone; the next try begins anew`, { detail: { name, next } });
    }
    if (because === "taken") {
      throw new Fault("conflict", `another request has the name ${name}`, { detail: { name, next } });
    }
    const { rule, reason, message } = because;
    const said = { ...(rule === undefined ? {} : { rule }), reason, message };
    throw new Fault("denied", `request ${name} was denied: ${reason}: ${message}`, { detail: { name, next, ...said } });
  }
}

/** Ended, whatever became of either: who gives up must not leave a write behind, nor a TPM at work. */
async function bothOf<A, B>(one: Promise<A> | undefined, other: Promise<B>): Promise<[A | undefined, B]> {
  await Promise.allSettled([one, other]);
  return [await one, await other];
}
