// The conformance suite: what a provider author runs before anybody relies on the provider. It is a list of checks with names,
// independent of any test runner:
//
//   for (const check of conformanceChecks({ provider, verifier })) it(check.name, () => check.run());
import { evidenceProblem } from "./canonical.ts";
import { CONTRACT_VERSION, type EvidenceRequest, type JsonObject, MAX_PROOF_AGE_MS } from "./evidence.ts";
import type { NodeProvider } from "./node.ts";
import type { Answer, MachineView, Question, Verifier } from "./verifier.ts";

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

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const PROVIDER_ID = /^[\x21-\x7e][\x20-\x7e]{0,511}$/;
const REASON = /^[A-Z][A-Za-z0-9]{2,62}$/;
const MAX_GATHER_MS = 10_000;
const DIGEST = new Uint8Array(32).fill(0x5a);
const OTHER_DIGEST = new Uint8Array(32).fill(0xa5);

export function conformanceChecks(input: Conformance): readonly ConformanceCheck[] {
  return [...declarationChecks(input), ...evidenceChecks(input), ...freshnessChecks(input), ...servingChecks(input)];
}

/** Names of the checks that do not hold, with what was seen; empty: the provider conforms. */
export async function runConformance(input: Conformance): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const { name, run } of conformanceChecks(input)) {
    try {
      await run();
    } catch (failure) {
      failures.push(`${name}: ${failure instanceof Error ? failure.message : String(failure)}`);
    }
  }
  return failures;
}

function declarationChecks({ provider, verifier }: Conformance): readonly ConformanceCheck[] {
  return [
    check("both ends have one name, which a signer name can end with", async () => {
      must(NAME.test(provider.name), `name ${provider.name} must match ${NAME.source}`);
      must(provider.name === verifier.name, `provider ${provider.name} and verifier ${verifier.name} differ`);
    }),
    check("both ends are written for this contract and share a version", async () => {
      must(provider.contractVersion === CONTRACT_VERSION, "provider is for another contract");
      must(verifier.contractVersion === CONTRACT_VERSION, "verifier is for another contract");
      must(
        provider.versions.some((version) => verifier.versions.includes(version)),
        "no version is spoken by both ends",
      );
    }),
    check("evidence is protected from replay by a nonce or by a time limit", async () => {
      const freshness: string = verifier.freshness;
      must(provider.freshness === verifier.freshness, "the ends disagree on what protects from replay");
      must(
        freshness === "challenge" || freshness === "time-limited",
        "neither a nonce nor a time limit protects from replay",
      );
      const age = verifier.maxProofAgeMs ?? Number.POSITIVE_INFINITY;
      must(freshness === "challenge" || age <= MAX_PROOF_AGE_MS, "a proof must end within fifteen minutes");
    }),
    check("gathering has a time limit of ten seconds at most", async () => {
      must(
        verifier.gatherLimitMs > 0 && verifier.gatherLimitMs <= MAX_GATHER_MS,
        `limit is ${verifier.gatherLimitMs} ms`,
      );
    }),
  ];
}

function evidenceChecks(input: Conformance): readonly ConformanceCheck[] {
  return [
    check("the provider ID is printable and stable", async () => {
      const [first, second] = [await providerIdOf(input), await providerIdOf(input)];
      must(PROVIDER_ID.test(first), "provider ID must be 1 to 512 printable characters");
      must(first === second, "provider ID changes between two calls");
    }),
    check("evidence can travel", async () => {
      const { evidence } = await questionFor(input);
      must(evidenceProblem(evidence) === undefined, evidenceProblem(evidence) ?? "");
    }),
    check("the verifier believes its own provider, twice the same", async () => {
      const question = await questionFor(input);
      const [first, second] = [await answerTo(input, question), await answerTo(input, question)];
      must(first.kind === "Attested", shown(first));
      must(JSON.stringify(first) === JSON.stringify(second), "two judgements of one question differ");
    }),
    check("evidence for another request is refused", async () => {
      const question = await questionFor(input);
      await mustRefuse(input, { ...question, request: { ...question.request, digest: OTHER_DIGEST } });
    }),
    check("no evidence is refused", async () => {
      await mustRefuse(input, { ...(await questionFor(input)), evidence: {} });
    }),
    check("another machine's pins are refused", async () => {
      const question = await questionFor(input);
      const answer = await answerTo(input, question);
      must(answer.kind === "Attested", shown(answer));
      const pins = answer.kind === "Attested" ? Object.keys(answer.pins) : [];
      must(pins.length > 0, "nothing is pinned at first use");
      await mustRefuse(input, { ...question, pins: Object.fromEntries(pins.map((pin) => [pin, "another machine's"])) });
    }),
    check("another machine's provider ID is refused", async () => {
      const question = await questionFor(input);
      const providerId = `${question.request.providerId}-other`;
      const machine = question.machine === undefined ? undefined : { ...question.machine, providerId };
      await mustRefuse(input, { ...question, machine, request: { ...question.request, providerId } });
    }),
    check("gathering ends when it is told to", async () => {
      const question = await questionFor(input);
      const ended = Promise.resolve(input.verifier.gather(question, { signal: AbortSignal.abort() })).then(
        () => true,
        () => true,
      );
      must(await Promise.race([ended, later(input.verifier.gatherLimitMs)]), "gather went on after its signal");
    }),
  ];
}

function freshnessChecks(input: Conformance): readonly ConformanceCheck[] {
  const { verifier } = input;
  if (verifier.freshness !== "time-limited") return [];
  return [
    check("a proof is over after its time", async () => {
      const question = await questionFor(input);
      await mustRefuse(input, { ...question, nowMs: question.nowMs + (verifier.maxProofAgeMs ?? 0) + 60_000 });
    }),
  ];
}

function servingChecks(input: Conformance): readonly ConformanceCheck[] {
  if (!input.provider.canServe) return [];
  return [
    check("a name that is not the machine's is refused for serving", async () => {
      const question = await questionFor(input, { purpose: "serving", intent: "renew" });
      await mustRefuse(input, { ...question, names: ["somebody-else.example"] });
    }),
  ];
}

async function questionFor(input: Conformance, more: Partial<EvidenceRequest> = {}): Promise<Question> {
  const { provider, nodeName = "conformance-1", nowMs = Date.now } = input;
  const options = { nodeName, signal: new AbortController().signal };
  const providerId = await provider.providerId(options);
  const request: EvidenceRequest = {
    nodeName,
    providerId,
    intent: "join",
    purpose: "client",
    signerName: `cluster.x-k8s.io/kube-apiserver-client-kubelet-${provider.name}`,
    cluster: "conformance",
    protocol: `${provider.name}/${provider.versions[0] ?? 1}`,
    publicKey: new Uint8Array(91),
    digest: DIGEST,
    ...more,
  };
  const hello: JsonObject | undefined =
    provider.freshness === "challenge" ? ((await provider.hello?.(request, options)) ?? {}) : undefined;
  const evidence = await provider.attest(request, options);
  const machine = input.machine ?? {
    namespace: "default",
    name: nodeName,
    uid: "u",
    providerId,
    createdMs: nowMs(),
    addresses: [],
  };
  const requester = { username: "system:bootstrap:abcdef", groups: ["system:bootstrappers"] };
  const names = more.purpose === "serving" ? (input.servingNames ?? []) : [];
  return { nowMs: nowMs(), request, evidence, hello, requester, machine, pins: undefined, names };
}

async function answerTo({ verifier }: Conformance, question: Question): Promise<Answer> {
  const facts = await verifier.gather(question, { signal: AbortSignal.timeout(verifier.gatherLimitMs) });
  const answer =
    question.request.purpose === "client"
      ? verifier.verifyClient(question, facts)
      : verifier.verifyServing(question, facts);
  must(!(answer instanceof Promise), "judges must not be asynchronous");
  return answer;
}

async function mustRefuse(input: Conformance, question: Question): Promise<void> {
  const answer = await answerTo(input, question);
  must(answer.kind === "Refused", `it was ${shown(answer)}`);
  if (answer.kind === "Refused")
    must(REASON.test(answer.reason), `reason ${answer.reason} must match ${REASON.source}`);
}

async function providerIdOf({ provider, nodeName = "conformance-1" }: Conformance): Promise<string> {
  return provider.providerId({ nodeName, signal: new AbortController().signal });
}

function check(name: string, run: () => Promise<void>): ConformanceCheck {
  return { name, run };
}

function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new TypeError(otherwise);
}

function shown(answer: Answer): string {
  return answer.kind === "Attested" ? "Attested" : `${answer.kind} ${answer.reason}: ${answer.message}`;
}

function later(ms: number): Promise<false> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    timer.unref?.();
  });
}
