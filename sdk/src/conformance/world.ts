// The world of the conformance suite: one machine, its Machine object, and a question about it as the controller asks
// it.
import { answerProblem } from "../answer.ts";
import type { EvidenceRequest, JsonObject } from "../evidence.ts";
import { LIMITS } from "../limits.ts";
import type { NodeCallOptions, NodeProvider } from "../node.ts";
import type { Answer, MachineView, Question, Verifier } from "../verifier.ts";
import { type Bound, bounded, wordsOf } from "./bounded.ts";
import { withoutTheWorld } from "./purity.ts";

export interface Conformance {
  readonly provider: NodeProvider;
  readonly verifier: Verifier;
  readonly nodeName?: string;
  /** The Machine of the test's world; left out: made from the provider ID. */
  readonly machine?: MachineView;
  /** Names that a serving certificate of this machine may have. */
  readonly servingNames?: readonly string[];
  readonly nowMs?: () => number;
  /** Limit of one call of the provider. Default: five seconds, half of what a whole renewal has. */
  readonly callLimitMs?: number;
}

export interface ConformanceCheck {
  readonly name: string;
  /** Resolves where it holds; rejects with what was seen where not. */
  run(): Promise<void>;
}

/** What a request may be for, where the provider says that it may. */
export const JOIN = { intent: "join", purpose: "client" } as const;
export const RENEWAL = { intent: "renew", purpose: "client" } as const;
export const SERVING = { intent: "renew", purpose: "serving" } as const;

const CALL_LIMIT_MS = 5_000;
const { maxGatherMs: MAX_GATHER_MS } = LIMITS;
const DIGEST = new Uint8Array(32).fill(0x5a);

export async function questionFor(input: Conformance, more: Partial<EvidenceRequest> = {}): Promise<Question> {
  const { provider, nowMs = Date.now } = input;
  const request = await requestFor(input, more);
  const hello =
    provider.freshness === "challenge"
      ? objectOf(
          "hello",
          await ask(input, "hello", async (options) => (await provider.hello?.(request, options)) ?? {}),
        )
      : undefined;
  const evidence = objectOf("attest", await ask(input, "attest", (options) => provider.attest(request, options)));
  const { nodeName, providerId } = request;
  const machine = input.machine ?? {
    namespace: "default",
    name: nodeName,
    uid: "9a3c9e10-4f52-4c5a-9a55-6b7d1a3c9e10",
    providerId,
    createdMs: nowMs(),
    addresses: [],
  };
  const requester =
    request.intent === "join"
      ? { username: "system:bootstrap:abcdef", groups: ["system:bootstrappers"] }
      : { username: `system:node:${nodeName}`, groups: ["system:nodes"] };
  const names = request.purpose === "serving" ? (input.servingNames ?? []) : [];
  return { nowMs: nowMs(), request, evidence, hello, requester, machine, pins: undefined, names };
}

async function requestFor(input: Conformance, more: Partial<EvidenceRequest>): Promise<EvidenceRequest> {
  const { provider, nodeName = "conformance-1" } = input;
  const signer = more.purpose === "serving" ? "kubelet-serving" : "kube-apiserver-client-kubelet";
  return {
    nodeName,
    providerId: await ask(input, "providerId", (options) => provider.providerId(options)),
    intent: "join",
    purpose: "client",
    signerName: `cluster.x-k8s.io/${signer}-${provider.name}`,
    cluster: "conformance",
    protocol: protocolOf(input, commonVersions(input)[0]),
    publicKey: new Uint8Array(91),
    digest: DIGEST,
    ...more,
  };
}

/** The versions of both ends, in the provider's order. */
export function commonVersions({ provider, verifier }: Conformance): readonly number[] {
  return provider.versions.filter((version) => verifier.versions.includes(version));
}

export function protocolOf({ provider }: Conformance, version = provider.versions[0] ?? 1): string {
  return `${provider.name}/${version}`;
}

/** One call of the provider, in its time. */
export async function ask<T>(
  input: Conformance,
  what: "providerId" | "hello" | "attest",
  call: (options: NodeCallOptions) => Promise<T>,
): Promise<T> {
  const { nodeName = "conformance-1", callLimitMs: limitMs = CALL_LIMIT_MS } = input;
  return await unlessHung(input, { what, limitMs }, (signal) => call({ nodeName, signal }));
}

const HUNG = new WeakMap<Conformance, Set<string>>();

/** A call that hung once is not awaited again, so that the suite ends in time. */
async function unlessHung<T>(
  input: Conformance,
  { what, limitMs }: Bound,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const hung = HUNG.get(input) ?? new Set();
  HUNG.set(input, hung);
  must(!hung.has(what), `${what} took longer than ${limitMs} ms before, and was not asked again`);
  return await bounded({ what, limitMs, onOver: () => hung.add(what) }, call);
}

function objectOf(what: string, value: JsonObject): JsonObject {
  must(typeof value === "object" && value !== null && !Array.isArray(value), `${what} must return an object`);
  return value;
}

export function gatherLimitOf({ verifier }: Conformance): number {
  const { gatherLimitMs } = verifier;
  return gatherLimitMs > 0 && gatherLimitMs <= MAX_GATHER_MS ? gatherLimitMs : MAX_GATHER_MS;
}

export async function gather(input: Conformance, question: Question): Promise<unknown> {
  const { verifier } = input;
  const bound = { what: "gather", limitMs: gatherLimitOf(input) };
  return await unlessHung(input, bound, (signal) => verifier.gather(question, { signal }));
}

export async function answerTo(input: Conformance, question: Question): Promise<Answer> {
  const { verifier } = input;
  const facts = await gather(input, question);
  const before = JSON.stringify(question);
  const name = question.request.purpose === "client" ? "verifyClient" : "verifyServing";
  const answer = judged(name, () => verifier[name](question, facts));
  const problem = answerProblem(answer);
  must(problem === undefined, problem ?? "");
  must(JSON.stringify(question) === before, "a judge changed its question");
  return answer;
}

/** What a judge says, in a world that stands still. */
export function judged<T>(name: string, judge: () => T): T {
  try {
    return withoutTheWorld(judge);
  } catch (failure) {
    throw new TypeError(`${name} threw: ${wordsOf(failure)}`);
  }
}

export async function mustAttest(input: Conformance, question: Question): Promise<Answer & { kind: "Attested" }> {
  const answer = await answerTo(input, question);
  if (answer.kind !== "Attested") throw new TypeError(`it was ${shown(answer)}`);
  return answer;
}

export async function mustRefuse(input: Conformance, question: Question): Promise<void> {
  const answer = await answerTo(input, question);
  if (answer.kind !== "Refused") throw new TypeError(`it was ${shown(answer)}`);
}

/** One of several cases of a check, by its description. */
export async function about(what: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (failure) {
    throw new TypeError(`with ${what}: ${wordsOf(failure)}`);
  }
}

export function check(name: string, run: () => Promise<void>): ConformanceCheck {
  return { name, run };
}

export function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new TypeError(otherwise);
}

function shown(answer: Answer): string {
  return answer.kind === "Attested" ? "Attested" : `${answer.kind} ${answer.reason}: ${answer.message}`;
}
