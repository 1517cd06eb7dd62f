import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { checkLock } from "./check-lock.mjs";

const integrity = `sha512-${"A".repeat(86)}==`;

it("the lock file holds every package to its hash, those of other platforms too", () => {
  const lock = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"));
  expect(Object.keys(lock.packages).length).toBeGreaterThan(100);
  expect(checkLock(lock)).toEqual([]);
});

it.each([
  ["no hash", { version: "1.0.0" }],
  ["a weak hash", { version: "1.0.0", integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" }],
  ["an address", { version: "1.0.0", integrity, resolved: "https://registry.example/a.tgz" }],
  ["no hash, but an optional place", { version: "1.0.0", optional: true }],
])("an entry with %s is found", (_, entry) => {
  expect(checkLock({ packages: { "": {}, "node_modules/a": entry } })).toHaveLength(1);
  expect(checkLock({ packages: { "node_modules/b/node_modules/a": entry } })).toHaveLength(1);
});

it("the project, its members and their links have none", () => {
  const link = { resolved: "sdk", link: true };
  expect(checkLock({ packages: { "": {}, sdk: { version: "0.1.0" }, "node_modules/@countersign/sdk": link } })).toEqual(
    [],
  );
});
