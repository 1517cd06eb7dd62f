import { describe, expect, it } from "vitest";
import { type Environment, proxyFor } from "./proxy-choice.ts";

const PROXY = "http://proxy.example:3128";

describe("the proxy on the way to an address", () => {
  const rows: Readonly<Record<string, [url: string, env: Environment, through: boolean]>> = {
    "none is named": ["https://api.example:6443", {}, false],
    "one is named": ["https://api.example:6443", {}, true],
    "one is named in lower case": ["https://api.example", { https_proxy: PROXY }, true],
    "this machine, by name": ["https://localhost:6443", {}, false],
    "this machine, by address": ["https://127.0.0.1:6443", {}, false],
    "this machine, by IPv6": ["https://[::1]:6443", {}, false],
    "this machine, by IPv6 at length": ["https://[0:0:0:0:0:0:0:1]:6443", {}, false],
    "this machine, by an address of IPv4 in IPv6": ["https://[::ffff:127.0.0.1]:6443", {}, false],
    "a name that begins like this machine's address": ["https://127.example.com:6443", {}, true],
    "everything is excepted": ["https://api.example", { NO_PROXY: "*" }, false],
    "the name is excepted": ["https://api.example", { NO_PROXY: "other, api.example" }, false],
    "the domain is excepted": ["https://api.example", { NO_PROXY: "example" }, false],
    "what is below the domain is excepted, not itself": ["https://example", { NO_PROXY: ".example" }, true],
    "a name that only ends alike": ["https://badexample", { NO_PROXY: "example" }, true],
    "the port is excepted": ["https://api.example:6443", { NO_PROXY: "api.example:6443" }, false],
    "another port is excepted": ["https://api.example:6443", { NO_PROXY: "api.example:443" }, true],
    "the address is excepted": ["https://10.0.0.1:6443", { no_proxy: "10.0.0.1" }, false],
    "the range is excepted": ["https://10.1.2.3:6443", { NO_PROXY: "10.0.0.0/8" }, false],
    "another range is excepted": ["https://10.1.2.3:6443", { NO_PROXY: "192.168.0.0/16,nonsense/99" }, true],
    "the range of IPv6 is excepted": ["https://[fd00::1]:6443", { NO_PROXY: "fd00::/8" }, false],
    "the address with a port is excepted": ["https://[fd00::1]:6443", { NO_PROXY: "[fd00::1]:6443" }, false],
    "the address is excepted at length": ["https://[fd00::1]", { NO_PROXY: "FD00:0:0:0:0:0:0:0001" }, false],
    "the address is excepted in brackets": ["https://[fd00::1]", { NO_PROXY: "[fd00:0::1]" }, false],
    "the address at length with a port is excepted": ["https://[fd00::1]", { NO_PROXY: "[fd00:0::1]:443" }, false],
    "the address is excepted with its zone": ["https://[fe80::1]", { NO_PROXY: "fe80::1%eth0" }, false],
    "the address is excepted as IPv4": ["https://[::ffff:10.0.0.1]", { NO_PROXY: "10.0.0.1" }, false],
    "another address of IPv6 is excepted": ["https://[fd00::1]", { NO_PROXY: "fd00::2" }, true],
    "the name of an address is no domain": ["https://10.0.0.1", { NO_PROXY: "0.1" }, true],
    "a range says nothing of names": ["https://api.example", { NO_PROXY: "10.0.0.0/8" }, true],
  };
  it.each(Object.entries(rows))("%s", (name, [url, env, through]) => {
    const named = name === "none is named" || env["https_proxy"] !== undefined ? {} : { HTTPS_PROXY: PROXY };
    expect(proxyFor(new URL(url), { ...named, ...env })?.href).toBe(through ? `${PROXY}/` : undefined);
  });

  it("of a kubeconfig goes before the environment's, on the way to every address", () => {
    const env = { HTTPS_PROXY: PROXY, NO_PROXY: "*" };
    for (const url of ["https://a.example", "https://127.0.0.1:6443"]) {
      expect(proxyFor(new URL(url), env, "https://other.example:3128")?.href).toBe("https://other.example:3128/");
    }
    expect(proxyFor(new URL("https://a.example"), { HTTPS_PROXY: PROXY }, "")?.href).toBe(`${PROXY}/`);
    expect(() => proxyFor(new URL("https://a.example"), {}, "socks5://u:secret@p")).toThrow(
      "kubeconfig field proxy-url names a proxy of kind socks5:, expected http or https",
    );
  });

  it("may be named without a scheme", () => {
    expect(proxyFor(new URL("https://a.example"), { HTTPS_PROXY: "proxy:3128" })?.href).toBe("http://proxy:3128/");
  });

  it("in lower case counts where the other says nothing", () => {
    const env = { HTTPS_PROXY: "", https_proxy: PROXY, NO_PROXY: "", no_proxy: "b.example" };
    expect(proxyFor(new URL("https://a.example"), env)?.href).toBe(`${PROXY}/`);
    expect(proxyFor(new URL("https://b.example"), env)).toBeUndefined();
  });

  it.each([
    ["socks5://proxy:1080", "kind socks5:"],
    ["http://user:secret@", "is not the URL of a proxy"],
    ["http://user:secret%zz@proxy:3128", "is not the URL of a proxy"],
    ["http://user%4:1secret@proxy:3128", "is not the URL of a proxy"],
    ["http://user:secret%ff@proxy:3128", "is not the URL of a proxy"],
  ])("%s is refused, without a password in the message", (text, message) => {
    const choose = () => proxyFor(new URL("https://a.example"), { HTTPS_PROXY: text });
    expect(choose).toThrow(message);
    expect(choose).not.toThrow("secret");
  });
});
