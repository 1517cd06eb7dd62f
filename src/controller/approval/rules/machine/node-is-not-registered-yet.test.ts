import { describe, expect, it } from "vitest";
import { aCsr, aNode, from, withKey } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { START_MS } from "../../../../../test/fakes/clock.ts";
import { KUBELET_CLIENT_SIGNER } from "../../../../api/certificates/index.ts";
import { parsePublicKey } from "../../../../kernel/x509/index.ts";
import { generatePrivateKey } from "../../../../platform/keys/index.ts";
import type { ApprovalFacts, Claim } from "../../facts.ts";
import { keyDigestOf } from "../../identity.ts";
import { nodeIsNotRegisteredYet } from "./node-is-not-registered-yet.ts";

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

describe("node-is-not-registered-yet", () => {
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
