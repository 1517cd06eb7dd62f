import { describe, expect, it } from "vitest";
import {
  aCsr,
  aNode,
  forNode,
  from,
  withSan,
  withSigner,
  withSubject,
  withUsages,
} from "../../../test/builders/csr.ts";
import { aPolicy, factsOf, foundMachine, servingFacts } from "../../../test/builders/csr-facts.ts";
import {
  API_CLIENT_SIGNER,
  INSECURE_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  SERVING_USAGES,
} from "../../api/certificates/index.ts";
import { ALL_RULES, chainOf, STRICTER_RULES, signerRulesOf } from "./chains.ts";
import { judgeApproval, judgeRequest } from "./judge.ts";

const TPM_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm";
const idsOf = (signerName: string, policy?: ReturnType<typeof aPolicy>) =>
  chainOf(signerName, policy)?.map(({ id }) => id) ?? [];

describe("judgeApproval", () => {
  it("allows a first certificate as kube-controller-manager does, and shows what each rule saw", () => {
    const { verdict, trail } = judgeApproval(factsOf(aCsr()));
    expect(verdict).toMatchObject({
      kind: "Allow",
      reason: "AutoApproved",
      message: "Auto approving kubelet client certificate after SubjectAccessReview.",
    });
    expect(trail.every(({ outcome }) => outcome === "pass")).toBe(true);
    expect(trail.find(({ rule }) => rule === "subject-is-a-node")?.note).toBe("system:node:worker-3");
  });

  it("allows a renewal in the words for it", () => {
    const access = { kind: "Present", value: { right: "selfnodeclient", isAllowed: true } } as const;
    const { verdict } = judgeApproval(factsOf(aCsr(from(aNode("worker-3"))), { access }));
    expect(verdict).toMatchObject({
      message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
    });
  });

  it("lets the first rule that does not hold decide; what follows is not reached", () => {
    const { verdict, trail } = judgeApproval(factsOf(aCsr(withUsages("server auth"), withSan({ dnsNames: ["x"] }))));
    expect(verdict).toMatchObject({ kind: "Deny", rule: "usages-are-client-only", reason: "UsagesAreNotClientOnly" });
    const at = trail.findIndex(({ outcome }) => outcome === "deny");
    expect(trail.slice(0, at).every(({ outcome }) => outcome === "pass")).toBe(true);
    expect(trail.slice(at + 1).every(({ outcome }) => outcome === "not-reached")).toBe(true);
  });

  it("has no opinion about a foreign signer and looks no further", () => {
    const { verdict, trail } = judgeApproval(factsOf(aCsr(withSigner("example.com/other"))));
    expect(verdict.kind).toBe("NoOpinion");
    expect(trail.slice(1).every(({ outcome }) => outcome === "not-reached")).toBe(true);
  });

  it("leaves certificates of people and programs to people", () => {
    const { verdict } = judgeApproval(factsOf(aCsr(withSigner(API_CLIENT_SIGNER))));
    expect(verdict).toMatchObject({ kind: "NoOpinion", reason: "ApprovedByPeople" });
  });

  it("waits, and says when it looks again, when a fact was not read", () => {
    const { verdict } = judgeApproval(factsOf(aCsr(), { node: { kind: "NotRead", why: "no list yet" } }));
    expect(verdict).toMatchObject({ kind: "Wait", rule: "node-is-not-registered-yet", message: "no list yet" });
  });

  it("does not repeat a name of 60 KB", () => {
    const commonName = "x".repeat(20_000);
    const { verdict } = judgeApproval(factsOf(aCsr(withSubject({ commonName, organizations: ["system:nodes"] }))));
    expect(verdict.kind).toBe("Deny");
    expect(verdict.message.length).toBeLessThan(500);
  });

  it("never allows on a request that cannot be read, whichever rule is asked", () => {
    const facts = factsOf(aCsr(), { request: { kind: "Unreadable", reason: "RequestIsUnreadable", message: "no" } });
    const needRequest = ALL_RULES.filter(({ reasons }) => reasons.includes("RequestIsUnreadable"));
    expect(needRequest.length).toBeGreaterThan(15);
    for (const rule of needRequest) expect(rule.judge(facts).kind, rule.id).toBe("Deny");
  });
});

describe("the three modes", () => {
  it("without a policy, asks Kubernetes' authorizer about its own signers, and our signers for evidence", () => {
    expect(idsOf("kubernetes.io/kube-apiserver-client-kubelet")).toContain("requester-has-access");
    expect(idsOf(TPM_SIGNER)).toContain("evidence-holds");
    expect(idsOf(INSECURE_CLIENT_SIGNER)).not.toContain("evidence-holds");
    const { verdict } = judgeApproval(factsOf(aCsr(withSigner(TPM_SIGNER)), { servedSigners: [TPM_SIGNER] }));
    expect(verdict).toMatchObject({ kind: "Deny", reason: "EvidenceRequired" });
  });

  it.each(["Shadow", "Enforce"] as const)("in %s, refuses a built-in client request without evidence", (mode) => {
    const judgement = judgeApproval(factsOf(aCsr(), { policy: aPolicy({ mode }) }));
    expect(judgement).toMatchObject({
      verdict: { kind: "Deny", reason: "EvidenceRequired" },
      policy: { name: "test", mode },
    });
  });

  it("by `admit: Machine`, wants what machine-approver wants, in one chain", () => {
    const policy = aPolicy({ client: { admit: "Machine" } });
    expect(judgeApproval(factsOf(aCsr(), { policy, machine: foundMachine() })).verdict).toMatchObject({
      kind: "Allow",
      reason: "NodeMayJoin",
    });
    expect(judgeApproval(factsOf(aCsr(), { policy, machine: { kind: "Absent" } })).verdict).toMatchObject({
      reason: "MachineIsUnknown",
    });
  });

  it("by `admit: Access`, wants what kube-controller-manager wants, under the policy's limits", () => {
    const policy = aPolicy({ client: { admit: "Access" } });
    expect(idsOf("kubernetes.io/kube-apiserver-client-kubelet", policy)).toEqual(
      expect.arrayContaining(["requester-has-access", "requester-is-within-its-limit"]),
    );
    expect(judgeApproval(factsOf(aCsr(), { policy })).verdict.kind).toBe("Allow");
  });

  it("judges a serving request by the inventory of the policy, and waits without one", () => {
    const csr = aCsr(
      withSigner(KUBELET_SERVING_SIGNER),
      withUsages(...SERVING_USAGES),
      from(aNode("worker-3")),
      withSan({ dnsNames: ["worker-3"], ipAddresses: ["10.0.0.3"] }),
    );
    expect(judgeApproval(factsOf(csr)).verdict).toMatchObject({ kind: "Wait", reason: "ServingNeedsAPolicy" });
    const covered = { policy: aPolicy(), machine: foundMachine(), serving: servingFacts() };
    expect(judgeApproval(factsOf(csr, covered)).verdict).toMatchObject({ kind: "Allow" });
  });
});

describe("switching a stricter rule off", () => {
  it("lets pass what kube-controller-manager lets pass, and says that the rule is off", () => {
    const csr = aCsr(forNode("UPPER"));
    expect(judgeApproval(factsOf(csr)).verdict).toMatchObject({ kind: "Deny", rule: "node-name-is-valid" });
    const { verdict, trail } = judgeApproval(factsOf(csr, { switchedOff: ["node-name-is-valid"] }));
    expect(verdict.kind).toBe("Allow");
    expect(trail.find(({ rule }) => rule === "node-name-is-valid")).toEqual({
      rule: "node-name-is-valid",
      outcome: "off",
    });
  });

  it("is not possible for any other rule", () => {
    const csr = aCsr(withUsages("server auth"));
    const { verdict } = judgeApproval(factsOf(csr, { switchedOff: ["usages-are-client-only", "signer-is-served"] }));
    expect(verdict).toMatchObject({ kind: "Deny", rule: "usages-are-client-only" });
  });

  it("holds for the signer too", () => {
    const facts = factsOf(aCsr(forNode("UPPER")));
    expect(judgeRequest(facts).verdict.kind).toBe("Deny");
    expect(judgeRequest({ ...facts, switchedOff: ["node-name-is-valid"] }).verdict.kind).toBe("Allow");
  });
});

describe("judgeRequest", () => {
  it("holds the signer to the rules about the request alone", () => {
    const approval = idsOf("kubernetes.io/kube-apiserver-client-kubelet");
    expect(signerRulesOf("kubernetes.io/kube-apiserver-client-kubelet").every(({ id }) => approval.includes(id))).toBe(
      true,
    );
    expect(judgeRequest(factsOf(aCsr())).verdict.kind).toBe("Allow");
    expect(judgeRequest(factsOf(aCsr(withSan({ dnsNames: ["x"] })))).verdict.kind).toBe("Deny");
  });

  it("gives a signer that nobody told us of the rules of node clients", () => {
    expect(signerRulesOf("example.com/x")).toBe(signerRulesOf("kubernetes.io/kube-apiserver-client-kubelet"));
  });
});

describe("the rules", () => {
  it("have ids of their own, a sentence and reasons each", () => {
    expect(new Set(ALL_RULES.map(({ id }) => id)).size).toBe(ALL_RULES.length);
    for (const { id, sentence, reasons } of ALL_RULES) {
      expect(sentence, id).toMatch(/^[a-zA-Z].*[^.]$/);
      expect(reasons.length, id).toBeGreaterThan(0);
    }
  });

  it("are stricter than kube-controller-manager in eight places", () => {
    expect(STRICTER_RULES.toSorted()).toEqual([
      "key-is-strong-enough",
      "no-foreign-extensions",
      "node-is-not-registered-yet",
      "node-name-is-valid",
      "provider-id-is-its-own",
      "renewal-is-by-the-holder",
      "request-stands-alone",
      "subject-has-nothing-else",
    ]);
  });
});
