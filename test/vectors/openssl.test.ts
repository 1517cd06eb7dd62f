// The same bytes through OpenSSL and through the kernel: certificates and requests that OpenSSL makes are read and
// verified here, those made here are read and verified by OpenSSL, and both say the same about them.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { encodeHex } from "../../src/kernel/bytes/index.ts";
import { encodePem, parsePem } from "../../src/kernel/pem/index.ts";
import {
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  extKeyUsageExtension,
  parseCertificate,
  parseCertificateRequest,
  subjectAltNameExtension,
  validateChain,
  verifyCertificateSignature,
  verifyRequestSignature,
} from "../../src/kernel/x509/index.ts";
import { generatePrivateKey, parsePrivateKey } from "../../src/platform/keys/index.ts";
import { aLeaf, anIntermediate, aRequest, aRoot } from "../builders/x509.ts";
import { notRun } from "../not-run.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const folder = mkdtempSync(join(tmpdir(), "countersign-openssl-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);
const openssl = (...args: readonly string[]) =>
  execFileSync("openssl", args, { cwd: folder, stdio: "pipe" }).toString();

/** How OpenSSL makes each kind of key, with the options of a signature where they are not the default. */
const KEYS: Readonly<Record<string, { readonly make: readonly string[]; readonly sign?: readonly string[] }>> = {
  "rsa-2048": { make: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"] },
  "rsa-pss": {
    make: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
    sign: ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"],
  },
  "p-256": { make: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"] },
  "p-384": { make: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"], sign: ["-sha384"] },
  "p-521": { make: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"], sign: ["-sha512"] },
  ed25519: { make: ["-algorithm", "ED25519"] },
};

const CONFIG = `[req]
distinguished_name = dn
prompt = no
string_mask = utf8only
[dn]
O = system:nodes
CN = system:node:nœud-1
[leaf]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = clientAuth, serverAuth
subjectAltName = DNS:a.example, DNS:*.b.example, IP:10.0.0.1, IP:2001:db8::1, URI:spiffe://c/n, email:a@b.example
1.3.6.1.4.1.11129.2.1.21 = ASN1:UTF8String:provider://1
`;

describe("OpenSSL and the kernel", () => {
  if (notRun("15 comparisons with OpenSSL", hasOpenssl ? undefined : "there is no openssl command")) {
    it.skip("15 comparisons need the openssl command", () => undefined);
    return;
  }
  writeFileSync(at("req.cnf"), CONFIG);

  for (const [kind, { make, sign = [] }] of Object.entries(KEYS)) {
    it(`agree on what OpenSSL makes with ${kind}`, () => {
      openssl("genpkey", ...make, "-out", `${kind}.key`);
      const common = ["-new", "-key", `${kind}.key`, "-config", "req.cnf", "-utf8", ...sign];
      openssl("req", ...common, "-reqexts", "leaf", "-out", `${kind}.csr`);
      openssl("req", ...common, "-x509", "-extensions", "leaf", "-days", "30", "-out", `${kind}.crt`);
      const [request] = parsePem(readFileSync(at(`${kind}.csr`), "utf8")).map(({ bytes }) =>
        parseCertificateRequest(bytes),
      );
      const [certificate] = parsePem(readFileSync(at(`${kind}.crt`), "utf8")).map(({ bytes }) =>
        parseCertificate(bytes),
      );
      if (request === undefined || certificate === undefined) expect.unreachable("OpenSSL wrote no PEM");
      expect(verifyRequestSignature(request)).toBe(true);
      expect(verifyCertificateSignature(certificate, certificate.publicKey)).toBe(true);
      expect(request.publicKey.spki).toEqual(certificate.publicKey.spki);
      for (const { subject, subjectAltNames, keyUsage, extKeyUsage, extensions } of [request, certificate]) {
        expect(subject.commonName).toBe("system:node:nœud-1");
        expect(subject.organizations).toEqual(["system:nodes"]);
        expect(subjectAltNames).toEqual({
          dnsNames: ["a.example", "*.b.example"],
          ipAddresses: ["10.0.0.1", "2001:db8::1"],
          uris: ["spiffe://c/n"],
          emails: ["a@b.example"],
          others: 0,
        });
        expect(keyUsage).toEqual(["digitalSignature", "keyEncipherment"]);
        expect(extKeyUsage).toEqual([EKU_CLIENT_AUTH, EKU_SERVER_AUTH]);
        expect(extensions.map(({ oid }) => oid)).toContain("1.3.6.1.4.1.11129.2.1.21");
      }
      const serial = openssl("x509", "-in", `${kind}.crt`, "-noout", "-serial").trim().slice("serial=".length);
      expect(encodeHex(certificate.serialNumber)).toBe(serial.toLowerCase());
      const end = openssl("x509", "-in", `${kind}.crt`, "-noout", "-enddate").trim().slice("notAfter=".length);
      expect(certificate.notAfterMs).toBe(Date.parse(end));
      const key = parsePrivateKey(readFileSync(at(`${kind}.key`), "utf8"));
      expect(key.signer.publicKey).toEqual(certificate.publicKey.spki);
    });
  }

  for (const kind of ["P-256", "P-384", "RSA-2048", "Ed25519"] as const) {
    it(`agree on a chain made here with ${kind}`, () => {
      const validity = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 };
      const root = aRoot({ key: generatePrivateKey(kind), ...validity });
      const middle = anIntermediate(root, { key: generatePrivateKey(kind), ...validity });
      const names = subjectAltNameExtension({ dnsNames: ["a.example"], ipAddresses: ["2001:db8::1"] });
      const extensions = [names, extKeyUsageExtension([EKU_SERVER_AUTH])];
      const leaf = aLeaf(middle, { key: generatePrivateKey(kind), extensions, ...validity });
      for (const [name, { certificate }] of Object.entries({ root, middle, leaf })) {
        writeFileSync(at(`${name}.pem`), encodePem("CERTIFICATE", certificate.raw));
      }
      const chain = ["-x509_strict", "-CAfile", "root.pem", "-untrusted", "middle.pem", "-purpose", "sslserver"];
      expect(openssl("verify", ...chain, "-verify_hostname", "a.example", "leaf.pem")).toContain("leaf.pem: OK");
      const result = validateChain({
        leaf: leaf.certificate,
        intermediates: [middle.certificate],
        roots: [root.certificate],
        nowMs: Date.now(),
        usage: EKU_SERVER_AUTH,
        dnsName: "a.example",
      });
      expect(result.ok).toBe(true);
      const text = openssl("x509", "-in", "leaf.pem", "-noout", "-ext", "subjectAltName");
      expect(text).toContain("DNS:a.example, IP Address:2001:DB8:0:0:0:0:0:1");
    });

    it(`agree on a request made here with ${kind}`, () => {
      const { request } = aRequest({
        key: generatePrivateKey(kind),
        extensions: [subjectAltNameExtension({ dnsNames: ["a"] })],
      });
      writeFileSync(at("own.csr"), encodePem("CERTIFICATE REQUEST", request.raw));
      const text = openssl("req", "-in", "own.csr", "-noout", "-verify", "-subject", "-text");
      expect(text).toContain("O = system:nodes, CN = system:node:worker-1");
      expect(text).toContain("DNS:a");
    });
  }

  it("agree on keys written here", () => {
    for (const kind of ["P-256", "RSA-2048", "Ed25519"] as const) {
      const key = generatePrivateKey(kind);
      writeFileSync(at("own.key"), key.encodePem(), { mode: 0o600 });
      const pem = openssl("pkey", "-in", "own.key", "-pubout");
      expect(parsePem(pem).map(({ bytes }) => encodeHex(bytes))).toEqual([encodeHex(key.signer.publicKey)]);
    }
  });
});
