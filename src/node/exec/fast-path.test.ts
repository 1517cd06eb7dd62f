// The plugin starts at every credential refresh, so what it loads before it knows that it must ask is counted here: the
// modules in its bundle, what those need of Node, and the doors through which the slow way comes in.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { AUTHENTICATORS, bundlePlugin, pluginEntry, shippedPlugin } from "../../../tools/bundle.mjs";

const DIST = join(fileURLToPath(new URL("../../../", import.meta.url)), "dist");
/** Every kilobyte is read and compiled at each run; today's file has some 30. */
const BUNDLE_MAX_BYTES = 40_000;

const SHIPPED = AUTHENTICATORS.map((name) => ({ name, plugin: shippedPlugin(name, DIST), own: ["src/bin"] }));
const OF_OTHERS = { name: "another provider's plugin", plugin: pluginEntry(DIST), own: [] };

describe.each([...SHIPPED, OF_OTHERS])("the everyday run of $name", ({ plugin, own }) => {
  const bundle = bundlePlugin(plugin, { write: false });
  const output = async () => Object.values((await bundle).outputs)[0];

  it("loads no folder but the plugin's own and what reading a pair takes", async () => {
    const folders = Object.keys((await bundle).inputs).map((path) => path.split("/").slice(0, -1).join("/"));
    expect([...new Set(folders)].sort()).toEqual([
      "src/api/certificates",
      "src/api/clientauth",
      ...own,
      "src/kernel/bytes",
      "src/kernel/der",
      "src/kernel/outcome",
      "src/node/certificates",
      "src/node/exec",
      "src/platform/flags",
      "src/platform/pair",
      "src/platform/process",
    ]);
  });

  it("needs of Node only files and paths, and of packages nothing", async () => {
    const needed = (await output())?.imports.filter(({ kind }) => kind !== "dynamic-import").map(({ path }) => path);
    expect([...new Set(needed)].sort()).toEqual(["node:fs", "node:path"]);
  });

  it("has two doors to the slow way: the request and the provider", async () => {
    const doors = (await output())?.imports.filter(({ kind }) => kind === "dynamic-import").map(({ path }) => path);
    expect(doors?.sort()).toEqual([
      expect.stringMatching(/^(\.\.\/){1,2}attestation\/[a-z]+\/node\.js$/),
      expect.stringMatching(/^(\.|\.\.\/node\/exec)\/obtain\.js$/),
    ]);
  });

  it("is small", async () => expect((await output())?.bytes).toBeLessThan(BUNDLE_MAX_BYTES));
});
