import { describe, expect, it } from "vitest";
import { aCsr } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { START_MS } from "../../../../../test/fakes/clock.ts";
import { KUBELET_CLIENT_SIGNER } from "../../../../api/certificates/index.ts";
import type { ApprovalFacts, Claim } from "../../facts.ts";
import { renewalIsByTheHolder } from "./renewal-is-by-the-holder.ts";

const OWN = "X509SHA256=aa";

function renewing(credential: string | undefined): ApprovalFacts["requester"] {
  const extra = credential === undefined ? {} : { "authentication.kubernetes.io/credential-id": [credential] };
  return { username: "system:node:worker-3", groups: ["system:nodes"], extra };
}

function aClaim(changed: Partial<Claim>): Claim {
  return {
    csrName: "csr-first",
    csrUid: "first",
    nodeName: "worker-3",
    signerName: KUBELET_CLIENT_SIGNER,
    isFirst: true,
    approvedMs: START_MS,
    keyDigest: "a key",
    standing: "Approved",
    notAfterMs: START_MS + 1_000,
    credential: "X509SHA256=bb",
    requesterCredential: undefined,
    providerId: undefined,
    ...changed,
  };
}

function judge(requester: ApprovalFacts["requester"], ...claims: Claim[]) {
  return renewalIsByTheHolder.judge(factsOf(aCsr(), { requester, claims: { kind: "Present", value: claims } }));
}

describe("renewal-is-by-the-holder", () => {
  const allowed: Record<string, [ApprovalFacts["requester"], ...Claim[]]> = {
    "the certificate that holds the name": [renewing(OWN), aClaim({ credential: OWN })],
    "the certificate that asked for the one that holds it: a crash before it was stored": [
      renewing(OWN),
      aClaim({ requesterCredential: OWN }),
    ],
    "a certificate whose request was cleaned away, when nobody else claims the name": [renewing(OWN)],
    "a rival whose certificate did not come within an hour of its approval": [
      renewing(OWN),
      aClaim({ credential: undefined, notAfterMs: undefined, approvedMs: START_MS - 3_600_001 }),
    ],
    "a rival whose certificate is over": [renewing(OWN), aClaim({ notAfterMs: START_MS })],
    "a rival whose approval is not known to be written": [renewing(OWN), aClaim({ standing: "Reserved" })],
  };
  for (const [name, [requester, ...claims]] of Object.entries(allowed)) {
    it(`allows ${name}`, () => expect(judge(requester, ...claims).kind).toBe("Pass"));
  }

  it("is not about first certificates", () => {
    const facts = factsOf(aCsr(), { claims: { kind: "Present", value: [aClaim({})] } });
    expect(renewalIsByTheHolder.judge(facts).kind).toBe("Pass");
  });

  it("refuses a machine whose name another one has got since", () => {
    expect(judge(renewing(OWN), aClaim({}))).toMatchObject({ kind: "Deny", reason: "RequesterIsNotTheHolder" });
  });

  it("waits for a certificate of the name that is not known yet: it may be the requester's", () => {
    const unissued = aClaim({ credential: undefined, notAfterMs: undefined });
    expect(judge(renewing(OWN), unissued)).toMatchObject({ kind: "Wait", reason: "HolderIsNotKnownYet" });
    expect(judge(renewing(OWN), unissued, aClaim({ csrUid: "second", credential: OWN })).kind).toBe("Pass");
    const hour = { ...unissued, approvedMs: START_MS - 3_600_000 };
    expect(judge(renewing(OWN), hour).kind).toBe("Wait");
    expect(judge(renewing(OWN), { ...unissued, approvedMs: undefined }).kind).toBe("Wait");
  });

  it("refuses a requester of whom the API server does not say how it came, when the name is held", () => {
    expect(judge(renewing(undefined), aClaim({}))).toMatchObject({ kind: "Deny", reason: "CredentialIsUnknown" });
  });

  it("waits while the claims are not read", () => {
    const facts = factsOf(aCsr(), { requester: renewing(OWN), claims: { kind: "NotRead", why: "not yet" } });
    expect(renewalIsByTheHolder.judge(facts)).toMatchObject({ kind: "Wait", reason: "ClaimsAreNotRead" });
  });
});
