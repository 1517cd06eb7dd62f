import { describe, expect, it } from "vitest";
import { HELP, parseCommandLine } from "./command-line.ts";

const CA = ["--ca-cert", "ca.crt", "--ca-key", "ca.key"];

describe("the command line", () => {
  it("needs a CA and nothing else; the insecure signer is off", () => {
    expect(parseCommandLine(CA)).toEqual({
      kubeconfig: undefined,
      caCert: "ca.crt",
      caKey: "ca.key",
      allowInsecure: false,
      lifetimeMs: undefined,
      logLevel: "info",
    });
  });

  it("takes all its flags", () => {
    const flags = ["--kubeconfig", "k", "--allow-insecure", "--certificate-lifetime", "24h", "--log-level=debug"];
    expect(parseCommandLine([...CA, ...flags])).toMatchObject({
      kubeconfig: "k",
      allowInsecure: true,
      lifetimeMs: 86_400_000,
      logLevel: "debug",
    });
  });

  it.each(["--help", "-h"])("explains itself with %s, every flag of it", (flag) => {
    expect(parseCommandLine([flag])).toBe("help");
    for (const name of ["ca-cert", "ca-key", "kubeconfig", "certificate-lifetime", "allow-insecure", "log-level"]) {
      expect(HELP).toContain(`--${name}`);
    }
  });

  it.each<[string, string[]]>([
    ["no CA", []],
    ["no key", ["--ca-cert", "ca.crt"]],
    ["an unknown flag", [...CA, "--force"]],
    ["a word that belongs to no flag", [...CA, "now"]],
    ["a life that is too short", [...CA, "--certificate-lifetime", "9m"]],
    ["a life without a unit", [...CA, "--certificate-lifetime", "86400"]],
    ["an unknown log level", [...CA, "--log-level", "loud"]],
  ])("refuses %s", (_, args) => {
    expect(() => parseCommandLine(args)).toThrow(expect.objectContaining({ code: "bad-config" }));
  });
});
