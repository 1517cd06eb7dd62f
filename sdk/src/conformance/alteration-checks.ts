// Altered evidence. A part that can be changed unnoticed is a part that nothing protects; a verifier that throws at
// junk can be stopped by any client.

import type { JsonObject, JsonValue } from "../evidence.ts";
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

interface Alteration {
  readonly where: string;
  readonly evidence: JsonObject;
}

interface Part {
  readonly where: string;
  readonly value: string | number | boolean;
  /** The whole with something else in this part's place; undefined: with nothing there. */
  put(value: JsonValue | undefined): JsonObject;
}

/** One for each text, number and boolean, however deep. */
function alterations(evidence: JsonObject): readonly Alteration[] {
  return partsOf(evidence).map(({ where, value, put }) => ({
    where: `${where} altered`,
    evidence: put(alteredValue(value)),
  }));
}

function omissions(evidence: JsonObject): readonly Alteration[] {
  return partsOf(evidence).map(({ where, put }) => ({ where: `${where} left out`, evidence: put(undefined) }));
}

/** Each text in other spellings that a careless reader takes for the same. */
function respellings(evidence: JsonObject): readonly Alteration[] {
  return partsOf(evidence).flatMap(({ where, value, put }) =>
    typeof value === "string"
      ? spellingsOf(value).map(([how, text]) => ({ where: `${where} ${how}`, evidence: put(text) }))
      : [],
  );
}

function partsOf(evidence: JsonObject): readonly Part[] {
  return Object.entries(evidence).flatMap(([key, value]) =>
    partsIn(value, key, (inner) => ({ ...without(evidence, key), ...(inner === undefined ? {} : { [key]: inner }) })),
  );
}

function partsIn(value: JsonValue, where: string, put: (value: JsonValue | undefined) => JsonObject): readonly Part[] {
  if (typeof value !== "object") return [{ where, value, put }];
  if (isList(value)) {
    return value.flatMap((member, at) =>
      partsIn(member, `${where}.${at}`, (inner) =>
        put(value.flatMap((old, index) => replaced(index === at, old, inner))),
      ),
    );
  }
  return Object.entries(value).flatMap(([key, member]) =>
    partsIn(member, `${where}.${key}`, (inner) =>
      put({ ...without(value, key), ...(inner === undefined ? {} : { [key]: inner }) }),
    ),
  );
}

function replaced(isIt: boolean, old: JsonValue, inner: JsonValue | undefined): readonly JsonValue[] {
  if (!isIt) return [old];
  return inner === undefined ? [] : [inner];
}

function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function alteredValue(value: Part["value"]): JsonValue {
  if (typeof value === "number") return value + 1;
  return typeof value === "boolean" ? !value : alteredText(value);
}

/** In the middle: the last characters of base64 may carry unused bits. */
function alteredText(text: string): string {
  const at = Math.floor(text.length / 2);
  return text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})+$|^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function spellingsOf(text: string): readonly (readonly [how: string, text: string])[] {
  const blank = [["with a blank behind it", `${text} `]] as const;
  if (!BASE64.test(text)) return blank;
  const bare = text.replace(/=+$/, "");
  const url = text.replaceAll("+", "-").replaceAll("/", "_");
  return [
    ...blank,
    ...(url === text ? [] : [["in the alphabet of URLs", url] as const]),
    ...(bare === text
      ? []
      : ([
          ["without its padding", bare],
          ["with other bits at its end", withOtherTail(bare) + text.slice(bare.length)],
        ] as const)),
  ];
}

/** The last character before the padding has bits that belong to no octet: the lowest of them is turned. */
function withOtherTail(bare: string): string {
  const last = ALPHABET.indexOf(bare.slice(-1));
  return bare.slice(0, -1) + (ALPHABET[last ^ 1] ?? "");
}
