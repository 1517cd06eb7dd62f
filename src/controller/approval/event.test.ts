import { expect, it } from "vitest";
import { aCsr, named } from "../../../test/builders/csr.ts";
import { START_MS } from "../../../test/fakes/clock.ts";
import { deny } from "../../kernel/outcome/index.ts";
import { buildEvent } from "./event.ts";

const refusal = deny({ rule: "subject-is-a-node", reason: "CommonNameIsNotANode", message: "subject is odd" });
const options = { nowMs: START_MS, instance: "replica-a" };

it("names the request, the rule and the reason, in the namespace that takes Events about it", () => {
  const csr = aCsr();
  expect(buildEvent(csr, refusal, options)).toMatchObject({
    metadata: { namespace: "default" },
    involvedObject: { kind: "CertificateSigningRequest", name: csr.metadata.name, uid: csr.metadata.uid },
    reason: "CommonNameIsNotANode",
    message: "subject-is-a-node: subject is odd",
    type: "Warning",
    firstTimestamp: "2026-01-01T00:00:00Z",
  });
});

it("has a name made of what it says: the same words meet the same Event, others another", () => {
  const csr = aCsr(named("system:node:a b_C"));
  const nameOf = (...args: Parameters<typeof buildEvent>) => buildEvent(...args).metadata.name;
  const name = nameOf(csr, refusal, options);
  expect(name).toMatch(/^[a-z0-9.-]+$/);
  expect(nameOf(csr, refusal, { ...options, nowMs: START_MS + 5_000 })).toBe(name);
  expect(nameOf(csr, { ...refusal, message: "other" }, options)).not.toBe(name);
  expect(nameOf(aCsr(), refusal, options)).not.toBe(name);
});
