import { signDiscoveryJwt } from "../../src/api/bootstrap/index.ts";
import type { Secret } from "../../src/api/core/index.ts";
import {
  createBootstrapTokenAuthenticator,
  createDiscoveryJwtAuthenticator,
} from "../../src/apiserver/authentication/bootstrap-token.ts";
import { createClientCertificateAuthenticator } from "../../src/apiserver/authentication/client-certificate.ts";
import { createServiceAccountAuthenticator } from "../../src/apiserver/authentication/service-account/authenticator.ts";
import { createTokenKeys } from "../../src/apiserver/authentication/service-account/issuer.ts";
import { createTokenFileAuthenticator } from "../../src/apiserver/authentication/token-file.ts";
import type { JwtClaims } from "../../src/kernel/jose/index.ts";
import { EKU_CLIENT_AUTH, EKU_SERVER_AUTH, extKeyUsageExtension } from "../../src/kernel/x509/index.ts";
import { generatePrivateKey } from "../../src/platform/keys/index.ts";
import { aLeaf, anIntermediate, aRoot, type Holder, TEST_NOW_MS } from "../builders/x509.ts";
import { describeAuthenticator } from "./authenticator.ts";

const DAY_MS = 86_400_000;

describeAuthenticator("client certificate", () => {
  const root = aRoot();
  const middle = anIntermediate(root);
  const client = { extensions: [extKeyUsageExtension([EKU_CLIENT_AUTH])] };
  const leaf = aLeaf(middle, { ...client, subject: { commonName: "system:node:n1" } });
  const shown = (...holders: readonly Holder[]) => ({
    peerCertificates: holders.map((holder) => holder.certificate.raw),
    bearerToken: undefined,
  });
  return {
    authenticator: createClientCertificateAuthenticator({ roots: () => [root.certificate] }),
    nowMs: TEST_NOW_MS,
    good: shown(leaf, middle),
    username: "system:node:n1",
    bad: {
      "a leaf without the intermediate that signed it": shown(leaf),
      "a leaf of another CA": shown(aLeaf(aRoot(), { ...client, subject: { commonName: "x" } })),
      "a CA of the same name and another key": shown(aLeaf(aRoot(), { ...client, subject: { commonName: "x" } }), root),
      "an expired leaf": shown(
        aLeaf(root, { ...client, subject: { commonName: "x" }, notAfterMs: TEST_NOW_MS - DAY_MS }),
      ),
      "a leaf that is not valid yet": shown(
        aLeaf(root, { ...client, subject: { commonName: "x" }, notBeforeMs: TEST_NOW_MS + DAY_MS }),
      ),
      "a serving certificate": shown(
        aLeaf(root, { subject: { commonName: "x" }, extensions: [extKeyUsageExtension([EKU_SERVER_AUTH])] }),
      ),
    },
  };
});

const base64 = (text: string) => Buffer.from(text).toString("base64");

function aTokenSecret(changed: Readonly<Record<string, string | undefined>> = {}, more: Partial<Secret> = {}): Secret {
  const values: Readonly<Record<string, string | undefined>> = {
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-authentication": "true",
    "auth-extra-groups": "system:bootstrappers:workers",
    ...changed,
  };
  const present = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    kind: "Secret",
    apiVersion: "v1",
    metadata: { name: "bootstrap-token-abcdef", namespace: "kube-system" },
    type: "bootstrap.kubernetes.io/token",
    data: Object.fromEntries(present.map(([key, value]) => [key, base64(value)])),
    ...more,
  };
}

function aTokenSubject(secret: Secret) {
  const shown = (bearerToken: string) => ({ peerCertificates: [], bearerToken });
  return {
    authenticator: createBootstrapTokenAuthenticator({
      getSecret: (name) => (name === "bootstrap-token-abcdef" ? secret : undefined),
    }),
    nowMs: TEST_NOW_MS,
    good: shown("abcdef.0123456789abcdef"),
    username: "system:bootstrap:abcdef",
    bad: {
      "a wrong secret": shown("abcdef.0123456789abcdeg"),
      "an unknown id": shown("fedcba.0123456789abcdef"),
      "a token that is too short": shown("abcdef.0123456789abcde"),
      "a token with upper case": shown("ABCDEF.0123456789abcdef"),
      "a token with something after it": shown("abcdef.0123456789abcdef\n"),
    },
  };
}

describeAuthenticator("bootstrap token", () => aTokenSubject(aTokenSecret()));
describeAuthenticator("bootstrap token with an end in the future", () =>
  aTokenSubject(aTokenSecret({ expiration: new Date(TEST_NOW_MS + 1000).toISOString() })),
);

describeAuthenticator("static token", () => ({
  authenticator: createTokenFileAuthenticator('s3cret,alice,u1,"dev,ops"\n'),
  nowMs: TEST_NOW_MS,
  good: { peerCertificates: [], bearerToken: "s3cret" },
  username: "alice",
  bad: {
    "a token that is shorter": { peerCertificates: [], bearerToken: "s3cre" },
    "a token in other case": { peerCertificates: [], bearerToken: "S3CRET" },
    "the digest of the token": {
      peerCertificates: [],
      bearerToken: "1ec1c26b50d5d3c58d9583181af8076655fe00756bf7285940ba3670f99fcba0",
    },
  },
}));

describeAuthenticator("service account token", () => {
  const issuer = "https://cluster.example";
  const keys = createTokenKeys({ signingKeyPem: generatePrivateKey("P-256").encodePem() });
  const shown = (claims: JwtClaims) => ({ peerCertificates: [], bearerToken: keys.sign(claims) });
  const seconds = Math.floor(TEST_NOW_MS / 1000);
  const good: JwtClaims = {
    iss: issuer,
    sub: "system:serviceaccount:team:robot",
    aud: [issuer],
    iat: seconds,
    nbf: seconds,
    exp: seconds + 600,
    jti: "1",
    "kubernetes.io": { namespace: "team", serviceaccount: { name: "robot", uid: "u1" } },
  };
  const account = {
    kind: "ServiceAccount",
    apiVersion: "v1",
    metadata: { name: "robot", namespace: "team", uid: "u1" },
  };
  return {
    authenticator: createServiceAccountAuthenticator({
      keys,
      issuers: [issuer],
      audiences: [issuer],
      get: (_resource, { namespace, name }) => (namespace === "team" && name === "robot" ? account : undefined),
    }),
    nowMs: TEST_NOW_MS,
    good: shown(good),
    username: "system:serviceaccount:team:robot",
    bad: {
      "an expired token": shown({ ...good, exp: seconds - 61 }),
      "a token of another issuer": shown({ ...good, iss: "https://other.example" }),
      "a token for others": shown({ ...good, aud: ["vault"] }),
      "a token of a successor": shown({
        ...good,
        "kubernetes.io": { namespace: "team", serviceaccount: { name: "robot", uid: "u2" } },
      }),
    },
  };
});

describeAuthenticator("discovery JWT", () => {
  const token = { id: "abcdef", secret: "0123456789abcdef" };
  const shown = (made: typeof token, nowMs = TEST_NOW_MS, audience?: string) => ({
    peerCertificates: [],
    bearerToken: signDiscoveryJwt(made, { nowMs, audience }),
  });
  return {
    authenticator: createDiscoveryJwtAuthenticator({
      sources: [() => undefined, (id) => (id === token.id ? token.secret : undefined)],
      clusterId: "this-cluster",
    }),
    nowMs: TEST_NOW_MS,
    good: shown(token, TEST_NOW_MS, "this-cluster"),
    username: "countersign:discovery:abcdef",
    bad: {
      "a JWT of another secret": shown({ ...token, secret: "fedcba9876543210" }),
      "a JWT of an unknown token": shown({ ...token, id: "fedcba" }),
      "a JWT that has expired": shown(token, TEST_NOW_MS - 75_000),
      "a JWT from the future": shown(token, TEST_NOW_MS + 75_000),
      "a JWT for another cluster": shown(token, TEST_NOW_MS, "another"),
      "the token itself": { peerCertificates: [], bearerToken: `${token.id}.${token.secret}` },
    },
  };
});
