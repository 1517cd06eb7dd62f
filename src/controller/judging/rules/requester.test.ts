import { describe, expect, it } from "vitest";
import { aCsr, aNode, aToken, forNode, from, withSigner } from "../../../../test/builders/csr.ts";
import { aPolicy, factsOf } from "../../../../test/builders/csr-facts.ts";
import { anIdentity } from "../../../../test/builders/exchange.ts";
import { aSoftTpm } from "../../../../test/builders/soft-tpm.ts";
import { START_MS } from "../../../../test/fakes/clock.ts";
import type { UserInfo } from "../../../api/access/index.ts";
import { KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER } from "../../../api/certificates/index.ts";
import type { Admission } from "../../../api/countersign/index.ts";
import { BINDING_RULES, chainOf, STRICTER_RULES } from "../chains.ts";
import type { ApprovalFacts, Claim, MachinesOfProvider, ProviderIdFacts } from "../facts.ts";
import {
  evidenceHolds,
  identityPermitsIt,
  policiesAreReadable,
  providerIdIsItsOwn,
  renewalIsByTheHolder,
  requesterHasAccess,
  requesterIsTheNode,
  requesterIsWithinItsLimit,
  requesterMayAsk,
  servingEvidenceHolds,
  signerIsServed,
} from "./requester.ts";

describe("evidence-holds", () => {
  it("passes what the verifier passes, with its note", () => {
    const evidence = { kind: "Present", value: { kind: "Pass", note: "tpm ek:5c1e" } } as const;
    expect(evidenceHolds.judge(factsOf(aCsr(), { evidence }))).toEqual({ kind: "Pass", note: "tpm ek:5c1e" });
  });

  it("says of a refusal what the verifier says", () => {
    const evidence = {
      kind: "Present",
      value: { kind: "Deny", reason: "EndorsementKeyChanged", message: "other key" },
    } as const;
    expect(evidenceHolds.judge(factsOf(aCsr(), { evidence }))).toEqual(evidence.value);
  });

  it("refuses a request without evidence", () => {
    expect(evidenceHolds.judge(factsOf(aCsr(), { policy: aPolicy() }))).toMatchObject({
      kind: "Deny",
      reason: "EvidenceRequired",
      message: expect.stringContaining("policy test"),
    });
  });

  it("waits where nobody could verify", () => {
    const evidence = { kind: "NotRead", why: "no verifier" } as const;
    expect(evidenceHolds.judge(factsOf(aCsr(), { evidence }))).toMatchObject({
      kind: "Wait",
      reason: "EvidenceIsNotRead",
    });
  });

  it("is asked of serving requests only where the policy says so", () => {
    expect(servingEvidenceHolds.judge(factsOf(aCsr(), { policy: aPolicy() }))).toMatchObject({ kind: "Pass" });
    const policy = aPolicy({ serving: { evidence: "Required" } });
    expect(servingEvidenceHolds.judge(factsOf(aCsr(), { policy }))).toMatchObject({
      kind: "Deny",
      reason: "EvidenceRequired",
    });
  });
});

describe("identity-permits-it", () => {
  const identity = { kind: "Present", value: anIdentity(aSoftTpm()) } as const;

  it("passes a node without an identity", () => {
    expect(identityPermitsIt.judge(factsOf(aCsr())).kind).toBe("Pass");
  });

  it("refuses a request without proof for a node that proved what it is", () => {
    expect(identityPermitsIt.judge(factsOf(aCsr(), { identity }))).toMatchObject({
      kind: "Deny",
      reason: "EvidenceRequired",
      message: expect.stringContaining("was attested by tpm"),
    });
  });

  it("waits while nobody knows whether the node has an identity", () => {
    const unread = { kind: "NotRead", why: "not yet" } as const;
    expect(identityPermitsIt.judge(factsOf(aCsr(), { identity: unread }))).toMatchObject({
      kind: "Wait",
      reason: "IdentityNotRead",
    });
  });

  it.each<Admission | undefined>([undefined, "Evidence", "Machine", "Access"])(
    "stands in every chain of a node, before whoever admits: %s",
    (admit) => {
      const policy = admit === undefined ? undefined : aPolicy({ client: { admit } });
      for (const signer of [KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER]) {
        const ids = (chainOf(signer, policy) ?? []).map(({ id }) => id);
        expect(ids).toContain("identity-permits-it");
        const admitting = ids.findIndex((id) => ["requester-has-access", "requester-may-ask"].includes(id));
        if (admitting >= 0) expect(ids.indexOf("identity-permits-it")).toBeLessThan(admitting);
      }
    },
  );

  it("cannot be switched off, and binds", () => {
    expect(STRICTER_RULES).not.toContain("identity-permits-it");
    expect(BINDING_RULES).toEqual(["identity-permits-it"]);
  });
});

describe("policies-are-readable", () => {
  it("passes with and without a policy", () => {
    expect(policiesAreReadable.judge(factsOf(aCsr()))).toEqual({ kind: "Pass", note: "no policy covers it" });
    expect(policiesAreReadable.judge(factsOf(aCsr(), { policy: aPolicy() }))).toEqual({
      kind: "Pass",
      note: "test, Enforce",
    });
  });

  it("waits while a policy cannot be read: it may be the one that would refuse", () => {
    const finding = policiesAreReadable.judge(factsOf(aCsr(), { brokenPolicies: ["JoinPolicy x cannot be read: y"] }));
    expect(finding).toMatchObject({ kind: "Wait", reason: "PolicyIsUnreadable" });
  });
});

describe("provider-id-is-its-own", () => {
  const judge = (providerId: ApprovalFacts["providerId"]) => providerIdIsItsOwn.judge(factsOf(aCsr(), { providerId }));
  const saying = (facts: Partial<ProviderIdFacts>) =>
    judge({
      kind: "Present",
      value: { asked: "aws:///i-3", ofNode: undefined, nodes: [], machines: { kind: "Absent" }, ...facts },
    });
  const unread = { kind: "NotRead", why: "the management cluster is away" } as const;
  const machines = (of: Partial<MachinesOfProvider>): ProviderIdFacts["machines"] => ({
    kind: "Present",
    value: { taken: [], waiting: [], ...of },
  });

  it.each<[string, ReturnType<typeof judge>]>([
    ["a request without one, and every first request", judge({ kind: "Absent" })],
    ["that of its Node, whatever Node claims it", saying({ ofNode: "aws:///i-3", nodes: ["node liar"] })],
    [
      "that of its Node, which a Machine has that is no node yet",
      saying({ ofNode: "aws:///i-3", machines: machines({ waiting: ["Machine default/machine-3"] }) }),
    ],
    ["that of its Node, while the Machines are not read", saying({ ofNode: "aws:///i-3", machines: unread })],
    ["one that nobody has, where its Node says none", saying({})],
  ])("passes %s", (_, finding) => expect(finding.kind).toBe("Pass"));

  it.each<[string, Partial<ProviderIdFacts>]>([
    ["another than its Node's", { ofNode: "aws:///i-4" }],
    ["another than its Node's, while the Machines are not read", { ofNode: "aws:///i-4", machines: unread }],
    ["that of another Node", { nodes: ["node worker-4"] }],
    ["that of another Node, while the Machines are not read", { nodes: ["node worker-4"], machines: unread }],
    [
      "that of a Machine that waits for another node",
      { machines: machines({ waiting: ["Machine default/machine-4"] }) },
    ],
    [
      "that of a Machine that is another node, though its Node says it too",
      { ofNode: "aws:///i-3", machines: machines({ taken: ["Machine default/machine-4"] }) },
    ],
  ])("refuses %s", (_, facts) => {
    expect(saying(facts)).toMatchObject({ kind: "Deny", reason: "ProviderIdIsNotItsOwn" });
  });

  it("waits while nobody knows whose it is", () => {
    expect(judge({ kind: "NotRead", why: "not yet" })).toMatchObject({ kind: "Wait", reason: "ProviderIdIsNotRead" });
    expect(saying({ machines: unread })).toMatchObject({ kind: "Wait", reason: "ProviderIdIsNotRead" });
  });
});

describe("renewal-is-by-the-holder", () => {
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

describe("requester-has-access", () => {
  it.each(["nodeclient", "selfnodeclient"] as const)("passes whom the authorizer grants %s", (right) => {
    const access = { kind: "Present", value: { right, isAllowed: true } } as const;
    expect(requesterHasAccess.judge(factsOf(aCsr(), { access }))).toEqual({ kind: "Pass", note: right });
  });

  it("waits where the right is missing: granting it later must be enough", () => {
    const access = { kind: "Present", value: { right: "nodeclient", isAllowed: false } } as const;
    expect(requesterHasAccess.judge(factsOf(aCsr(), { access }))).toMatchObject({
      kind: "Wait",
      reason: "AccessIsNotGranted",
    });
  });

  it("waits where nobody could ask", () => {
    const access = { kind: "NotRead", why: "no answer" } as const;
    expect(requesterHasAccess.judge(factsOf(aCsr(), { access }))).toMatchObject({
      kind: "Wait",
      reason: "AccessIsNotRead",
    });
  });
});

describe("requester-is-the-node", () => {
  const REFUSED: Record<string, [UserInfo, string]> = {
    "a bootstrap token": [aToken("7f3a9c"), "RequesterIsNoNode"],
    "a node outside of the nodes' group, which kubelet-csr-approver does not look at": [
      { username: "system:node:worker-3", groups: ["system:authenticated"] },
      "RequesterIsNoNode",
    ],
    "a node that nobody authenticated": [
      { username: "system:node:worker-3", groups: ["system:nodes"] },
      "RequesterIsNoNode",
    ],
    "a node without a name": [
      { username: "system:node:", groups: ["system:nodes", "system:authenticated"] },
      "RequesterIsNoNode",
    ],
    "another node": [aNode("worker-4"), "RequesterIsAnotherNode"],
  };

  it("passes the node itself, whatever further groups it has", () => {
    const node = { ...aNode("worker-3"), groups: ["system:nodes", "system:authenticated", "more"] };
    expect(requesterIsTheNode.judge(factsOf(aCsr(from(node), forNode("worker-3"))))).toMatchObject({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, [requester, reason]) => {
    expect(requesterIsTheNode.judge(factsOf(aCsr(from(requester))))).toMatchObject({ kind: "Deny", reason });
  });
});

describe("requester-is-within-its-limit", () => {
  const standing = (older: number, limit: number) => ({ kind: "Present", value: { older, limit } }) as const;

  it("passes the last one within the limit: a flood stops nobody's oldest requests (OCPBUGS-47508)", () => {
    expect(requesterIsWithinItsLimit.judge(factsOf(aCsr(), { standing: standing(99, 100) }))).toMatchObject({
      kind: "Pass",
    });
    expect(requesterIsWithinItsLimit.judge(factsOf(aCsr()))).toEqual({ kind: "Pass" });
  });

  it("lets the next one wait, and says that it is the requester's own doing", () => {
    expect(requesterIsWithinItsLimit.judge(factsOf(aCsr(), { standing: standing(100, 100) }))).toMatchObject({
      kind: "Wait",
      reason: "TooManyPending",
      message: expect.stringContaining("system:bootstrap:7f3a9c has 100 older requests"),
    });
  });

  it("waits where nobody counted", () => {
    const facts = factsOf(aCsr(), { standing: { kind: "NotRead", why: "no list" } });
    expect(requesterIsWithinItsLimit.judge(facts)).toMatchObject({ kind: "Wait", reason: "PendingIsNotCounted" });
  });
});

describe("requester-may-ask", () => {
  const REFUSED: Record<string, [UserInfo, string]> = {
    "an administrator": [
      { username: "kubernetes-admin", groups: ["system:masters"] },
      "RequesterIsNeitherTokenNorNode",
    ],
    nobody: [{ username: "", groups: [] }, "RequesterIsNeitherTokenNorNode"],
    "a service account in the bootstrappers' group": [
      { username: "system:serviceaccount:default:x", groups: ["system:bootstrappers"] },
      "RequesterIsNeitherTokenNorNode",
    ],
    "a token's name outside of its group": [
      { username: "system:bootstrap:7f3a9c", groups: ["system:authenticated"] },
      "RequesterIsNeitherTokenNorNode",
    ],
    "a token with an impossible id": [
      { username: "system:bootstrap:7f3a9c0", groups: ["system:bootstrappers"] },
      "RequesterIsNeitherTokenNorNode",
    ],
    "a node's name outside of system:nodes": [
      { username: "system:node:worker-3", groups: ["system:authenticated"] },
      "RequesterIsNeitherTokenNorNode",
    ],
    "another node": [aNode("worker-4"), "RequesterIsAnotherNode"],
    "a node whose name begins with the wanted one": [aNode("worker-33"), "RequesterIsAnotherNode"],
  };

  it("passes a bootstrap token", () => {
    expect(requesterMayAsk.judge(factsOf(aCsr(from(aToken("7f3a9c")))))).toEqual({
      kind: "Pass",
      note: "bootstrap token 7f3a9c",
    });
  });

  it("refuses bootstrap tokens where the policy does, and still passes its bootstrap users", () => {
    const policy = aPolicy({ client: { requesters: ["boot"], bootstrapTokens: "Refuse" } });
    expect(requesterMayAsk.judge(factsOf(aCsr(from(aToken("7f3a9c"))), { policy }))).toMatchObject({
      kind: "Deny",
      reason: "BootstrapTokensAreRefused",
    });
    const own = aPolicy({ client: { requesters: ["system:bootstrap:7f3a9c"], bootstrapTokens: "Refuse" } });
    expect(requesterMayAsk.judge(factsOf(aCsr(from(aToken("7f3a9c"))), { policy: own }))).toMatchObject({
      kind: "Pass",
    });
    const listed = aCsr(from({ username: "boot", groups: ["system:authenticated"] }));
    expect(requesterMayAsk.judge(factsOf(listed, { policy }))).toMatchObject({ kind: "Pass" });
  });

  it("passes the node itself", () => {
    const csr = aCsr(from(aNode("worker-3")), forNode("worker-3"));
    expect(requesterMayAsk.judge(factsOf(csr))).toEqual({ kind: "Pass", note: "system:node:worker-3 itself" });
  });

  it("passes a bootstrap user of the policy, and only under the policy", () => {
    const username = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper";
    const csr = aCsr(from({ username, groups: ["system:serviceaccounts", "system:authenticated"] }));
    const policy = aPolicy({ client: { requesters: [username] } });
    expect(requesterMayAsk.judge(factsOf(csr, { policy }))).toMatchObject({ kind: "Pass" });
    expect(requesterMayAsk.judge(factsOf(csr, { policy: aPolicy() }))).toMatchObject({ kind: "Deny" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, [requester, reason]) => {
    expect(requesterMayAsk.judge(factsOf(aCsr(from(requester))))).toMatchObject({ kind: "Deny", reason });
  });
});

it("passes a request for a signer that is served", () => {
  expect(signerIsServed.judge(factsOf(aCsr()))).toEqual({ kind: "Pass", note: KUBELET_CLIENT_SIGNER });
});

it.each(["kubernetes.io/legacy-unknown", "example.com/anything", "kubernetes.io/kube-apiserver-client-kubelet-x"])(
  "has no opinion about a request for %s",
  (signerName) => {
    expect(signerIsServed.judge(factsOf(aCsr(withSigner(signerName))))).toMatchObject({
      kind: "NoOpinion",
      reason: "SignerIsNotServed",
    });
  },
);
