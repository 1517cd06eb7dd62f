import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFault } from "../../kernel/outcome/index.ts";
import { encodeExecCredential, parseExecInfo } from "./index.ts";

const PLAIN = '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}}\n';

describe("parseExecInfo", () => {
  it("reads what client-go sends without cluster information", () => {
    expect(parseExecInfo(PLAIN)).toEqual({ apiVersion: "client.authentication.k8s.io/v1", interactive: false });
  });

  it("reads what client-go sends with cluster information, whose config may be null", () => {
    const cluster = { server: "https://127.0.0.1:6443", "certificate-authority-data": "QQ==", config: null };
    const text = JSON.stringify({
      kind: "ExecCredential",
      apiVersion: "client.authentication.k8s.io/v1beta1",
      spec: { cluster, interactive: true },
    });
    expect(parseExecInfo(text)).toEqual({
      apiVersion: "client.authentication.k8s.io/v1beta1",
      interactive: true,
      cluster,
    });
  });

  const refused: Record<string, [string, string]> = {
    "an empty text": ["", "malformed"],
    "a JSON text that is no object": ["[]", "malformed"],
    "a version that no longer exists": [PLAIN.replace("/v1", "/v1alpha1"), "unsupported"],
    "another kind": [PLAIN.replace("ExecCredential", "Secret"), "unsupported"],
  };
  for (const [name, [text, code]] of Object.entries(refused)) {
    it(`refuses ${name}`, () => {
      expect(() => parseExecInfo(text)).toThrowError(expect.objectContaining({ code }));
    });
  }

  it("answers any text with a value or a fault", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          parseExecInfo(text);
        } catch (failure) {
          expect(isFault(failure)).toBe(true);
        }
      }),
    );
  });
});

describe("encodeExecCredential", () => {
  it("answers in the version that was asked, as one JSON document", () => {
    const status = { clientCertificateData: "c", clientKeyData: "k", expirationTimestamp: "2026-01-02T03:04:05Z" };
    const text = encodeExecCredential("client.authentication.k8s.io/v1beta1", status);
    expect(JSON.parse(text)).toEqual({
      kind: "ExecCredential",
      apiVersion: "client.authentication.k8s.io/v1beta1",
      status,
    });
    expect(text).not.toContain("\n");
  });
});
