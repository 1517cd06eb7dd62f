// Evidence that somebody touched. A part that can be changed without being noticed is a part that nothing vouches for; a verifier
// that throws at junk gives every stranger a way to stop it.
import type { JsonObject, JsonValue } from "../evidence.ts";
import { type Conformance, type ConformanceCheck, check, mustRefuse, questionFor } from "./world.ts";

/** Enough for every provider with a plain object; a list of certificates is not walked without end. */
const MAX_PARTS = 64;
const LONG = "A".repeat(30_000);
const JUNK: readonly JsonValue[] = ["", "%", LONG, 0, Number.MAX_SAFE_INTEGER, true, [], [LONG], {}, { a: { b: [] } }];

export function alterationChecks(input: Conformance): readonly ConformanceCheck[] {
  return [
    check("evidence with one part altered is refused", async () => {
      const question = await questionFor(input);
      for (const { where, evidence } of alterations(question.evidence).slice(0, MAX_PARTS)) {
        await about(`${where} altered`, () => mustRefuse(input, { ...question, evidence }));
      }
    }),
    check("evidence with a part that nobody knows is refused", async () => {
      const question = await questionFor(input);
      await mustRefuse(input, { ...question, evidence: { ...question.evidence, unexpected: "part" } });
    }),
    check("junk is refused, and does not throw", async () => {
      const question = await questionFor(input);
      for (const key of Object.keys(question.evidence).slice(0, MAX_PARTS)) {
        for (const value of JUNK) {
          const evidence = { ...question.evidence, [key]: value };
          const shown = JSON.stringify(value).slice(0, 20);
          await about(`${key} as ${shown}`, () => mustRefuse(input, { ...question, evidence }));
        }
      }
    }),
  ];
}

interface Alteration {
  readonly where: string;
  readonly evidence: JsonObject;
}

/** One for each text, number and boolean, however deep. */
function alterations(evidence: JsonObject): readonly Alteration[] {
  return Object.entries(evidence).flatMap(([key, value]) =>
    alteredValues(value, key).map(({ where, value: altered }) => ({
      where,
      evidence: { ...evidence, [key]: altered },
    })),
  );
}

function alteredValues(value: JsonValue, where: string): readonly { where: string; value: JsonValue }[] {
  if (typeof value === "string") return [{ where, value: alteredText(value) }];
  if (typeof value === "number") return [{ where, value: value + 1 }];
  if (typeof value === "boolean") return [{ where, value: !value }];
  return Object.entries(value).flatMap(([key, member]: [string, JsonValue]) =>
    alteredValues(member, `${where}.${key}`).map((altered) => ({
      where: altered.where,
      value: put(value, key, altered.value),
    })),
  );
}

function put(value: readonly JsonValue[] | JsonObject, key: string, member: JsonValue): JsonValue {
  return isList(value) ? value.map((old, at) => (String(at) === key ? member : old)) : { ...value, [key]: member };
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** In the middle: the last characters of base64 may carry bits that nobody reads. */
function alteredText(text: string): string {
  const at = Math.floor(text.length / 2);
  return text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
}

async function about(what: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (failure) {
    throw new TypeError(`with ${what}: ${failure instanceof Error ? failure.message : String(failure)}`);
  }
}
