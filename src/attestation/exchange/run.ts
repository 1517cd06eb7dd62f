// The exchange as it runs on the machine: look at what was saved and what the API server shows, plan, take one step,
// again. Each step saves before it sends, so that a crash between any two leaves a state the plan knows. The uid that a
// request was given is saved while its answer is awaited: without it the request is found again by its name.

import { encodeHex, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { assert, Fault, isFault } from "../../kernel/outcome/index.ts";
import { generatePrivateKey, type PrivateKey, parsePrivateKey } from "../../platform/keys/index.ts";
import { encodeProtocol, type FinishedRequest, type Protocol, parseProtocol } from "../evidence/index.ts";
import type { ExchangeProver, RequestInput } from "../provider.ts";
import { createKeyAtRest, type KeyAtRest } from "./key-at-rest.ts";
import { agreeOnVersion } from "./next-version.ts";
import { type ExchangeDrop, type ExchangeStep, type FoundRequest, planExchange } from "./plan.ts";
import { dropExchange, loadExchange, type SavedExchange, type SavedRequest, saveExchange, stageOf } from "./state.ts";

type Found = FoundRequest & { readonly uid?: string; readonly supportedVersions?: string };

/** The API server as a joining node may use it: create, get, watch. */
export interface CertificateRequests {
  /** Undefined where an object of that name exists. */
  create(request: FinishedRequest): Promise<{ readonly uid: string } | undefined>;
  find(request: SavedRequest): Promise<Found>;
  /** Resolves when the object changed, or after a while. */
  untilChanged(request: SavedRequest): Promise<void>;
}

export interface ExchangeOptions {
  readonly prover: Pick<ExchangeProver, "hello" | "proof" | "keySeal">;
  readonly requests: CertificateRequests;
  /** Where the exchange is kept. The caller holds the lock of its directory. */
  readonly path: string;
  readonly input: Omit<RequestInput, "key" | "protocol">;
  /** Best first. */
  readonly protocols: readonly Protocol[];
  readonly minVersion?: number | undefined;
  readonly keyKind?: "P-256" | "P-384" | undefined;
  /** The key is written down sealed by the prover. */
  readonly sealKey?: boolean | undefined;
  /** A renewal of one request, where the cluster offers it; tried before a hello. */
  readonly renewInOne?: ((input: RequestInput) => Promise<FinishedRequest>) | undefined;
  /**
   * Asked before each new hello; a Fault thrown at once keeps it from being made, and one that comes later from being
   * sent.
   */
  readonly beforeHello?: (() => Promise<void>) | undefined;
  /** The annotation with the challenge that was answered, while the answer to that is awaited. */
  readonly onChallenge?: ((annotation: string) => Promise<void>) | undefined;
  /** The challenge was answered: the proof is made and saved. */
  readonly onAttested?: (() => void) | undefined;
}

export interface ExchangeResult {
  readonly key: PrivateKey;
  /** PEM; to be checked and stored by the caller, who then drops the exchange. */
  readonly certificate: string;
}

/** How often a credential that does not open is asked for anew: it is for another TPM, or was altered. */
const MAX_ACTIVATIONS = 3;

export async function runExchange(options: ExchangeOptions): Promise<ExchangeResult> {
  const run = new ExchangeRun(options);
  await run.resume();
  try {
    for (;;) {
      const result = await run.step();
      if (result !== undefined) return result;
    }
  } finally {
    await run.end();
  }
}

interface Beginning {
  readonly protocol?: Protocol;
  readonly hasBegunAgain?: boolean | undefined;
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
  /** Its PCRs are remembered once there is nothing to do but wait. */
  #answered: string | undefined;
  /** Ends when all notes are written that no step waits for. */
  #notes: Promise<unknown> = Promise.resolve();
  readonly #keys: KeyAtRest;
  /** Of what is saved. */
  #key: PrivateKey | undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    const { statement, names } = options.input;
    this.#about = encodeHex(sha256(encodeUtf8(JSON.stringify([statement, names ?? {}]))));
    const { prover, sealKey } = options;
    this.#keys = createKeyAtRest({ keySeal: prover.keySeal, isSealed: sealKey, about: this.#about });
  }

  /**
   * What an earlier run left, if it is about the same and its key opens: without the key nothing can be gone on with.
   */
  async resume(): Promise<void> {
    const found = await loadExchange(this.#options.path);
    const isUsable = found?.about === this.#about && (await this.#keys.open(found.key)) !== undefined;
    this.#saved = isUsable ? found : undefined;
  }

  async step(): Promise<ExchangeResult | undefined> {
    const current = currentOf(this.#saved);
    return await this.#take(current?.uid === undefined ? undefined : await this.#options.requests.find(current));
  }

  /** One step of the plan, from what is saved and what was found of it. */
  async #take(found: Found | undefined): Promise<ExchangeResult | undefined> {
    const saved = this.#saved;
    const current = currentOf(saved);
    const isShort = saved !== undefined && saved.hello === undefined;
    const plan = planExchange({ stage: stageOf(saved), found, hasBegunAgain: saved?.hasBegunAgain, isShort });
    if (plan.kind === "Begin" || saved === undefined || current === undefined) return this.#begin({});
    return this.#act(plan, { saved, current, found });
  }

  /** A caller that gives up must not leave a write behind. */
  async end(): Promise<void> {
    await this.#notes;
  }

  /** A note that may be lost: a request is found again by its name, and PCRs are asked for anew. */
  #note(write: () => Promise<void>): void {
    this.#notes = Promise.allSettled([this.#notes.then(write)]);
  }

  async #save(exchange: SavedExchange): Promise<void> {
    await this.#notes;
    await saveExchange(this.#options.path, exchange);
    this.#saved = exchange;
    this.#isUidSaved = true;
  }

  /** Made by this run, or read once: reading it takes longer than signing with it. */
  async #keyOf(saved: SavedExchange): Promise<PrivateKey> {
    if (this.#key !== undefined) return this.#key;
    const keyPem = await this.#keys.open(saved.key);
    assert(keyPem !== undefined, "the key of an exchange under way opened before");
    this.#key = parsePrivateKey(keyPem);
    return this.#key;
  }

  async #forget(): Promise<void> {
    await this.#notes;
    await dropExchange(this.#options.path);
    this.#saved = undefined;
    this.#key = undefined;
    this.#isUidSaved = true;
  }

  async #act(
    plan: Exclude<ExchangeStep, { kind: "Begin" }>,
    { saved, current, found }: { saved: SavedExchange; current: SavedRequest; found: Found | undefined },
  ): Promise<ExchangeResult | undefined> {
    switch (plan.kind) {
      case "Create":
        return this.#create(saved, current);
      case "Adopt":
        return this.#keepUid(saved, current, found?.uid);
      case "Answer":
        return this.#answer(saved, current, plan.challenge);
      case "Wait":
        return this.#wait(saved, current);
      case "Store":
        return { key: await this.#keyOf(saved), certificate: plan.certificate };
      case "Renegotiate":
        return this.#renegotiate(saved, found?.supportedVersions ?? "");
      case "Drop":
        return this.#drop(plan, current.name);
    }
  }

  async #wait(saved: SavedExchange, current: SavedRequest): Promise<undefined> {
    const { path, requests, onChallenge } = this.#options;
    const annotation = this.#answered;
    if (!this.#isUidSaved) this.#note(() => saveExchange(path, saved));
    if (annotation !== undefined && onChallenge !== undefined) this.#note(() => onChallenge(annotation));
    this.#isUidSaved = true;
    this.#answered = undefined;
    await requests.untilChanged(current);
  }

  async #begin(more: Beginning): Promise<undefined> {
    const { prover, protocols, input, keyKind = "P-256", renewInOne, beforeHello } = this.#options;
    const protocol = more.protocol ?? protocols[0];
    if (protocol === undefined) throw new Fault("bad-config", "at least one protocol must be spoken");
    const key = generatePrivateKey(keyKind);
    this.#key = key;
    const full = { ...input, protocol, key: key.signer };
    const written = await this.#keys.close(key.encodePem());
    const exchange = { key: written, protocol: encodeProtocol(protocol), about: this.#about };
    if (renewInOne !== undefined && more.isFull !== true) {
      await this.#save({ ...exchange, proof: await renewInOne(full) });
      this.#options.onAttested?.();
      return;
    }
    const [, hello] = await bothOf(beforeHello?.(), prover.hello(full));
    await this.#save({ ...exchange, hello, ...(more.hasBegunAgain === true ? { hasBegunAgain: true } : {}) });
  }

  async #create(saved: SavedExchange, current: SavedRequest): Promise<ExchangeResult | undefined> {
    const { requests } = this.#options;
    const created = await requests.create(current);
    if (created !== undefined) return this.#keepUid(saved, current, created.uid);
    // Sent before a crash and its answer lost, or somebody else's: the plan says which.
    return this.#take(await requests.find(current));
  }

  #keepUid(saved: SavedExchange, current: SavedRequest, uid: string | undefined): undefined {
    const sent = { ...current, uid };
    this.#saved = saved.proof === undefined ? { ...saved, hello: sent } : { ...saved, proof: sent };
    this.#isUidSaved = false;
  }

  async #answer(
    saved: SavedExchange,
    { name, request, uid = "" }: SavedRequest,
    annotation: string,
  ): Promise<undefined> {
    const { prover, input, onAttested } = this.#options;
    const { hasBegunAgain } = saved;
    const { signer: key } = await this.#keyOf(saved);
    const full = { ...input, protocol: parseProtocol(saved.protocol), key };
    try {
      const proof = await prover.proof(full, { name, uid, request, annotation });
      await this.#save({ ...saved, proof });
      this.#answered = annotation;
    } catch (failure) {
      if (!isFault(failure, "untrusted")) throw failure;
      this.#activations++;
      await this.#forget();
      if (this.#activations < MAX_ACTIVATIONS) return this.#begin({ isFull: true, hasBegunAgain });
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
      hasBegunAgain: saved.hasBegunAgain,
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

/** What the exchange is about now: its proof, once there is one. */
function currentOf(saved: SavedExchange | undefined): SavedRequest | undefined {
  return saved?.proof ?? saved?.hello;
}

/** Waits for both, whatever becomes of either: a caller that gives up must not leave a write behind, nor a busy TPM. */
async function bothOf<A, B>(one: Promise<A> | undefined, other: Promise<B>): Promise<[A | undefined, B]> {
  await Promise.allSettled([one, other]);
  return [await one, await other];
}
