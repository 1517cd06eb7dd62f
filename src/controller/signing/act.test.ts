import { describe, expect, it } from "vitest";
import { aCsr, approved, withCertificate, withSan } from "../../../test/builders/csr.ts";
import { anAuthority } from "../../../test/builders/csr-authority.ts";
import { type Answers, aRecordingClient } from "../../../test/builders/csr-client.ts";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { type CertificateSigningRequest, KUBELET_CLIENT_SIGNER } from "../../api/certificates/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { ChangeHandler } from "../../platform/kube/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import { createSigning, fixedAuthority } from "./index.ts";

const never = new AbortController().signal;
const writtenOnce = new Fault("invalid", "updates may not modify existing certificate content");

function aSigning(csr: CertificateSigningRequest, answers: Answers = {}) {
  const lines: string[] = [];
  let tell: ChangeHandler<CertificateSigningRequest> | undefined;
  const client = aRecordingClient({ update: () => csr, ...answers });
  const synced = { hasSynced: () => true, waitForSync: async () => undefined };
  const signing = createSigning({
    client,
    log: {
      ...silentLog,
      info: (said, { audit, why } = {}) => void lines.push(audit === true ? [said, why].join(" ").trim() : ""),
    },
    clock: createManualClock(),
    randomBytes: (count) => new Uint8Array(count).fill(7),
    authorities: fixedAuthority(anAuthority()),
    servedSigners: [KUBELET_CLIENT_SIGNER],
    lifetimeMsOf: () => 3_600_000,
    csrs: {
      ...synced,
      get: () => csr,
      list: () => [csr],
      onChange: (handler) => {
        tell = handler;
        return () => undefined;
      },
    },
    ...{ nodes: synced, policies: synced },
  });
  signing.wakesOn(() => undefined);
  const forget = () => tell?.({ type: "DELETED", object: csr });
  return { client, forget, lines, sign: () => signing.handle("key", never) };
}

describe("delivery of a certificate", () => {
  it("is one PUT of the status, guarded by the uid and the version that was seen", async () => {
    const csr = aCsr(approved());
    const { client, sign } = aSigning(csr);
    await sign();
    expect(client.written).toMatchObject([
      {
        target: { name: csr.metadata.name, subresource: "status" },
        body: {
          metadata: { uid: csr.metadata.uid, resourceVersion: "1" },
          status: { conditions: [{ type: "Approved" }], certificate: expect.stringMatching(/^LS0tLS1CRUdJTi/) },
        },
      },
    ]);
  });

  it("happens once, though the cache has not heard of it yet; a deleted request is forgotten", async () => {
    const csr = aCsr(approved());
    const { client, forget, sign } = aSigning(csr);
    await sign();
    await sign();
    expect(client.written).toHaveLength(1);
    forget();
    await sign();
    expect(client.written).toHaveLength(2);
  });

  it.each<[string, Answers["get"]]>([
    ["another was faster", () => aCsr(approved(), withCertificate("there"))],
    ["the request was replaced under its name", () => aCsr()],
    ["the request is gone", () => new Fault("not-found", "gone")],
  ])("is over when %s", async (_, get) => {
    const { sign } = aSigning(aCsr(approved()), { update: () => writtenOnce, ...(get === undefined ? {} : { get }) });
    await expect(sign()).resolves.toEqual({});
  });

  it("is an accident when the server refuses the very certificate", async () => {
    const csr = aCsr(approved());
    const { sign } = aSigning(csr, { update: () => writtenOnce, get: () => csr });
    await expect(sign()).rejects.toBe(writtenOnce);
  });
});

describe("the audit trail of a delivery", () => {
  it("has its line before the certificate leaves", async () => {
    const csr = aCsr(approved());
    const seen: string[][] = [];
    const { lines, sign } = aSigning(csr, {
      update: () => {
        seen.push([...lines]);
        return csr;
      },
    });
    await sign();
    expect(seen).toEqual([["certificate issued"]]);
  });

  it("says so when the certificate did not arrive", async () => {
    const { lines, sign } = aSigning(aCsr(approved()), { update: () => new Fault("conflict", "changed meanwhile") });
    await expect(sign()).rejects.toMatchObject({ code: "conflict" });
    expect(lines).toEqual(["certificate issued", "certificate not delivered conflict"]);
  });
});

describe("a request that breaks the signer's rules", () => {
  it("fails for good, its approval kept", async () => {
    const csr = aCsr(approved(), withSan({ dnsNames: ["x"] }));
    const { client, sign } = aSigning(csr);
    await sign();
    expect(client.written).toMatchObject([
      {
        target: { subresource: "status" },
        body: {
          metadata: { uid: csr.metadata.uid, resourceVersion: "1" },
          status: { conditions: [{ type: "Approved" }, { type: "Failed", reason: "SignerValidationFailure" }] },
        },
      },
    ]);
  });
});
