import { describe, expect, it } from "vitest";
import { aLeaf, aRoot, TEST_NOW_MS } from "../../../test/builders/x509.ts";
import type { Secret } from "../../api/core/index.ts";
import type { Fault } from "../../kernel/outcome/index.ts";
import { EKU_CLIENT_AUTH, extKeyUsageExtension } from "../../kernel/x509/index.ts";
import { createBootstrapTokenAuthenticator } from "./bootstrap-token.ts";
import { createClientCertificateAuthenticator } from "./client-certificate.ts";
import { identify } from "./stage.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const TOKEN = "abcdef.0123456789abcdef";

function tokenUser(changed: Record<string, string>, more: Partial<Secret> = {}) {
  const values = {
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-authentication": "true",
    ...changed,
  };
  const secret: Secret = {
    kind: "Secret",
    apiVersion: "v1",
    metadata: { name: "bootstrap-token-abcdef" },
    type: "bootstrap.kubernetes.io/token",
    data: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, base64(value)])),
    ...more,
  };
  const authenticator = createBootstrapTokenAuthenticator({ getSecret: () => secret });
  return authenticator.authenticate({ peerCertificates: [], bearerToken: TOKEN }, TEST_NOW_MS);
}

describe("a bootstrap token", () => {
  it("makes a user whose groups are sorted and without repetition", () => {
    const groups = "system:bootstrappers:z,system:bootstrappers:a,system:bootstrappers:z";
    expect(tokenUser({ "auth-extra-groups": groups })).toEqual({
      kind: "user",
      user: {
        username: "system:bootstrap:abcdef",
        groups: ["system:bootstrappers", "system:bootstrappers:a", "system:bootstrappers:z"],
      },
    });
  });

  const refused: Record<string, [Record<string, string>, Partial<Secret>?]> = {
    "is over at its expiration": [{ expiration: new Date(TEST_NOW_MS).toISOString() }],
    "with a time that cannot be read is over": [{ expiration: "tomorrow" }],
    "needs the usage": [{ "usage-bootstrap-authentication": "True" }],
    "needs the id inside to fit": [{ "token-id": "fedcba" }],
    "with one bad group is refused whole": [{ "auth-extra-groups": "system:bootstrappers:a,system:masters" }],
    "with a group that ends in a colon is refused": [{ "auth-extra-groups": "system:bootstrappers:a:" }],
    "of another type of Secret is refused": [{}, { type: "Opaque" }],
    "whose Secret is being deleted is refused": [{}, { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }],
    "without data is refused": [{}, { data: {} }],
  };
  it.each(Object.entries(refused))("%s", (_name, [changed, more]) => {
    expect(tokenUser(changed, more)).toEqual({ kind: "none" });
  });
});

describe("a client certificate", () => {
  const root = aRoot();
  const authenticator = createClientCertificateAuthenticator({ roots: () => [root.certificate] });
  const leaf = aLeaf(root, { subject: { commonName: "jane" }, extensions: [extKeyUsageExtension([EKU_CLIENT_AUTH])] });
  const credentials = { peerCertificates: [leaf.certificate.raw], bearerToken: undefined };

  it("shows which credential it was", () => {
    const user = identify(credentials, [authenticator], TEST_NOW_MS);
    expect(user.username).toBe("jane");
    expect(user.groups.at(-1)).toBe("system:authenticated");
    expect(user.extra?.["authentication.kubernetes.io/credential-id"]).toEqual([
      expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/),
    ]);
  });

  it("is refused with 401 when it is bad, and the caller is not anonymous", () => {
    const stranger = aLeaf(aRoot(), { subject: { commonName: "jane" } });
    const shown = { peerCertificates: [stranger.certificate.raw], bearerToken: undefined };
    expect(() => identify(shown, [authenticator], TEST_NOW_MS)).toThrow(
      expect.objectContaining({ code: "unauthorized" }) as Fault,
    );
  });
});

describe("without a user", () => {
  it("no credential is anonymous", () => {
    expect(identify({ peerCertificates: [], bearerToken: undefined }, [], TEST_NOW_MS)).toEqual({
      username: "system:anonymous",
      groups: ["system:unauthenticated"],
    });
  });

  it("a token that no authenticator knows is 401", () => {
    expect(() => identify({ peerCertificates: [], bearerToken: "x" }, [], TEST_NOW_MS)).toThrow(
      expect.objectContaining({ code: "unauthorized" }) as Fault,
    );
  });
});
