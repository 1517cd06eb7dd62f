import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as api from "../src/api/countersign/index.ts";
import { encodeDefinitions } from "./crds.mjs";

const FOLDER = new URL("../deploy/crds/", import.meta.url);

it("deploy/crds is what the declarations of src/api/countersign give; npm run crds writes it", () => {
  const written = readdirSync(FOLDER).map((name) => [name, readFileSync(new URL(name, FOLDER), "utf8")]);
  expect(Object.fromEntries(written)).toEqual(encodeDefinitions(api));
});
