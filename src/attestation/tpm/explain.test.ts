import { describe, expect, it } from "vitest";
import { Fault } from "../../kernel/outcome/index.ts";
import { openDeviceTransport } from "../../platform/tpm/device-transport.ts";
import { explainTpm } from "./explain.ts";

const rows: Readonly<Record<string, [Fault, string | undefined]>> = {
  "a device that is not there": [
    new Fault("not-found", "cannot open /dev/tpmrm0", { detail: { errno: "ENOENT" } }),
    "switch the TPM on",
  ],
  "a device that is somebody else's": [
    new Fault("io-failed", "cannot open /dev/tpmrm0", { detail: { errno: "EACCES" } }),
    "run it as root",
  ],
  "a device that is held": [new Fault("io-failed", "x", { detail: { errno: "EBUSY" } }), "another program holds"],
  "failure mode": [new Fault("io-failed", "x", { detail: { responseCode: "101" } }), "off and on"],
  "no room": [new Fault("unavailable", "x", { detail: { responseCode: "902" } }), "/dev/tpmrm0"],
  lockout: [new Fault("unavailable", "x", { detail: { responseCode: "921" } }), "--clear-lockout"],
  "an answer of another kind": [new Fault("unavailable", "x", { detail: { responseCode: "923" } }), "runs; then"],
  silence: [new Fault("timeout", "x"), "stays silent"],
  "a challenge for another TPM, which is no accident": [new Fault("untrusted", "x"), undefined],
  "a stop": [new Fault("aborted", "x"), undefined],
};

describe("what to do about a TPM", () => {
  it.each(Object.entries(rows))("%s", (_, [fault, todo]) => {
    const explained = explainTpm(fault) as Fault;
    expect(explained).toMatchObject({ code: fault.code, message: fault.message, retryable: fault.retryable });
    expect(explained.detail["todo"]).toEqual(todo === undefined ? undefined : expect.stringContaining(todo));
  });

  it("is said once, and of a Fault only", () => {
    const once = explainTpm(new Fault("timeout", "x"));
    expect(explainTpm(once)).toBe(once);
    const bug = new TypeError("x");
    expect(explainTpm(bug)).toBe(bug);
  });

  it("is said of a machine without one", async () => {
    const failure = await openDeviceTransport("/nowhere/tpmrm0").catch(explainTpm);
    expect(failure).toMatchObject({ code: "not-found", detail: { todo: expect.stringContaining("--tpm") } });
  });
});
