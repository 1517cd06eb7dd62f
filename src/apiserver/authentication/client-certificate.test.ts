import { describe, expect, it } from "vitest";
import { aLeaf, aRoot } from "../../../test/builders/x509.ts";
import { createClientCertificateAuthenticator } from "./client-certificate.ts";

const root = aRoot();
const stranger = aRoot();
const leaf = aLeaf(root);
const { raw, notBeforeMs, notAfterMs } = leaf.certificate;

function setUp() {
  let roots = [root.certificate];
  const authenticator = createClientCertificateAuthenticator({ roots: () => roots });
  const connection = { peerCertificates: [raw], bearerToken: undefined };
  return {
    at: (nowMs: number) => authenticator.authenticate(connection, nowMs),
    use: (next: typeof roots) => {
      roots = next;
    },
  };
}

describe("what a chain means, remembered with its connection", () => {
  it("is the very same for the next request", () => {
    const { at } = setUp();
    const first = at(notBeforeMs + 1);
    expect(first.kind).toBe("user");
    expect(at(notBeforeMs + 2)).toBe(first);
  });

  it("ends with the certificate", () => {
    const { at } = setUp();
    expect(at(notAfterMs - 1_000).kind).toBe("user");
    expect(at(notAfterMs + 1_000).kind).toBe("refused");
  });

  it("ends with the CA bundle, and comes back with it", () => {
    const { at, use } = setUp();
    expect(at(notBeforeMs + 1).kind).toBe("user");
    use([stranger.certificate]);
    expect(at(notBeforeMs + 1).kind).toBe("refused");
    use([root.certificate]);
    expect(at(notBeforeMs + 1).kind).toBe("user");
  });

  it("is not believed before the certificate begins, even when the clock is set back", () => {
    const { at } = setUp();
    expect(at(notBeforeMs + 1).kind).toBe("user");
    expect(at(notBeforeMs - 3_600_000).kind).toBe("refused");
  });
});
