import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DerReader } from "./reader.ts";
import { TAG } from "./tags.ts";
import { encodeTime, readTimeMs } from "./time.ts";
import { encodeTlv } from "./writer.ts";

function timeElement(tag: number, text: string): DerReader {
  return DerReader.over(encodeTlv(tag, [Uint8Array.from(text, (character) => character.charCodeAt(0))]));
}

describe("certificate times", () => {
  it("reads both forms, each in its years", () => {
    expect(readTimeMs(timeElement(TAG.utcTime, "500101000000Z"))).toBe(Date.UTC(1950, 0, 1));
    expect(readTimeMs(timeElement(TAG.utcTime, "491231235959Z"))).toBe(Date.UTC(2049, 11, 31, 23, 59, 59));
    expect(readTimeMs(timeElement(TAG.utcTime, "240229120000Z"))).toBe(Date.UTC(2024, 1, 29, 12));
    expect(readTimeMs(timeElement(TAG.generalizedTime, "20500101000000Z"))).toBe(Date.UTC(2050, 0, 1));
    expect(readTimeMs(timeElement(TAG.generalizedTime, "99991231235959Z"))).toBe(Date.UTC(9999, 11, 31, 23, 59, 59));
    expect(readTimeMs(timeElement(TAG.generalizedTime, "19491231235959Z"))).toBe(Date.UTC(1949, 11, 31, 23, 59, 59));
  });

  const refused: Readonly<Record<string, readonly [tag: number, text: string]>> = {
    "a UTCTime without seconds": [TAG.utcTime, "2401010000Z"],
    "a UTCTime with an offset": [TAG.utcTime, "240101000000+0000"],
    "a time without Z": [TAG.utcTime, "2401010000000"],
    "a lower-case z": [TAG.utcTime, "240101000000z"],
    "a fraction of a second": [TAG.generalizedTime, "20500101000000.5Z"],
    "a GeneralizedTime of a UTCTime year": [TAG.generalizedTime, "20240101000000Z"],
    "a 30 February": [TAG.utcTime, "240230000000Z"],
    "a month 13": [TAG.utcTime, "241301000000Z"],
    "a day zero": [TAG.utcTime, "240100000000Z"],
    "an hour 24": [TAG.utcTime, "240101240000Z"],
    "a leap second": [TAG.utcTime, "161231235960Z"],
    "a year before 100 that JavaScript would move": [TAG.generalizedTime, "00500101000000Z"],
    "a blank for a digit": [TAG.utcTime, "24 101000000Z"],
    "a sign for a digit": [TAG.utcTime, "+40101000000Z"],
    "another type": [TAG.ia5String, "240101000000Z"],
  };
  for (const [sentence, [tag, text]] of Object.entries(refused)) {
    it(`refuses ${sentence}`, () => expect(() => readTimeMs(timeElement(tag, text))).toThrow(/time|tag/));
  }

  it("returns what it wrote, to the second", () => {
    const ms = fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(9999, 11, 31, 23, 59, 59) });
    fc.assert(
      fc.property(ms, (time) => {
        expect(readTimeMs(DerReader.over(encodeTime(time)))).toBe(Math.floor(time / 1000) * 1000);
      }),
    );
  });

  it("refuses to write what no certificate can say", () => {
    for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, Date.UTC(10000, 0, 1)]) {
      expect(() => encodeTime(ms)).toThrow("years 0 to 9999");
    }
  });
});
