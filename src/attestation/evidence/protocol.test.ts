import { describe, expect, it } from "vitest";
import {
  bestCommon,
  encodeProtocol,
  encodeSupportedVersions,
  nextVersion,
  parseSupportedVersions,
} from "./protocol.ts";

const versions = (...numbers: readonly number[]) => numbers.map((version) => ({ provider: "tpm", version }));

/** What comes of it: the version in the end, or none. The node begins with its best. */
function negotiate(node: readonly number[], controller: readonly number[], minVersion = 1): string {
  const offered = versions(...node);
  const supported = versions(...controller);
  const tried = offered.slice(0, 1);
  for (let used = tried[0]; used !== undefined; ) {
    const text = encodeProtocol(used);
    if (supported.some((known) => encodeProtocol(known) === text)) return text;
    used = nextVersion({ offered, supported, tried, minVersion });
    if (used !== undefined) tried.push(used);
  }
  return "NoCommonVersion";
}

describe("version negotiation", () => {
  const rows: readonly (readonly [readonly number[], readonly number[], string])[] = [
    [[1], [1], "tpm/1"],
    [[1], [2, 1], "tpm/1"],
    [[1], [2], "NoCommonVersion"],
    [[2, 1], [1], "tpm/1"],
    [[2, 1], [2, 1], "tpm/2"],
    [[2, 1], [2], "tpm/2"],
    [[2], [1], "NoCommonVersion"],
    [[2], [2, 1], "tpm/2"],
    [[2], [2], "tpm/2"],
  ];
  it.each(rows)("a node of %j and a controller of %j meet in %s", (node, controller, expected) => {
    expect(negotiate(node, controller)).toBe(expected);
  });

  it("never goes below the node's own floor, and tries each version once", () => {
    expect(negotiate([2, 1], [1], 2)).toBe("NoCommonVersion");
    expect(
      nextVersion({ offered: versions(3, 2, 1), supported: versions(3), tried: versions(3), minVersion: 1 }),
    ).toBeUndefined();
  });

  it("shows a machine that was lied to: its list begins with what would have been taken", () => {
    expect(bestCommon(["tpm/2", "tpm/1"], versions(1, 2))).toBe("tpm/2");
    expect(bestCommon(["tpm/3", "tpm/1"], versions(1, 2))).toBe("tpm/1");
    expect(bestCommon(["tpm/3"], versions(1))).toBeUndefined();
  });

  it("reads its annotation strictly", () => {
    expect(encodeSupportedVersions(versions(2, 1))).toBe('["tpm/2","tpm/1"]');
    expect(parseSupportedVersions('["tpm/2","tpm/1"]')).toEqual(versions(2, 1));
    for (const text of ["", "{}", '["tpm"]', "[1]", '[ "tpm/1"]', `["${"a".repeat(1024)}/1"]`])
      expect(() => parseSupportedVersions(text)).toThrow();
  });
});
