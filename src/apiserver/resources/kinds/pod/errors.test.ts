import { describe, expect, it } from "vitest";
import { describeError } from "../../field-error.ts";
import { podErrors } from "./errors.ts";

const errorsOf = (spec: object, ...names: readonly string[]) => {
  const sysctls = names.map((name) => ({ name, value: "1" }));
  const container = { name: "c", image: "i", imagePullPolicy: "Always", terminationMessagePolicy: "File" };
  const whole = { containers: [container], restartPolicy: "Always", dnsPolicy: "Default", serviceAccountName: "s" };
  const pod = {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {},
    spec: { ...whole, ...spec, securityContext: { sysctls } },
  };
  return podErrors(pod).map((error) => `${error.field}: ${describeError(error)}`);
};

describe("the sysctls of a pod", () => {
  it("may be what the kernel can have", () => {
    expect(errorsOf({}, "kernel.shm_rmid_forced", "net/ipv4/ip_local_port_range", "kernel.msgmax")).toEqual([]);
  });

  it("with impossible names are refused, each with its place", () => {
    const [first = "", ...others] = errorsOf({}, "foo-", "kernel.shmmax", "bar..", "kernel.shmmax", "");
    expect(first).toMatch(/^spec\.securityContext\.sysctls\[0\]\.name: Invalid value: "foo-": must have at most 253/);
    expect(others).toEqual([
      expect.stringContaining("[2].name: Invalid value"),
      expect.stringContaining("[3].name: Duplicate value"),
      expect.stringContaining("[4].name: Required value"),
    ]);
  });

  it("are not the host's", () => {
    expect(errorsOf({ hostNetwork: true }, "net.ipv4.x")[0]).toContain("when 'hostNetwork' is true");
    expect(errorsOf({ hostIPC: true }, "kernel/sem")[0]).toContain("when 'hostIPC' is true");
    expect(errorsOf({ hostIPC: true }, "net.ipv4.x")).toEqual([]);
  });
});
