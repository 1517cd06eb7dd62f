import { describe, expect, it } from "vitest";
import { parseHex } from "../../kernel/bytes/index.ts";
import { requestName } from "./template.ts";

// P-256 with the private scalar 1; the name was computed with Go's crypto/sha512 from kubelet's rule.
const publicKey = parseHex(
  "3059301306072a8648ce3d020106082a8648ce3d03010703420004" +
    "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296" +
    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
);
const worker = {
  publicKey,
  commonName: "system:node:worker-1",
  organizations: ["system:nodes"],
  usages: ["digital signature", "client auth"],
};

describe("the name of a request", () => {
  it("is kubelet's digest", () => {
    expect(requestName(worker)).toBe("node-csr-f4R0YRl_U3QrcidCKu6DB_0fEK2nbzYjWc2jEvcgHI4");
  });

  const others = {
    "another node": { ...worker, commonName: "system:node:worker-2" },
    "another key": { ...worker, publicKey: publicKey.slice(1) },
    "another usage": { ...worker, usages: [...worker.usages, "key encipherment"] },
    "other names to serve under": { ...worker, names: ["192.0.2.1"] },
    "the same letters cut elsewhere": { ...worker, organizations: ["system:", "nodes"] },
  };
  for (const [sentence, identity] of Object.entries(others)) {
    it(`is another for ${sentence}`, () => expect(requestName(identity)).not.toBe(requestName(worker)));
  }
});
