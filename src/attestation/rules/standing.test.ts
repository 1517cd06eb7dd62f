import { describe, expect, it } from "vitest";
import { anIdentity, CREDENTIAL, NODE } from "../../../test/builders/exchange.ts";
import { aSoftTpm } from "../../../test/builders/soft-tpm.ts";
import type { IssuedCertificate, NodeIdentity, NodeIdentityStatus } from "../../api/countersign/index.ts";
import { judgeStanding, type Unproven } from "./standing.ts";

const tpm = aSoftTpm();
const client = (sha256: string, more: Partial<IssuedCertificate> = {}): IssuedCertificate => ({
  ...{ sha256, serialNumber: "1", purpose: "Client", notAfter: "2030-01-01T00:00:00Z" },
  ...more,
});
const attested = (more: Partial<NodeIdentityStatus> = {}): NodeIdentity =>
  anIdentity(tpm, { certificates: [client(CREDENTIAL)], ...more });
const withSpec = (identity: NodeIdentity, spec: Partial<NodeIdentity["spec"]>): NodeIdentity => ({
  ...identity,
  spec: { ...identity.spec, ...spec },
});
const enrolled = (spec: Partial<NodeIdentity["spec"]>): NodeIdentity => ({
  apiVersion: "countersign.dev/v1alpha1",
  kind: "NodeIdentity",
  metadata: { name: NODE },
  spec: { nodeName: NODE, ...spec },
});

const byToken: Unproven = { purpose: "client", credential: undefined, isNode: false };
const byOwn: Unproven = { purpose: "client", credential: CREDENTIAL, isNode: true };
const byOther: Unproven = { purpose: "client", credential: "ff", isNode: true };
const byPerson: Unproven = { purpose: "client", credential: "ee", isNode: false };
const byUnstamped: Unproven = { purpose: "client", credential: undefined, isNode: true };
const serving: Unproven = { purpose: "serving", credential: CREDENTIAL, isNode: true };

function judge(identity: NodeIdentity, asked: Unproven): string {
  const finding = judgeStanding(identity, asked);
  return finding.kind === "Pass" ? "Pass" : `${finding.kind} ${finding.reason}`;
}

describe("what an identity says to a request that proves nothing", () => {
  it.each<[string, NodeIdentity, Unproven, string]>([
    ["a token, for a node enrolled by its TPM", enrolled({ tpm: { ek: { spkiSha256: "ab" } } }), byToken, "Evidence"],
    ["a token, for a node enrolled by its provider ID", enrolled({ providerId: "x:///1" }), byToken, "Evidence"],
    ["a token, for an attested node", attested(), byToken, "Evidence"],
    ["an attested node that would trade its certificate", attested(), byOwn, "Evidence"],
    ["a certificate of the name from elsewhere", attested(), byOther, "Evidence"],
    [
      "a token, for a node that was enrolled by its TPM after the insecure provider let it in",
      withSpec(attested({ provider: "insecure" }), { tpm: { ek: { spkiSha256: "ab" } } }),
      byToken,
      "Evidence",
    ],
    ["a node of an installed provider", attested({ provider: "aws" }), byOwn, "Evidence"],
    [
      "a node that an operator opened for one join",
      withSpec(attested(), { reset: { until: "2999" } }),
      byToken,
      "Evidence",
    ],
    [
      "a token, for a node whose retirement was lifted, though its phase does not say so yet",
      withSpec(attested({ phase: "Retired" }), { retired: false }),
      byToken,
      "Evidence",
    ],
    [
      "a token, for an enrolled node whose retirement was lifted",
      { ...enrolled({ tpm: { ek: { spkiSha256: "ab" } }, retired: false }), status: { phase: "Retired" } },
      byToken,
      "Evidence",
    ],
  ])("wants evidence of %s", (_, identity, asked, reason) => {
    expect(judge(identity, asked)).toBe(`Deny ${reason}Required`);
  });

  it.each([byToken, byOwn, byOther, serving])("gives a revoked node nothing: %o", (asked) => {
    expect(judge(withSpec(attested(), { revoked: true }), asked)).toBe("Deny IdentityRevoked");
    expect(judge(attested({ phase: "Revoked" }), asked)).toBe("Deny IdentityRevoked");
    expect(judge(withSpec(attested(), { revoked: true, retired: true }), asked)).toBe("Deny IdentityRevoked");
  });

  it.each([byOwn, serving])("gives the certificate of a retired node nothing: %o", (asked) => {
    expect(judge(attested({ phase: "Retired" }), asked)).toBe("Deny CredentialRevoked");
    expect(judge(withSpec(attested(), { retired: true }), asked)).toBe("Deny CredentialRevoked");
  });

  it("leaves the name of a retired node to the next join", () => {
    for (const asked of [byToken, byPerson]) {
      expect(judge(attested({ phase: "Retired" }), asked)).toBe("Pass");
      expect(judge(withSpec(attested(), { retired: true }), asked)).toBe("Pass");
    }
  });

  it.each<[string, NodeIdentity]>([
    ["attested", attested({ phase: "Retired" })],
    ["attested, a moment ago", withSpec(attested(), { retired: true })],
    ["enrolled", enrolled({ tpm: { ek: { spkiSha256: "ab" } }, retired: true })],
    ["made for a revocation that was lifted", enrolled({ revoked: false, retired: true })],
  ])("renews no certificate of a retired name that was not recorded since: %s", (_, identity) => {
    for (const asked of [byOther, byUnstamped, { ...byOther, purpose: "serving" } as const])
      expect(judge(identity, asked)).toBe("Deny CredentialRevoked");
  });

  it("renews the certificate of a node that joined under the retired name since", () => {
    const certificates = [client("aa"), client(CREDENTIAL, { unproven: true })];
    const since = attested({ phase: "Retired", certificates });
    expect([judge(since, byOwn), judge(since, serving)]).toEqual(["Pass", "Pass"]);
    expect(judge(since, { ...byOwn, credential: "aa" })).toBe("Deny CredentialRevoked");
    const again = attested({ phase: "Retired", certificates: [client(CREDENTIAL, { unproven: true, revoked: true })] });
    expect(judge(again, byOwn)).toBe("Deny CredentialRevoked");
    const lifted = withSpec(since, { retired: false });
    expect([judge(lifted, byOwn), judge(lifted, serving)]).toEqual(["Deny EvidenceRequired", "Deny CredentialUnknown"]);
  });

  it("does not renew what the insecure provider gave, under any signer", () => {
    expect(judge(attested({ provider: "insecure" }), byOwn)).toBe("Deny ProviderCannotRenew");
    expect(judge(attested({ provider: "insecure" }), serving)).toBe("Pass");
    expect(judge(attested({ provider: "insecure" }), byToken)).toBe("Pass");
  });

  it.each<[string, readonly IssuedCertificate[], string]>([
    ["the current certificate", [client(CREDENTIAL)], "Pass"],
    ["the one before it, while the kubelet changes over", [client(CREDENTIAL), client("aa")], "Pass"],
    ["an older one", [client(CREDENTIAL), client("aa"), client("bb")], "Deny CredentialSuperseded"],
    ["a stranger's", [client("aa")], "Deny CredentialUnknown"],
    ["a serving certificate", [client(CREDENTIAL, { purpose: "Serving" })], "Deny CredentialUnknown"],
    ["a revoked one", [client(CREDENTIAL, { revoked: true })], "Deny CredentialRevoked"],
  ])("lets a kubelet ask for its serving certificate by custody of %s: %#", (_, certificates, expected) => {
    expect(judge(attested({ certificates }), serving)).toBe(expected);
  });

  it("gives no serving certificate to a machine that was enrolled and proved nothing yet", () => {
    expect(judge(enrolled({ tpm: { ek: { spkiSha256: "ab" } } }), serving)).toBe("Deny CredentialUnknown");
  });
});
