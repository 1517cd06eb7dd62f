import { describe, expect, it } from "vitest";
import { aCsr, type CsrModifier, withSan, withSigner, withSubject, withUsages } from "../../../test/builders/csr.ts";
import { API_CLIENT_SIGNER, KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER } from "../../api/certificates/index.ts";
import { readRequest } from "../judging/reading.ts";
import { violationOf } from "./kubernetes-rules.ts";

function violation(...modifiers: readonly CsrModifier[]): string | undefined {
  const { spec } = aCsr(...modifiers);
  const reading = readRequest(spec.request);
  if (reading.kind !== "Readable") throw new TypeError("the builder made an unreadable request");
  return violationOf(spec.signerName, { request: reading.request, usages: spec.usages });
}

const client = withSigner(KUBELET_CLIENT_SIGNER);
const serving = [withSigner(KUBELET_SERVING_SIGNER), withUsages("digital signature", "server auth")];
const person = [withSigner(API_CLIENT_SIGNER), withSubject({ commonName: "jane", organizations: ["ops"] })];
const nobody = withSubject({ commonName: "jane", organizations: ["system:nodes"] });
const foreign = withSubject({ commonName: "system:node:a", organizations: ["system:masters"] });

const REFUSED: Record<string, [CsrModifier[], string]> = {
  "a client of another organization": [[client, foreign], "subject organization is not system:nodes"],
  "a client with a DNS name": [[client, withSan({ dnsNames: ["x"] })], "DNS subjectAltNames are not allowed"],
  "a client with an address": [[client, withSan({ ipAddresses: ["10.0.0.1"] })], "IP subjectAltNames are not allowed"],
  "a client with a mail address": [
    [client, withSan({ emails: ["a@b.example"] })],
    "Email subjectAltNames are not allowed",
  ],
  "a client with a URI": [[client, withSan({ uris: ["spiffe://a"] })], "URI subjectAltNames are not allowed"],
  "a client that is no node": [[client, nobody], "subject common name does not begin with system:node:"],
  "a client with other usages": [
    [client, withUsages("digital signature", "server auth")],
    "usages did not match [client auth digital signature key encipherment]",
  ],
  "a server without names": [serving, "DNS or IP subjectAltName is required"],
  "a server with a URI": [
    [...serving, withSan({ dnsNames: ["x"], uris: ["spiffe://a"] })],
    "URI subjectAltNames are not allowed",
  ],
  "a server with usages of a client": [
    [withSigner(KUBELET_SERVING_SIGNER), withSan({ dnsNames: ["x"] })],
    "usages did not match [digital signature key encipherment server auth]",
  ],
  "a person with the usage of a server": [
    [...person, withUsages("client auth", "server auth")],
    "invalid usage for client certificate: server auth",
  ],
  "a person without the usage of a client": [
    [...person, withUsages("digital signature")],
    "missing required usage for client certificate: client auth",
  ],
};

const ALLOWED: Record<string, CsrModifier[]> = {
  "a kubelet's client": [client],
  "a kubelet's client with an RSA key": [client, withUsages("digital signature", "key encipherment", "client auth")],
  "a kubelet's server": [...serving, withSan({ ipAddresses: ["10.0.0.1"] })],
  "a person": [...person, withUsages("client auth")],
  "whatever a signer of ours is asked for": [withSigner("example.com/x"), foreign],
};

describe("kube-controller-manager's demands", () => {
  it.each(Object.entries(REFUSED))("refuse %s, in its words", (_, [modifiers, message]) => {
    expect(violation(...modifiers)).toBe(message);
  });
  it.each(Object.entries(ALLOWED))("allow %s", (_, modifiers) => {
    expect(violation(...modifiers)).toBeUndefined();
  });
});
