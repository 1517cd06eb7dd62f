import { describe, expect, it } from "vitest";
import { START_MS } from "../../../test/fakes/clock.ts";
import type { Secret } from "../../api/core/index.ts";
import { encodeBase64, encodeUtf8, parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { buildTokenSecret, isExpired, readTokenSecret } from "./token-secret.ts";

const token = { id: "7f3a9c", secret: "0123456789abcdef" };
const options = { nowMs: START_MS, ttlMs: 900_000 };

function withValue(key: string, value: string | undefined): Secret {
  const secret = buildTokenSecret(token, options);
  const { [key]: _, ...rest } = secret.data ?? {};
  return { ...secret, data: value === undefined ? rest : { ...rest, [key]: encodeBase64(encodeUtf8(value)) } };
}

describe("the Secret of a token", () => {
  it("is what kubeadm writes", () => {
    const { metadata, type, data = {} } = buildTokenSecret(token, { ...options, description: "for worker-3" });
    expect({ metadata, type }).toEqual({
      metadata: { namespace: "kube-system", name: "bootstrap-token-7f3a9c" },
      type: "bootstrap.kubernetes.io/token",
    });
    expect(Object.fromEntries(Object.entries(data).map(([key, text]) => [key, parseUtf8(parseBase64(text))]))).toEqual({
      "token-id": "7f3a9c",
      "token-secret": "0123456789abcdef",
      expiration: "2026-01-01T00:15:00Z",
      description: "for worker-3",
      "auth-extra-groups": "system:bootstrappers:kubeadm:default-node-token",
      "usage-bootstrap-authentication": "true",
      "usage-bootstrap-signing": "true",
    });
  });

  it("has no end without a time to live", () => {
    expect(buildTokenSecret(token, { nowMs: START_MS }).data).not.toHaveProperty("expiration");
  });

  it("is not made for a group outside of system:bootstrappers: the API server would refuse the whole token", () => {
    expect(() => buildTokenSecret(token, { ...options, groups: ["system:masters"] })).toThrow(/system:masters/);
  });

  it("is read back with all it allows", () => {
    expect(readTokenSecret(buildTokenSecret(token, options))).toEqual({
      ...token,
      expiresMs: START_MS + 900_000,
      description: "",
      maySign: true,
      mayAuthenticate: true,
      groups: ["system:bootstrappers", "system:bootstrappers:kubeadm:default-node-token"],
    });
    expect(readTokenSecret(withValue("expiration", undefined))).toMatchObject({ expiresMs: undefined });
  });

  it("allows only what says exactly true, and no login with a foreign group", () => {
    expect(readTokenSecret(withValue("usage-bootstrap-signing", "yes"))).toMatchObject({ maySign: false });
    expect(readTokenSecret(withValue("usage-bootstrap-authentication", undefined))).toMatchObject({
      mayAuthenticate: false,
    });
    expect(readTokenSecret(withValue("auth-extra-groups", "system:masters"))).toMatchObject({ groups: undefined });
  });

  it("ends at its end, not after it", () => {
    const stored = readTokenSecret(buildTokenSecret(token, options));
    expect(stored !== undefined && [START_MS + 899_999, START_MS + 900_000].map((ms) => isExpired(stored, ms))).toEqual(
      [false, true],
    );
  });

  it("has expired long ago when its end cannot be read", () => {
    expect(readTokenSecret(withValue("expiration", "tomorrow"))).toMatchObject({ expiresMs: 0 });
  });

  it.each<[string, Secret]>([
    ["its id is not the one in its name", withValue("token-id", "aaaaaa")],
    ["it has no id", withValue("token-id", undefined)],
    ["it has no secret", withValue("token-secret", undefined)],
    ["its secret is empty", withValue("token-secret", "")],
    ["it is of another type", { ...buildTokenSecret(token, options), type: "Opaque" }],
    ["its values are not base64", { ...buildTokenSecret(token, options), data: { "token-id": "%" } }],
    [
      "it is being deleted",
      {
        ...buildTokenSecret(token, options),
        metadata: { name: "bootstrap-token-7f3a9c", deletionTimestamp: "2026-01-01T00:00:00Z" },
      },
    ],
  ])("is no token when %s", (_, secret) => {
    expect(readTokenSecret(secret)).toBeUndefined();
  });
});
