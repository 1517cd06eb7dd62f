import { describe, expect, it } from "vitest";
import {
  aCsr,
  approved,
  aToken,
  type CsrModifier,
  from,
  withCertificate,
  withCondition,
  withExpiration,
  withSigner,
  withUsages,
  withWrongSignature,
  wrapped,
} from "../../../../../test/builders/csr.ts";
import { aLeaf, aRoot, TEST_NOW_MS } from "../../../../../test/builders/x509.ts";
import type { CertificateSigningRequest, CsrStatus } from "../../../../api/certificates/index.ts";
import { encodePem } from "../../../../kernel/pem/index.ts";
import { proofErrors } from "../../../verbs/create.ts";
import { describeError } from "../../field-error.ts";
import type { Proof } from "../../strategy.ts";
import { csrStrategy } from "./strategy.ts";
import { REQUEST_PROOF, readRequest } from "./validate-spec.ts";

const FACTS = { user: aToken("abcdef"), nowMs: TEST_NOW_MS, list: () => [] };
const NOW = "2026-06-01T00:00:00Z";

/** In the order in which a create tells them. */
async function problems(csr: CertificateSigningRequest): Promise<string[]> {
  const errors = [...(await proofErrors(REQUEST_PROOF as Proof, csr)), ...csrStrategy.validateCreate(csr)];
  return errors.map((error) => `${error.field}: ${describeError(error)}`);
}

const PROVIDER = encodePem("KUBELET AUTHENTICATOR ATTESTATION PROVIDER", Uint8Array.of(1));

describe("creating", () => {
  it("stamps the requester and throws away what the client wrote about itself", () => {
    const sent = aCsr(
      from({ username: "root", groups: ["system:masters"], uid: "0", extra: { a: ["b"] } }),
      approved(),
    );
    const prepared = csrStrategy.prepareCreate(sent, FACTS);
    expect(prepared.spec).toMatchObject({ username: "system:bootstrap:abcdef", groups: FACTS.user.groups });
    expect(prepared.spec).not.toHaveProperty("uid");
    expect(prepared.spec).not.toHaveProperty("extra");
    expect(prepared.status).toEqual({});
  });

  const accepted: Record<string, CertificateSigningRequest> = {
    "a plain request": aCsr(),
    "blocks after the request": aCsr(wrapped((pem) => pem + PROVIDER)),
    "text before the request": aCsr(wrapped((pem) => `hello\n${pem}`)),
    "a damaged block before the request": aCsr(wrapped((pem) => `-----BEGIN X-----\n!!\n-----END X-----\n${pem}`)),
    "two requests": aCsr(wrapped((pem) => pem + pem)),
    "the shortest life": aCsr(withExpiration(600)),
    "a signer with dots in its path": aCsr(withSigner("example.com/a.b-c")),
  };
  it.each(Object.entries(accepted))("takes %s", async (_name, csr) => {
    expect(await problems(csr)).toEqual([]);
  });

  const refused: Record<string, [CertificateSigningRequest, RegExp]> = {
    "another block first": [
      aCsr(wrapped((pem) => PROVIDER + pem)),
      /^spec.request: .*PEM block type must be CERTIFICATE REQUEST$/,
    ],
    "no block": [aCsr(wrapped(() => "nothing")), /PEM block type must be CERTIFICATE REQUEST$/],
    "a wrong signature": [
      aCsr(withWrongSignature()),
      /^spec.request: .*signature of the certificate request does not verify$/,
    ],
    "no usages": [aCsr(withUsages()), /^spec.usages: Required value$/],
    "a usage twice": [
      aCsr(withUsages("client auth", "client auth")),
      /^spec.usages\[1\]: Duplicate value: "client auth"$/,
    ],
    "an unknown usage": [
      aCsr(withUsages("world peace")),
      /^spec.usages\[0\]: Unsupported value: "world peace": supported values: "any", /,
    ],
    "a life too short": [aCsr(withExpiration(599)), /may not specify a duration less than 600 seconds \(10 minutes\)$/],
    "no signer": [aCsr(withSigner("")), /^spec.signerName: Required value$/],
    "a signer without a domain": [aCsr(withSigner("nosuch")), /must be a fully qualified domain and path/],
    "a signer of two slashes": [aCsr(withSigner("a.b/c/d")), /must be a fully qualified domain and path/],
    "a domain without a dot": [
      aCsr(withSigner("foo/bar")),
      /should be a domain with at least two segments separated by dots$/,
    ],
    "upper case in the domain": [aCsr(withSigner("Foo.com/bar")), /validating label "Foo"/],
    "the signer of old": [aCsr(withSigner("kubernetes.io/legacy-unknown")), /the legacy signerName is not allowed/],
  };
  it.each(Object.entries(refused))("refuses %s", async (_name, [csr, text]) => {
    expect(await problems(csr)).toEqual([expect.stringMatching(text)]);
  });

  it("tells a wrong signature before the other mistakes, as it stands before them in the object", async () => {
    const [first, second, ...more] = await problems(aCsr(withWrongSignature(), withUsages()));
    expect([first, second, more]).toEqual([
      expect.stringContaining("does not verify"),
      "spec.usages: Required value",
      [],
    ]);
  });

  it("reads what stands in the spec at hand: a changed request is another", () => {
    const { spec } = aCsr();
    expect(readRequest(spec)).toBe(readRequest(spec));
    expect(readRequest({ ...spec, request: "" })).toHaveProperty("problem");
    expect(readRequest({ ...spec })).toEqual(readRequest(spec));
  });

  it("does not send a whole bad request back", async () => {
    const [problem = ""] = await problems(aCsr(wrapped((pem) => PROVIDER + pem + "x".repeat(100_000))));
    expect(problem.length).toBeLessThan(500);
  });
});

const [approval, status] = csrStrategy.subresources;

/** What is stored after `sent` came through an endpoint, or what it refuses. */
function through(endpoint: typeof approval, current: CertificateSigningRequest, sent: CsrStatus) {
  const rules = endpoint ?? csrStrategy;
  const next = rules.prepareUpdate({ ...current, spec: aCsr().spec, status: sent }, current, FACTS);
  const errors = rules.validateUpdate(next, current).map((error) => `${error.field}: ${describeError(error)}`);
  return { next, errors };
}

const yes = { type: "Approved", status: "True" } as const;
const no = { type: "Denied", status: "True" } as const;
const failed = { type: "Failed", status: "True" } as const;
const pem = encodePem("CERTIFICATE", aLeaf(aRoot()).certificate.raw);
const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("the main endpoint", () => {
  it("changes metadata and nothing else", () => {
    const current = aCsr();
    const { next, errors } = through(undefined, current, { conditions: [yes], certificate: base64(pem) });
    expect(errors).toEqual([]);
    expect(next.spec).toEqual(current.spec);
    expect(next.status).toEqual({});
  });
});

describe("/approval", () => {
  it("takes conditions, fills their times, and drops a certificate silently", () => {
    const current = aCsr();
    const { next, errors } = through(approval, current, { conditions: [yes], certificate: base64(pem) });
    expect(errors).toEqual([]);
    expect(next.spec).toEqual(current.spec);
    expect(next.status).toEqual({ conditions: [{ ...yes, lastUpdateTime: NOW, lastTransitionTime: NOW }] });
  });

  it("keeps the time of a condition that only gets other words", () => {
    const stored = { ...yes, lastTransitionTime: "2026-01-01T00:00:00Z", lastUpdateTime: "2026-01-01T00:00:00Z" };
    const { next } = through(
      approval,
      { ...aCsr(), status: { conditions: [stored] } },
      { conditions: [{ ...yes, reason: "new" }] },
    );
    expect(next.status?.conditions).toEqual([
      { ...yes, reason: "new", lastUpdateTime: NOW, lastTransitionTime: "2026-01-01T00:00:00Z" },
    ]);
  });

  const refused: Record<string, [CertificateSigningRequest, CsrStatus, string]> = {
    "to take an approval back": [
      aCsr(approved()),
      { conditions: [] },
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ],
    "to forget a failure": [
      aCsr(withCondition("Failed")),
      { conditions: [yes] },
      'status.conditions: Forbidden: updates may not remove a condition of type "Failed"',
    ],
    "both answers": [
      aCsr(),
      { conditions: [yes, no] },
      'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ],
    "an approval that is false": [
      aCsr(),
      { conditions: [{ ...yes, status: "False" }] },
      'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
    ],
    "a condition twice": [aCsr(), { conditions: [yes, yes] }, 'status.conditions[1].type: Duplicate value: "Approved"'],
    "a condition without a status": [
      aCsr(),
      { conditions: [{ type: "Approved" } as never] },
      "status.conditions[0].status: Required value",
    ],
  };
  it.each(Object.entries(refused))("refuses %s", (_name, [current, sent, text]) => {
    expect(through(approval, current, sent).errors).toEqual([text]);
  });

  it("takes an approval beside a failure, and conditions of anybody's own", () => {
    expect(through(approval, aCsr(withCondition("Failed")), { conditions: [failed, yes] }).errors).toEqual([]);
    expect(through(approval, aCsr(), { conditions: [{ type: "Mine", status: "Unknown" }] }).errors).toEqual([]);
  });
});

describe("/status", () => {
  it("takes a certificate, even before the approval", () => {
    const { next, errors } = through(status, aCsr(), { certificate: base64(pem) });
    expect(errors).toEqual([]);
    expect(next.status).toEqual({ certificate: base64(pem) });
  });

  it("puts decisions back that were sent along", () => {
    const current = aCsr(approved());
    const { next, errors } = through(status, current, {
      conditions: [{ ...yes, reason: "forged" }],
      certificate: base64(pem),
    });
    expect(errors).toEqual([]);
    expect(next.status?.conditions?.[0]?.reason).toBe(current.status?.conditions?.[0]?.reason);
  });

  const refused: Record<string, [CertificateSigningRequest, CsrStatus, string]> = {
    "to approve": [
      aCsr(),
      { conditions: [yes] },
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    ],
    "to take an approval back": [
      aCsr(approved()),
      { conditions: [] },
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ],
    "another certificate": [
      aCsr(withCertificate(pem)),
      { certificate: base64(`${pem}\n`) },
      "status.certificate: Forbidden: updates may not modify existing certificate content",
    ],
    "to take the certificate back": [
      aCsr(withCertificate(pem)),
      {},
      "status.certificate: Forbidden: updates may not modify existing certificate content",
    ],
    "a block that is no certificate": [
      aCsr(),
      { certificate: base64(pem + encodePem("PRIVATE KEY", Uint8Array.of(1))) },
      'status.certificate: Invalid value: "<certificate data>": only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"',
    ],
    "no block": [
      aCsr(),
      { certificate: base64("x") },
      'status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
    ],
  };
  it.each(Object.entries(refused))("refuses %s", (_name, [current, sent, text]) => {
    expect(through(status, current, sent).errors).toEqual([text]);
  });

  it("refuses a certificate with headers or that does not parse", () => {
    const headed = pem.replace("-----\n", "-----\nA: b\n\n");
    expect(through(status, aCsr(), { certificate: base64(headed) }).errors[0]).toMatch(
      /no PEM block headers are permitted$/,
    );
    const broken = encodePem("CERTIFICATE", Uint8Array.of(0x30, 0));
    expect(through(status, aCsr(), { certificate: base64(broken) }).errors[0]).toMatch(/x509: malformed certificate/);
  });
});

describe("the table", () => {
  const cell = (...modifiers: readonly CsrModifier[]) =>
    csrStrategy.table.cells(aCsr(...modifiers), TEST_NOW_MS).at(-1);
  it("shows what became of a request", () => {
    expect(cell()).toBe("Pending");
    expect(cell(approved())).toBe("Approved");
    expect(cell(approved(), withCertificate(pem))).toBe("Approved,Issued");
    expect(cell(withCondition("Denied"))).toBe("Denied");
    expect(cell(approved(), withCondition("Failed"))).toMatch(/,Failed$/);
  });

  it("has the columns of kubectl get csr", () => {
    expect(csrStrategy.table.columns.map((column) => column.name)).toEqual([
      "Name",
      "Age",
      "SignerName",
      "Requestor",
      "RequestedDuration",
      "Condition",
    ]);
  });
});
