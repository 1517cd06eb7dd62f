// Evidence that somebody touched. A part that can be changed without being noticed is a part that nothing vouches for; a verifier
// that throws at junk gives every stranger a way to stop it.
import type { JsonObject, JsonValue } from "../evidence.ts";
import { type Alteration, alterations, omissions, respellings } from "./altered-evidence.ts";
import {
  about,
  answerTo,
  type Conformance,
  type ConformanceCheck,
  check,
  gather,
  judged,
  mustRefuse,
  questionFor,
} from "./world.ts";

/** Enough for every provider with a plain object; a list of certificates is not walked without end. */
const MAX_PARTS = 64;
const LONG = "A".repeat(30_000);
const JUNK: readonly JsonValue[] = ["", "%", LONG, 0, Number.MAX_SAFE_INTEGER, true, [], [LONG], {}, { a: { b: [] } }];

export function alterationChecks(input: Conformance): readonly ConformanceCheck[] {
  return [
    alteredCheck(input, "evidence with one part altered is refused", alterations),
    alteredCheck(input, "evidence without one of its parts is refused", omissions),
    alteredCheck(input, "evidence in another spelling is refused", respellings),
    check("evidence with a part that nobody knows is refused", async () => {
      const question = await questionFor(input);
      await mustRefuse(input, { ...question, evidence: { ...question.evidence, unexpected: "part" } });
    }),
    check("junk is refused, and does not throw", async () => {
      const question = await questionFor(input);
      for (const { where, evidence } of junkIn(question.evidence)) {
        await about(where, () => mustRefuse(input, { ...question, evidence }));
        const facts = await gather(input, { ...question, evidence });
        judged("machineName", () => input.verifier.machineName?.({ ...question, evidence }, facts));
      }
    }),
    check("junk in a hello gets an answer, and does not throw", async () => {
      const question = await questionFor(input);
      if (question.hello === undefined) return;
      for (const { where, evidence } of [{ where: "nothing", evidence: {} }, ...junkIn(question.hello)]) {
        await about(`a hello with ${where}`, () => answerTo(input, { ...question, hello: evidence }));
      }
    }),
  ];
}

function alteredCheck(
  input: Conformance,
  name: string,
  alter: (evidence: JsonObject) => readonly Alteration[],
): ConformanceCheck {
  return check(name, async () => {
    const question = await questionFor(input);
    for (const { where, evidence } of alter(question.evidence).slice(0, MAX_PARTS)) {
      await about(where, () => mustRefuse(input, { ...question, evidence }));
    }
  });
}

/** Each part in turn replaced by each kind of junk. */
function junkIn(object: JsonObject): readonly Alteration[] {
  return Object.keys(object)
    .slice(0, MAX_PARTS)
    .flatMap((key) =>
      JUNK.map((value) => ({
        where: `${key} as ${JSON.stringify(value).slice(0, 20)}`,
        evidence: { ...object, [key]: value },
      })),
    );
}
