import { describe, expect, it } from "vitest";
import { isFault } from "../../kernel/outcome/index.ts";
import { parseEndpoint } from "./endpoint.ts";

describe("an endpoint", () => {
  const accepted: Record<string, [string, string]> = {
    "is a bare host with kubeadm's port": ["cluster.example", "https://cluster.example:6443"],
    "is a host with a port": ["cluster.example:8443", "https://cluster.example:8443"],
    "keeps 443 when it was typed": ["cluster.example:443", "https://cluster.example:443"],
    "is an IPv4 address": ["192.0.2.7", "https://192.0.2.7:6443"],
    "is a bare IPv6 address": ["2001:db8::7", "https://[2001:db8::7]:6443"],
    "is a bare IPv6 address whose last group is 443": ["2001:db8::443", "https://[2001:db8::443]:6443"],
    "is an IPv6 address in brackets": ["[::1]", "https://[::1]:6443"],
    "is an IPv6 address with a port": ["[::1]:7443", "https://[::1]:7443"],
    "is an IPv6 address with the port 443": ["[::1]:443", "https://[::1]:443"],
    "is an https URL": ["https://cluster.example:6443/", "https://cluster.example:6443"],
    "is an https URL with the scheme's port": ["https://cluster.example", "https://cluster.example:443"],
  };
  for (const [sentence, [text, expected]] of Object.entries(accepted)) {
    it(sentence, () => expect(parseEndpoint(text)).toBe(expected));
  }

  const refused: Record<string, [string, string]> = {
    "may not be plain http": ["http://cluster.example:6443", "is not https"],
    "may not carry a user": ["https://me:pw@cluster.example", "more than a host"],
    "may not carry a path": ["https://cluster.example/api", "more than a host"],
    "may not carry a query": ["cluster.example:6443?x=1", "more than a host"],
    "may not be empty": ["", "is not a host"],
    "may not have a port beyond the last": ["cluster.example:70000", "is not a host"],
    "may not be a sentence": ["not a host", "is not a host"],
    "may not be the token by mistake": ["ae23dc.faddc87f5a5ab458", "endpoint is a bootstrap token"],
    "may not be endless": ["a".repeat(301), "longer than"],
  };
  for (const [sentence, [text, message]] of Object.entries(refused)) {
    it(sentence, () => expect(() => parseEndpoint(text)).toThrow(message));
  }

  it("does not repeat a password in its message", () => {
    const thrown = catchFault(() => parseEndpoint("https://me:hunter2@cluster.example"));
    expect(thrown.message).not.toContain("hunter2");
  });
});

function catchFault(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    if (isFault(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
