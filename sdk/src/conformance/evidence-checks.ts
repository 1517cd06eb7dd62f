// The two ends together: what the machine says is believed, and nothing that only looks like it.
import { evidenceProblem } from "../canonical.ts";
import {
  answerTo,
  type Conformance,
  type ConformanceCheck,
  callOptions,
  check,
  must,
  mustAttest,
  mustRefuse,
  OTHER_DIGEST,
  questionFor,
} from "./world.ts";

const PROVIDER_ID = /^[\x21-\x7e][\x20-\x7e]{0,511}$/;
const ANOTHER = "another machine's";

export function evidenceChecks(input: Conformance): readonly ConformanceCheck[] {
  return [...travelChecks(input), ...beliefChecks(input), ...otherMachineChecks(input)];
}

function travelChecks(input: Conformance): readonly ConformanceCheck[] {
  return [
    check("the provider ID is printable and stable", async () => {
      const options = callOptions(input);
      const first = await input.provider.providerId(options);
      must(PROVIDER_ID.test(first), "provider ID must be 1 to 512 printable characters");
      must(first === (await input.provider.providerId(options)), "provider ID changes between two calls");
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
    check("a machine may renew where its provider says so, with what was pinned", async () => {
      if (!input.provider.canRenew) return;
      const { pins } = await mustAttest(input, await questionFor(input));
      const again = await mustAttest(input, { ...(await questionFor(input, { intent: "renew" })), pins });
      must(JSON.stringify(again.pins) === JSON.stringify(pins), "pins change between two proofs of one machine");
    }),
    check("evidence for another request is refused", async () => {
      const question = await questionFor(input);
      await mustRefuse(input, { ...question, request: { ...question.request, digest: OTHER_DIGEST } });
    }),
    check("no evidence is refused", async () => {
      await mustRefuse(input, { ...(await questionFor(input)), evidence: {} });
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

function otherMachineChecks(input: Conformance): readonly ConformanceCheck[] {
  return [
    check("another machine's pins are refused", async () => {
      const question = await questionFor(input);
      const pins = Object.keys((await mustAttest(input, question)).pins);
      must(pins.length > 0, "nothing is pinned at first use");
      for (const pin of pins) {
        const known = (await mustAttest(input, question)).pins;
        await mustRefuse(input, { ...question, pins: { ...known, [pin]: ANOTHER } });
      }
    }),
    check("another machine's provider ID is refused", async () => {
      const question = await questionFor(input);
      const providerId = `${question.request.providerId}-other`;
      const machine = question.machine === undefined ? undefined : { ...question.machine, providerId };
      await mustRefuse(input, { ...question, machine, request: { ...question.request, providerId } });
    }),
  ];
}

function later(ms: number): Promise<false> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    timer.unref?.();
  });
}
