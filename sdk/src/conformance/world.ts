// The world of the conformance suite: one machine, its Machine object, and a question about it as the controller would ask.
import { CONTRACT_VERSION, type EvidenceRequest, type JsonObject } from "../evidence.ts";
import type { NodeCallOptions, NodeProvider } from "../node.ts";
import type { Answer, MachineView, Question, Verifier } from "../verifier.ts";
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
}

export interface ConformanceCheck {
  readonly name: string;
  /** Resolves where it holds; rejects with what was seen where not. */
  run(): Promise<void>;
}

/** As one word a person can search for: it becomes the reason of a condition. */
const REASON = /^[A-Z][A-Za-z0-9]{2,62}$/;
const DIGEST = new Uint8Array(32).fill(0x5a);
export const OTHER_DIGEST = new Uint8Array(32).fill(0xa5);

export async function questionFor(input: Conformance, more: Partial<EvidenceRequest> = {}): Promise<Question> {
  const { provider, nowMs = Date.now } = input;
  const options = callOptions(input);
  const request = await requestFor(input, more);
  const hello: JsonObject | undefined =
    provider.freshness === "challenge" ? ((await provider.hello?.(request, options)) ?? {}) : undefined;
  const evidence = await provider.attest(request, options);
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
  const { provider } = input;
  const options = callOptions(input);
  const signer = more.purpose === "serving" ? "kubelet-serving" : "kube-apiserver-client-kubelet";
  return {
    nodeName: options.nodeName,
    providerId: await provider.providerId(options),
    intent: "join",
    purpose: "client",
    signerName: `cluster.x-k8s.io/${signer}-${provider.name}`,
    cluster: "conformance",
    protocol: `${provider.name}/${provider.versions[0] ?? CONTRACT_VERSION}`,
    publicKey: new Uint8Array(91),
    digest: DIGEST,
    ...more,
  };
}

export function callOptions({ nodeName = "conformance-1" }: Conformance): NodeCallOptions {
  return { nodeName, signal: new AbortController().signal };
}

export async function answerTo({ verifier }: Conformance, question: Question): Promise<Answer> {
  const facts = await verifier.gather(question, { signal: AbortSignal.timeout(verifier.gatherLimitMs) });
  const before = JSON.stringify(question);
  const answer = withoutTheWorld(() =>
    question.request.purpose === "client"
      ? verifier.verifyClient(question, facts)
      : verifier.verifyServing(question, facts),
  );
  must(!(answer instanceof Promise), "judges must not be asynchronous");
  must(JSON.stringify(question) === before, "a judge changed its question");
  return answer;
}

export async function mustAttest(input: Conformance, question: Question): Promise<Answer & { kind: "Attested" }> {
  const answer = await answerTo(input, question);
  if (answer.kind !== "Attested") throw new TypeError(`it was ${shown(answer)}`);
  return answer;
}

export async function mustRefuse(input: Conformance, question: Question): Promise<void> {
  const answer = await answerTo(input, question);
  if (answer.kind !== "Refused") throw new TypeError(`it was ${shown(answer)}`);
  must(REASON.test(answer.reason), `reason ${answer.reason} must match ${REASON.source}`);
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
