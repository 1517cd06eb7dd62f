// One object in many forms that are almost it: a part altered, a part left out, a text spelled otherwise.
import type { JsonObject, JsonValue } from "../evidence.ts";

export interface Alteration {
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
export function alterations(evidence: JsonObject): readonly Alteration[] {
  return partsOf(evidence).map(({ where, value, put }) => ({
    where: `${where} altered`,
    evidence: put(alteredValue(value)),
  }));
}

export function omissions(evidence: JsonObject): readonly Alteration[] {
  return partsOf(evidence).map(({ where, put }) => ({ where: `${where} left out`, evidence: put(undefined) }));
}

/** Each text in other spellings that a careless reader takes for the same. */
export function respellings(evidence: JsonObject): readonly Alteration[] {
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

/** In the middle: the last characters of base64 may carry bits that nobody reads. */
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
