import { describe, expect, it } from "vitest";
import { aCsr, aNode, from, withKey } from "../../../../test/builders/csr.ts";
import { aMachine, aPolicy, factsOf, foundMachine } from "../../../../test/builders/csr-facts.ts";
import { START_MS } from "../../../../test/fakes/clock.ts";
import { KUBELET_CLIENT_SIGNER } from "../../../api/certificates/index.ts";
import { parsePublicKey } from "../../../kernel/x509/index.ts";
import { generatePrivateKey } from "../../../platform/keys/index.ts";
import type { ApprovalFacts, Claim } from "../facts.ts";
import { keyDigestOf } from "../facts.ts";
import {
  machineExists,
  machineHasNoOtherNode,
  machineIsReady,
  nodeIsNotRegisteredYet,
  requestIsInTheJoiningWindow,
} from "./machine.ts";

describe("machine-exists", () => {
  const present = (value: Extract<ApprovalFacts["machine"], { kind: "Present" }>["value"]) =>
    ({ kind: "Present", value }) as const;

  const WAITING: Record<string, [ApprovalFacts["machine"], string]> = {
    "the Machines are not read (a momentarily empty list, Bug 1687295)": [
      { kind: "NotRead", why: "no list" },
      "MachinesAreNotRead",
    ],
    "no Machine has the name yet: its addresses come late (issue 40)": [{ kind: "Absent" }, "MachineIsUnknown"],
    "two Machines have the name, of which machine-approver takes the first": [
      present({ kind: "Several", names: ["a/x", "a/y"], nodeNames: [] }),
      "SeveralMachinesMatch",
    ],
    "there are Machines of several clusters and nobody said which is this one": [
      present({ kind: "ClusterIsUnsaid", clusters: ["one", "two"] }),
      "ClusterIsUnsaid",
    ],
  };

  it("passes when there is exactly one", () => {
    expect(machineExists.judge(factsOf(aCsr(), { machine: foundMachine() }))).toEqual({
      kind: "Pass",
      note: "Machine default/machine-3",
    });
  });

  it.each(Object.entries(WAITING))("waits while %s", (_, [machine, reason]) => {
    expect(machineExists.judge(factsOf(aCsr(), { machine }))).toMatchObject({ kind: "Wait", reason });
  });

  it("refuses a Machine that is being deleted, which machine-approver accepts", () => {
    const machine = foundMachine({ isDeleting: true });
    expect(machineExists.judge(factsOf(aCsr(), { machine }))).toMatchObject({
      kind: "Deny",
      reason: "MachineIsBeingDeleted",
    });
  });

  it("refuses a request that says another provider ID than its Machine's", () => {
    const machine = present({ kind: "OtherProviderId", machine: aMachine(), providerId: "aws:///other" });
    expect(machineExists.judge(factsOf(aCsr(), { machine }))).toMatchObject({
      kind: "Deny",
      reason: "ProviderIdIsAnother",
    });
  });
});

describe("machine-has-no-other-node", () => {
  it.each([undefined, "worker-3"])("passes a Machine whose node is %s", (nodeName) => {
    expect(machineHasNoOtherNode.judge(factsOf(aCsr(), { machine: foundMachine({ nodeName }) }))).toEqual({
      kind: "Pass",
    });
  });

  it("refuses a Machine that is another node", () => {
    const facts = factsOf(aCsr(), { machine: foundMachine({ nodeName: "worker-4" }) });
    expect(machineHasNoOtherNode.judge(facts)).toMatchObject({ kind: "Deny", reason: "MachineHasANode" });
  });

  describe("while the Machine has no node", () => {
    const machine = foundMachine();

    it("waits for the name that has the Machine already, and says who it is", () => {
      const holders = { kind: "Present", value: [{ nodeName: "worker-4", by: "request csr-first" }] } as const;
      expect(machineHasNoOtherNode.judge(factsOf(aCsr(), { machine, holders }))).toMatchObject({
        kind: "Wait",
        reason: "MachineIsClaimed",
        message: expect.stringContaining("as node worker-4 already, by request csr-first"),
      });
    });

    it("passes when nobody else has it, and when its nodeRef says that the one who asks is right", () => {
      const nobody = { kind: "Present", value: [] } as const;
      expect(machineHasNoOtherNode.judge(factsOf(aCsr(), { machine, holders: nobody }))).toEqual({ kind: "Pass" });
      const holders = { kind: "Present", value: [{ nodeName: "worker-4", by: "request csr-first" }] } as const;
      const linked = foundMachine({ nodeName: "worker-3" });
      expect(machineHasNoOtherNode.judge(factsOf(aCsr(), { machine: linked, holders }))).toEqual({ kind: "Pass" });
    });

    it("waits while it is not known who else may have it", () => {
      const holders = { kind: "NotRead", why: "no list" } as const;
      expect(machineHasNoOtherNode.judge(factsOf(aCsr(), { machine, holders }))).toMatchObject({
        kind: "Wait",
        reason: "HoldersAreNotRead",
      });
    });
  });

  it("does not pass without a Machine", () => {
    expect(machineHasNoOtherNode.judge(factsOf(aCsr()))).toMatchObject({ kind: "Wait", reason: "MachinesAreNotRead" });
  });
});

describe("machine-is-ready", () => {
  it.each([true, undefined])("passes when isBootstrapReady is %s: OpenShift does not say", (isBootstrapReady) => {
    expect(machineIsReady.judge(factsOf(aCsr(), { machine: foundMachine({ isBootstrapReady }) }))).toEqual({
      kind: "Pass",
    });
  });

  it("waits while the bootstrap data is not made", () => {
    const machine = foundMachine({ isBootstrapReady: false });
    expect(machineIsReady.judge(factsOf(aCsr(), { machine }))).toMatchObject({
      kind: "Wait",
      reason: "MachineIsNotReady",
    });
  });

  it("does not pass without a Machine, but is not about renewals", () => {
    expect(machineIsReady.judge(factsOf(aCsr(), { machine: { kind: "Absent" } }))).toMatchObject({ kind: "Wait" });
    const renewal = factsOf(aCsr(from(aNode("worker-3"))), { machine: foundMachine({ isBootstrapReady: false }) });
    expect(machineIsReady.judge(renewal)).toMatchObject({ kind: "Pass" });
  });
});

describe("node-is-not-registered-yet", () => {
  const key = generatePrivateKey("P-256");
  const sameKey = keyDigestOf(parsePublicKey(key.signer.publicKey));

  function aClaim(changed: Partial<Claim> = {}): ApprovalFacts["claims"] {
    const claim: Claim = {
      csrName: "csr-first",
      csrUid: "first",
      nodeName: "worker-3",
      signerName: KUBELET_CLIENT_SIGNER,
      isFirst: true,
      approvedMs: START_MS,
      keyDigest: "another key",
      standing: "Approved",
      notAfterMs: undefined,
      credential: undefined,
      requesterCredential: undefined,
      providerId: undefined,
      ...changed,
    };
    return { kind: "Present", value: [claim] };
  }

  const registered: ApprovalFacts["node"] = {
    kind: "Present",
    value: { uid: "node", isControlPlane: false, addresses: [] },
  };
  const unread = { kind: "NotRead", why: "the list of nodes is not complete yet" } as const;

  const ALLOWED: Record<string, Partial<ApprovalFacts>> = {
    "a name that nobody holds": {},
    "the same key again, after a crash": { claims: aClaim({ keyDigest: sameKey }) },
    "a name whose certificate has expired": { claims: aClaim({ notAfterMs: START_MS }) },
  };

  const REFUSED: Record<string, [Partial<ApprovalFacts>, string]> = {
    "the name of a registered node": [{ node: registered }, "NodeIsRegistered"],
    "the name of a registered node, with its own key": [
      { node: registered, claims: aClaim({ keyDigest: sameKey }) },
      "NodeIsRegistered",
    ],
    "a name that was approved for another key": [{ claims: aClaim() }, "NameIsClaimed"],
    "a name with another key's valid certificate": [{ claims: aClaim({ notAfterMs: START_MS + 1 }) }, "NameIsClaimed"],
  };

  const WAITING: Record<string, [Partial<ApprovalFacts>, string]> = {
    "nobody could look for the node": [{ node: unread }, "NodeIsNotRead"],
    "nobody could look for claims": [{ claims: unread }, "ClaimsAreNotRead"],
    "a rival's approval is on its way": [{ claims: aClaim({ standing: "Reserved" }) }, "NameIsBeingClaimed"],
  };

  it.each(Object.entries(ALLOWED))("passes %s", (_, facts) => {
    expect(nodeIsNotRegisteredYet.judge(factsOf(aCsr(withKey(key)), facts))).toMatchObject({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, [facts, reason]) => {
    expect(nodeIsNotRegisteredYet.judge(factsOf(aCsr(withKey(key)), facts))).toMatchObject({ kind: "Deny", reason });
  });

  it.each(Object.entries(WAITING))("waits while %s", (_, [facts, reason]) => {
    expect(nodeIsNotRegisteredYet.judge(factsOf(aCsr(withKey(key)), facts))).toMatchObject({ kind: "Wait", reason });
  });

  it("does not count the request's own claim, so that an approval without an answer can be sent again", () => {
    const csr = aCsr();
    const claims = aClaim({ csrUid: csr.metadata.uid ?? "", standing: "Reserved" });
    expect(nodeIsNotRegisteredYet.judge(factsOf(csr, { claims }))).toMatchObject({ kind: "Pass" });
  });

  it("passes a node that renews its own certificate, registered as it is", () => {
    const csr = aCsr(from(aNode("worker-3")));
    expect(nodeIsNotRegisteredYet.judge(factsOf(csr, { node: registered, claims: aClaim() }))).toMatchObject({
      kind: "Pass",
    });
  });
});

describe("request-is-in-the-joining-window", () => {
  /** The request of the builder is as old as its Machine. */
  const CREATED = Date.parse("2026-01-01T00:00:00Z");
  const HOUR_MS = 3_600_000;

  function judge(machineCreatedMs: number, policy = aPolicy()) {
    const machine = foundMachine({ createdMs: machineCreatedMs });
    return requestIsInTheJoiningWindow.judge(factsOf(aCsr(), { machine, policy }));
  }

  it.each<[string, number]>([
    ["at once", CREATED],
    ["a millisecond before the window ends", CREATED - 2 * HOUR_MS + 1],
    ["within the skew of the clocks of two clusters", CREATED + 9_999],
  ])("passes a request %s", (_, createdMs) => {
    expect(judge(createdMs).kind).toBe("Pass");
  });

  it.each<[string, number, string]>([
    ["when the window is over", CREATED - 2 * HOUR_MS, "JoiningWindowIsOver"],
    ["that is older than its Machine", CREATED + 10_000, "RequestIsOlderThanItsMachine"],
  ])("refuses a request %s", (_, createdMs, reason) => {
    expect(judge(createdMs)).toMatchObject({ kind: "Deny", reason });
  });

  it("has a window that slow metal can have longer (issue 36)", () => {
    const policy = aPolicy({ client: { joinWindowSeconds: 86_400 } });
    expect(judge(CREATED - 23 * HOUR_MS, policy).kind).toBe("Pass");
    expect(judge(CREATED - 24 * HOUR_MS, policy).kind).toBe("Deny");
  });

  it("waits while the Machine has no age, and is not about renewals", () => {
    expect(judge(Number.NaN)).toMatchObject({ kind: "Wait", reason: "MachineAgeIsUnknown" });
    const old = foundMachine({ createdMs: 0 });
    const renewal = factsOf(aCsr(from(aNode("worker-3"))), { machine: old, policy: aPolicy() });
    expect(requestIsInTheJoiningWindow.judge(renewal)).toMatchObject({ kind: "Pass" });
  });
});
