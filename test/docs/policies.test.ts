import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { readPolicy } from "../../src/controller/index.ts";

const folder = new URL("../../deploy/policies/", import.meta.url);
const files = await readdir(folder);

it.each(files)("deploy/policies/%s can be read, and begins in Shadow", async (file) => {
  const policy = readPolicy(parse(await readFile(new URL(file, folder), "utf8")));
  expect(policy.mode).toBe("Shadow");
});
