// Certificate requests that no kubelet sends, properly signed by whoever sends them, on the way through the whole of
// approval: fuzzed DER, several subjects, duplicate extensions, giant lists of names, odd encodings, NUL in names,
// homographs, mixed PEM blocks. Each is refused or left with a reason; none is approved; none makes the handler throw,
// which would be a crash loop.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CertificateSigningRequest,
  findCondition,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  SERVING_USAGES,
  VERDICT_ANNOTATION,
} from "../../src/api/certificates/index.ts";
import { createClaims } from "../../src/controller/judging/claims.ts";
import { createPending } from "../../src/controller/judging/pending.ts";
import { createPlainJudge } from "../../src/controller/judging/plain.ts";
import { parseVerdict } from "../../src/controller/judging/record.ts";
import { encodeBase64, encodeUtf8, parseBase64, parseUtf8 } from "../../src/kernel/bytes/index.ts";
import { encodeOid, encodeSequence, encodeSetOf, encodeTlv, TAG } from "../../src/kernel/der/index.ts";
import { encodePem, parsePem } from "../../src/kernel/pem/index.ts";
import {
  basicConstraintsExtension,
  type Extension,
  keyUsageExtension,
  subjectAltNameExtension,
} from "../../src/kernel/x509/index.ts";
import { generatePrivateKey } from "../../src/platform/keys/index.ts";
import { silentLog } from "../../src/platform/report/index.ts";
import {
  aCsr,
  aNode,
  type CsrModifier,
  forNode,
  from,
  withExtension,
  withKey,
  withSan,
  withSigner,
  withSubject,
  withUsages,
  wrapped,
} from "../builders/csr.ts";
import { aRecordingClient } from "../builders/csr-client.ts";
import { aPolicy } from "../builders/csr-facts.ts";
import { kubeadmAccess, noIdentities, noNetwork, surroundingsOf } from "../builders/surroundings.ts";
import { createManualClock } from "../fakes/clock.ts";
import { runs, spoiled } from "./fuzz.ts";

const key = generatePrivateKey("P-256");
const never = new AbortController().signal;

/** What becomes of one request: the object as it was written last, if it was. */
async function judge(
  csr: CertificateSigningRequest,
  policy?: ReturnType<typeof aPolicy>,
): Promise<CertificateSigningRequest | undefined> {
  const client = aRecordingClient({ update: (object) => object, patch: () => csr });
  const approval = createPlainJudge({
    client,
    claims: createClaims(),
    clock: createManualClock(),
    log: silentLog,
    replica: "fuzz",
    servedSigners: [KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER],
    access: kubeadmAccess(),
    surroundings: surroundingsOf(policy === undefined ? {} : { policy }),
    network: noNetwork,
    seeIdentity: noIdentities,
    pending: createPending(),
    hasSynced: () => true,
    getCsr: () => csr,
  });
  await approval.handle(csr.metadata.name ?? "", never);
  return client.written.find(({ verb }) => verb === "update")?.body as CertificateSigningRequest | undefined;
}

async function expectRefused(csr: CertificateSigningRequest, policy?: ReturnType<typeof aPolicy>): Promise<void> {
  const written = await judge(csr, policy);
  expect(written).toBeDefined();
  if (written === undefined) return;
  expect(findCondition(written, "Approved")).toBeUndefined();
  const verdict = parseVerdict(written.metadata.annotations?.[VERDICT_ANNOTATION] ?? "");
  expect(["Deny", "Wait"]).toContain(verdict?.verdict);
  expect(verdict?.reason).toMatch(/^[A-Z][A-Za-z]+$/);
  // One line of an Event has 1 KB.
  expect(verdict?.message.length).toBeLessThan(500);
}

const ATTRIBUTES = ["2.5.4.3", "2.5.4.10", "2.5.4.11", "2.5.4.6", "1.2.840.113549.1.9.1", "0.9.2342.19200300.100.1.1"];
/** UTF8, Printable, T61, IA5, Universal, BMP: what a reader takes for text, and what only some do. */
const STRING_TAGS = [0x0c, 0x13, 0x14, 0x16, 0x1c, 0x1e, TAG.octetString];
const texts = fc.oneof(
  fc.constantFrom(
    "system:nodes",
    "system:masters",
    "system:node:a",
    "system:node:",
    "SYSTEM:NODE:a",
    "system:node:w\u043erker",
    "system:node:a\u0000b",
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const attribute = fc
  .tuple(fc.constantFrom(...ATTRIBUTES), fc.constantFrom(...STRING_TAGS), texts)
  .map(([oid, tag, text]) => encodeSequence([encodeOid(oid), encodeTlv(tag, [encodeUtf8(text)])]));
/** RDNs of one or more attributes, in any number. */
const subject = fc
  .array(fc.array(attribute, { minLength: 1, maxLength: 3 }), { maxLength: 6 })
  .map((sets) => encodeSequence(sets.map((members) => encodeSetOf(members))));

const names = fc.record({
  dnsNames: fc.array(
    fc.constantFrom("a", "*.a", "localhost", "kubernetes.default.svc", "a\u0000.evil", "xn--e1afmkfd", "-a", "a..b"),
    { maxLength: 5 },
  ),
  ipAddresses: fc.array(fc.constantFrom("127.0.0.1", "::1", "0.0.0.0", "10.0.0.1", "fe80::1", "::ffff:10.0.0.1"), {
    maxLength: 5,
  }),
});
const extension: fc.Arbitrary<Extension> = fc.oneof(
  fc.constantFrom(basicConstraintsExtension({ ca: true }), keyUsageExtension(["keyCertSign"])),
  fc.record({
    oid: fc.constantFrom("2.5.29.17", "2.5.29.19", "2.5.29.37", "1.2.3.4"),
    critical: fc.boolean(),
    value: fc.uint8Array({ maxLength: 60 }),
  }),
);

function pemOf(csr: CertificateSigningRequest): string {
  return parseUtf8(parseBase64(csr.spec.request));
}

describe("approval of requests that no kubelet sends", () => {
  it("refuses a changed request, whatever was changed", async () => {
    const good = aCsr(withKey(key));
    const der = parsePem(pemOf(good))[0]?.bytes ?? new Uint8Array();
    await fc.assert(
      fc.asyncProperty(spoiled([der]), async (bytes) => {
        fc.pre(Buffer.compare(bytes, der) !== 0);
        const request = encodeBase64(encodeUtf8(encodePem("CERTIFICATE REQUEST", bytes)));
        await expectRefused({ ...good, spec: { ...good.spec, request } });
      }),
      runs(300),
    );
  });

  it("refuses any subject but the one that a kubelet has, signed as it may be", async () => {
    await fc.assert(
      fc.asyncProperty(subject, async (raw) => {
        const text = Buffer.from(raw).toString("latin1");
        fc.pre(!(text.includes("system:nodes") && text.includes("system:node:a") && raw.length < 50));
        await expectRefused(aCsr(withKey(key), withSubject(raw)));
      }),
      runs(300),
    );
  });

  it("refuses any extension that changes something, once, twice or more", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(extension, { minLength: 1, maxLength: 4 }), async (extensions) => {
        const modifiers: CsrModifier[] = extensions.map(withExtension);
        await expectRefused(aCsr(withKey(key), ...modifiers));
      }),
      runs(200),
    );
  });

  it("refuses names that no node has, under a policy that would take any", async () => {
    const policy = aPolicy({ serving: { inventory: { dnsPattern: "[a-z]+", ipPrefixes: ["10.0.0.0/8"] } } });
    await fc.assert(
      fc.asyncProperty(names, async ({ dnsNames, ipAddresses }) => {
        const isGood = dnsNames.every((name) => name === "a") && ipAddresses.every((ip) => ip === "10.0.0.1");
        fc.pre(!isGood && dnsNames.length + ipAddresses.length > 0);
        const serving = [withSigner(KUBELET_SERVING_SIGNER), withUsages(...SERVING_USAGES), from(aNode("worker-3"))];
        await expectRefused(aCsr(withKey(key), ...serving, withSan({ dnsNames, ipAddresses })), policy);
      }),
      runs(200),
    );
  });

  it("refuses a giant list of names without reading it for long", async () => {
    const dnsNames = Array.from({ length: 2_000 }, (_, at) => `n${at}`);
    const serving = [withSigner(KUBELET_SERVING_SIGNER), withUsages(...SERVING_USAGES), from(aNode("worker-3"))];
    const policy = aPolicy({ serving: { inventory: { dnsPattern: "n[0-9]+" } } });
    await expectRefused(aCsr(withKey(key), ...serving, withExtension(subjectAltNameExtension({ dnsNames }))), policy);
  });

  it("refuses PEM blocks in any mixture but one request with evidence behind it", async () => {
    const own = pemOf(aCsr(withKey(key)));
    const other = pemOf(aCsr(forNode("other")));
    const pieces = fc.constantFrom(
      own,
      other,
      other.replaceAll("CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"),
      encodePem("CERTIFICATE", encodeUtf8("x")),
      encodePem("EC PRIVATE KEY", encodeUtf8("x")),
      "-----BEGIN CERTIFICATE REQUEST-----\n",
      "-----END CERTIFICATE REQUEST-----\n",
      "\u0000\u0001",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { minLength: 2, maxLength: 5 }), async (parts) => {
        const text = parts.join("");
        const [first] = parsePem(text);
        const count = text.match(/-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----/g)?.length ?? 0;
        fc.pre(!(count === 1 && first?.label === "CERTIFICATE REQUEST"));
        await expectRefused(
          aCsr(
            withKey(key),
            wrapped(() => text),
          ),
        );
      }),
      runs(200),
    );
  });
});
