import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadManifest, shippedPath } from "./manifests.ts";

const above = mkdtempSync(join(tmpdir(), "shipped-file-"));
afterAll(() => rmSync(above, { recursive: true }));

/** A package with a build in it, in a folder that has files of the same names. */
const root = join(above, "package");
for (const folder of [
  join(root, "dist/chunks"),
  join(root, "dist/deploy"),
  join(root, "deploy"),
  join(above, "deploy"),
])
  mkdirSync(folder, { recursive: true });
writeFileSync(join(root, "package.json"), "{}");
for (const path of [
  "package/deploy/both",
  "package/dist/deploy/both",
  "package/deploy/one",
  "deploy/one",
  "deploy/strange",
])
  writeFileSync(join(above, path), "");

describe("a shipped file", () => {
  it.each([
    ["of the package is found from any depth of the build", "deploy/one", "deploy/one"],
    ["of the build is taken before the package's", "deploy/both", "dist/deploy/both"],
    ["that only a stranger above the package has is not taken", "deploy/strange", "deploy/strange"],
  ])("%s", (_sentence, wanted, found) => {
    expect(shippedPath(wanted, join(root, "dist/chunks"))).toBe(join(root, found));
  });

  it("that is missing is named", async () => {
    await expect(loadManifest("deploy/nothing.yaml")).rejects.toMatchObject({
      code: "io-failed",
      message: expect.stringContaining("deploy/nothing.yaml"),
    });
  });

  it("with several documents is a list of objects", async () => {
    const kinds = (await loadManifest("deploy/controller-rbac.yaml")).map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(["ServiceAccount", "ClusterRole", "ClusterRoleBinding"]));
  });
});
