import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { JOIN_POLICIES, NODE_IDENTITIES } from "../src/api/countersign/index.ts";
import { JOIN_POLICY_SPEC, JOIN_POLICY_STATUS } from "../src/api/countersign/join-policy.ts";
import { NODE_IDENTITY_SPEC, NODE_IDENTITY_STATUS } from "../src/api/countersign/node-identity.ts";
import { encodeDefinitions } from "./crds.mjs";

const FOLDER = new URL("../deploy/crds/", import.meta.url);

it("deploy/crds is what the declarations of src/api/countersign give; npm run crds writes it", () => {
  const written = readdirSync(FOLDER).map((name) => [name, readFileSync(new URL(name, FOLDER), "utf8")]);
  const declared = encodeDefinitions([
    { resource: JOIN_POLICIES, spec: JOIN_POLICY_SPEC, status: JOIN_POLICY_STATUS },
    { resource: NODE_IDENTITIES, spec: NODE_IDENTITY_SPEC, status: NODE_IDENTITY_STATUS },
  ]);
  expect(Object.fromEntries(written)).toEqual(declared);
});
