import { describe, expect, it } from "vitest";
import { parseCommandLine } from "./command-line.ts";

const NEEDED = [
  ...["--listen", "0.0.0.0:6443", "--backend", "https://10.0.0.1:6444"],
  ...["--tls-cert-file", "crt", "--tls-private-key-file", "key"],
];
const CLIENTS = ["--client-ca-file", "ca", "--proxy-client-cert-file", "c", "--proxy-client-key-file", "k"];

describe("the words of countersign-gateway", () => {
  it("are few where little is asked: no webhook, no client certificates, health on loopback", () => {
    expect(parseCommandLine(NEEDED)).toMatchObject({
      address: { host: "0.0.0.0", port: 6443 },
      backend: { origin: "https://10.0.0.1:6444" },
      files: { serving: { cert: "crt", key: "key" }, clients: undefined, webhookCallers: undefined },
      webhook: undefined,
      health: { host: "127.0.0.1", port: 9446 },
    });
  });

  it("say where all the rest is", () => {
    const more = ["--webhook-listen", "[::1]:9000", "--webhook-client-ca-file", "w", "--status-address", "none"];
    expect(parseCommandLine([...NEEDED, ...CLIENTS, ...more])).toMatchObject({
      files: { clients: { ca: "ca", pair: { cert: "c", key: "k" } }, webhookCallers: "w" },
      webhook: { host: "::1", port: 9000 },
      health: undefined,
    });
    expect(parseCommandLine([...NEEDED, "--identity-headers", "X-Webauth-, X-Groups"])).toMatchObject({
      backend: { identityHeaders: ["x-webauth-", "x-groups"] },
    });
    expect(parseCommandLine(["--help"])).toBe("help");
  });

  it.each<[string, string[], string]>([
    ["nothing", [], "--listen"],
    ["a backend without TLS", [...NEEDED, "--backend", "http://x"], "--backend"],
    ["a backend with a path", [...NEEDED, "--backend", "https://x/y"], "--backend"],
    ["an address without a port", [...NEEDED, "--listen", "localhost"], "--listen"],
    ["a port that is none", [...NEEDED, "--listen", "localhost:70000"], "--listen"],
    [
      "a client CA without a certificate to speak with",
      [...NEEDED, ...CLIENTS.slice(0, 2)],
      "--proxy-client-cert-file",
    ],
    ["a certificate to speak with and nobody to speak for", [...NEEDED, ...CLIENTS.slice(2)], "--client-ca-file"],
    ["a webhook that anybody may ask", [...NEEDED, "--webhook-listen", "x:1"], "--webhook-client-ca-file"],
    ["a header without a name", [...NEEDED, "--identity-headers", "a,,b"], "--identity-headers"],
    ["an unknown level", [...NEEDED, "--log-level", "loud"], "--log-level"],
    ["an unknown flag", [...NEEDED, "--open-everything"], "--open-everything"],
  ])("are refused with %s, naming the flag", (_what, args, flag) => {
    expect(() => parseCommandLine(args)).toThrowError(
      expect.objectContaining({ code: "bad-config", message: expect.stringContaining(flag) }),
    );
  });
});
