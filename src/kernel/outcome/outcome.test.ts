import { describe, expect, it } from "vitest";
import { allow, assert, Bug, deny, Fault, isFault, noOpinion, wait } from "./index.ts";

describe("Fault", () => {
  it("is retryable by its code unless told otherwise", () => {
    expect(new Fault("unavailable", "no connection").retryable).toBe(true);
    expect(new Fault("forbidden", "not yours").retryable).toBe(false);
    expect(new Fault("unavailable", "no such host", { retryable: false }).retryable).toBe(false);
  });

  it("keeps its cause and safe details", () => {
    const cause = new Fault("timeout", "inner");
    const fault = new Fault("unavailable", "outer", { cause, detail: { host: "127.0.0.1" } });
    expect(fault.cause).toBe(cause);
    expect(fault.detail).toEqual({ host: "127.0.0.1" });
  });

  it("is known by name and code, also when another copy of the module made it", () => {
    const foreign = Object.assign(new Error("from elsewhere"), { name: "Fault", code: "conflict" });
    expect(isFault(foreign, "conflict")).toBe(true);
    expect(isFault(foreign, "timeout")).toBe(false);
    expect(isFault(new Error("plain"))).toBe(false);
    expect(isFault({ name: "Fault", code: "conflict" })).toBe(false);
  });
});

describe("verdicts", () => {
  const said = { rule: "subject-is-a-node", reason: "SubjectIsNotANode", message: "the subject is empty" };

  it("are told apart by kind and all carry rule, reason and message", () => {
    expect([allow(said), deny(said), noOpinion(said), wait(said, 500)]).toEqual([
      { kind: "Allow", ...said },
      { kind: "Deny", ...said },
      { kind: "NoOpinion", ...said },
      { kind: "Wait", ...said, retryAfterMs: 500 },
    ]);
  });
});

describe("assert", () => {
  it("throws a Bug, which no caller takes for a fault", () => {
    expect(() => assert(false, "the queue is empty here")).toThrow(Bug);
    expect(isFault(new Bug("x"))).toBe(false);
    expect(() => assert(true, "fine")).not.toThrow();
  });
});
