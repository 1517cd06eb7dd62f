// The two ends together: the machine's evidence is accepted, and nothing that only looks like it.

import { evidenceProblem } from "../canonical.ts";
import type { EvidenceRequest } from "../evidence.ts";
import { LIMITS } from "../limits.ts";
import {
  about,
  answerTo,
  ask,
  type Conformance,
  type ConformanceCheck,
  check,
  commonVersions,
  gather,
  JOIN,
  judged,
  must,
  mustAttest,
  mustRefuse,
  protocolOf,
  questionFor,
  RENEWAL,
  SERVING,
} from "./world.ts";

const PROVIDER_ID = new RegExp(LIMITS.providerId);
const ANOTHER = "another machine's";

export function evidenceChecks(input: Conformance): readonly ConformanceCheck[] {
  return [...travelChecks(input), ...beliefChecks(input), ...requestChecks(input), ...machineChecks(input)];
}

function travelChecks(input: Conformance): readonly ConformanceCheck[] {
  const { provider } = input;
  const providerId = () => ask(input, "providerId", (options) => provider.providerId(options));
  return [
    check("the provider ID is printable and stable", async () => {
      const first: unknown = await providerId();
      must(typeof first === "string" && PROVIDER_ID.test(first), "provider ID must be 1 to 512 printable characters");
      must(first === (await providerId()), "provider ID changes between two calls");
    }),
    check("evidence can travel", async () => {
      const { evidence, hello = {} } = await questionFor(input);
      for (const part of [evidence, hello]) must(evidenceProblem(part) === undefined, evidenceProblem(part) ?? "");
    }),
  ];
}

function beliefChecks(input: Conformance): readonly ConformanceCheck[] {
  return [
    check("the verifier believes its own provider, twice the same", async () => {
      const question = await questionFor(input);
      const first = await mustAttest(input, question);
      const second = await answerTo(input, question);
      must(JSON.stringify(first) === JSON.stringify(second), "two judgements of one question differ");
    }),
    check("the verifier believes its own provider in every version that both speak", async () => {
      for (const version of commonVersions(input)) {
        const protocol = protocolOf(input, version);
        await about(protocol, async () => mustAttest(input, await questionFor(input, { protocol })));
      }
    }),
    check("a machine may renew where its provider says so, with what was pinned", async () => {
      if (!input.provider.canRenew) return;
      const { pins } = await mustAttest(input, await questionFor(input));
      const again = await mustAttest(input, { ...(await questionFor(input, RENEWAL)), pins });
      must(JSON.stringify(again.pins) === JSON.stringify(pins), "pins change between two proofs of one machine");
    }),
  ];
}

function requestChecks(input: Conformance): readonly ConformanceCheck[] {
  const { canRenew, canServe } = input.provider;
  const kinds = [JOIN, ...(canRenew ? [RENEWAL] : []), ...(canServe ? [SERVING] : [])];
  return [
    check("evidence for another request is refused", async () => {
      const { pins } = await mustAttest(input, await questionFor(input));
      for (const kind of kinds) {
        const question = { ...(await questionFor(input, kind)), ...(kind === JOIN ? {} : { pins }) };
        const { request } = question;
        for (const [what, digest] of otherDigests(request)) {
          const words = `${kind.intent}, ${kind.purpose}, ${what}`;
          await about(words, () => mustRefuse(input, { ...question, request: { ...request, digest } }));
        }
      }
    }),
    check("no evidence is refused", async () => {
      await mustRefuse(input, { ...(await questionFor(input)), evidence: {} });
    }),
  ];
}

/** All of it counts: evidence that covers a part of the digest covers a part of the request. */
function otherDigests({ digest }: EvidenceRequest): readonly (readonly [what: string, digest: Uint8Array])[] {
  const flipped = (at: number) => digest.map((octet, index) => (index === at ? octet ^ 1 : octet));
  return [
    ["another digest", digest.map((octet) => octet ^ 0xff)],
    ...[0, 15, 31].map((at) => [`octet ${at} of the digest altered`, flipped(at)] as const),
  ];
}

function machineChecks(input: Conformance): readonly ConformanceCheck[] {
  const { verifier } = input;
  return [
    check("another machine's pins are refused", async () => {
      const question = await questionFor(input);
      const { pins } = await mustAttest(input, question);
      for (const pin of Object.keys(pins)) {
        await about(`pin ${pin}`, () => mustRefuse(input, { ...question, pins: { ...pins, [pin]: ANOTHER } }));
      }
    }),
    check("another machine's provider ID is refused", async () => {
      const question = await questionFor(input);
      const providerId = `${question.request.providerId}-other`;
      const machine = question.machine === undefined ? undefined : { ...question.machine, providerId };
      await mustRefuse(input, { ...question, machine, request: { ...question.request, providerId } });
    }),
    check("a cluster without Machines gets an answer", async () => {
      await answerTo(input, { ...(await questionFor(input)), machine: undefined });
    }),
    check("the Machine that the evidence names is the one in question, where the verifier says one", async () => {
      const question = await questionFor(input);
      const facts = await gather(input, question);
      const name: unknown = judged("machineName", () => verifier.machineName?.(question, facts));
      must(name === undefined || name === question.machine?.name, `machineName said ${JSON.stringify(name)}`);
    }),
  ];
}

/** More than any tolerance between two clocks. */
const WELL_BEYOND_MS = 60_000;

/** A time limit must be enforced. (With a challenge the nonce is in the digest: see "evidence for another request".) */
export function freshnessChecks(input: Conformance): readonly ConformanceCheck[] {
  const { verifier } = input;
  if (verifier.freshness !== "time-limited") return [];
  const limitMs = verifier.maxProofAgeMs ?? 0;
  return [
    check("a proof is over after its time", async () => {
      const question = await questionFor(input);
      await mustRefuse(input, { ...question, nowMs: question.nowMs + limitMs + WELL_BEYOND_MS });
    }),
    check("a proof from the future is refused", async () => {
      const question = await questionFor(input);
      await mustRefuse(input, { ...question, nowMs: question.nowMs - limitMs - WELL_BEYOND_MS });
    }),
  ];
}

const FOREIGN = "somebody-else.example";

/** A node may serve under its own names and under no other. */
export function servingChecks(input: Conformance): readonly ConformanceCheck[] {
  const { servingNames = [] } = input;
  const foreign = check("a name that is not the machine's is refused for serving", async () => {
    // Also where the machine's end would not request it: an attacker's may.
    const question = input.provider.canServe
      ? await questionFor(input, SERVING)
      : await questionFor(input).then((asked) => ({ ...asked, request: { ...asked.request, ...SERVING } }));
    await mustRefuse(input, { ...question, names: [FOREIGN] });
    await mustRefuse(input, { ...question, names: [...servingNames, FOREIGN] });
  });
  if (!input.provider.canServe) return [foreign];
  return [
    foreign,
    check("the machine's own names are allowed for serving", async () => {
      must(servingNames.length > 0, "servingNames must name what a machine that may serve answers to");
      await mustAttest(input, await questionFor(input, SERVING));
    }),
  ];
}
