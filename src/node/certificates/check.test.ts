import { describe, expect, it } from "vitest";
import { aNodeCa, type NodeCertificateTemplate } from "../../../test/builders/node-ca.ts";
import { EKU_SERVER_AUTH } from "../../kernel/x509/index.ts";
import { generatePrivateKey } from "../../platform/keys/index.ts";
import { checkIssued, type IssuedFacts } from "./check.ts";

const nowMs = Date.now();
const ca = aNodeCa("cluster-ca", nowMs);
const otherCa = aNodeCa("cluster-ca", nowMs);
const { publicKey } = generatePrivateKey("P-256").signer;

function facts(template: Partial<NodeCertificateTemplate> = {}, spoiled: Partial<IssuedFacts> = {}): IssuedFacts {
  const certificatePem = ca.signNode({ publicKey, ...template });
  return { certificatePem, publicKey, nodeName: "worker-1", roots: [ca.certificate], nowMs, ...spoiled };
}

describe("an issued certificate", () => {
  it("is accepted when it is what was asked for", () => expect(checkIssued(facts()).kind).toBe("Allow"));

  it("is accepted with the CA behind it", () => {
    const certificatePem = facts().certificatePem + ca.certPem;
    expect(checkIssued(facts({}, { certificatePem })).kind).toBe("Allow");
  });

  it("is accepted when this node's clock is a little behind its start", () => {
    expect(checkIssued(facts({ notBeforeMs: nowMs + 120_000 })).kind).toBe("Allow");
  });

  const other = generatePrivateKey("P-256").signer.publicKey;
  const refused: Record<string, [string, IssuedFacts]> = {
    "it is not readable": ["certificate-is-readable", facts({}, { certificatePem: "nothing" })],
    "one block of the chain is broken": [
      "certificate-is-readable",
      facts({}, { certificatePem: facts().certificatePem + ca.certPem.replace("MII", "AAA") }),
    ],
    "it lacks a name that was asked for": [
      "certificate-has-our-names",
      facts({ usage: EKU_SERVER_AUTH }, { serving: { dnsNames: [], ipAddresses: ["192.0.2.1"] } }),
    ],
    "it is for another key": ["certificate-is-for-our-key", facts({ publicKey: other })],
    "the CA stands first": [
      "certificate-is-for-our-key",
      facts({}, { certificatePem: ca.certPem + facts().certificatePem }),
    ],
    "it is for another node": ["subject-is-our-node", facts({ nodeName: "worker-2" })],
    "it is for an administrator": ["subject-is-our-node", facts({ organizations: ["system:masters"] })],
    "it carries a group more": ["subject-is-our-node", facts({ organizations: ["system:nodes", "system:masters"] })],
    "it has ended": ["certificate-is-in-force", facts({ notAfterMs: nowMs - 1_000 })],
    "it is for servers": ["chain-ends-at-the-cluster-ca", facts({ usage: EKU_SERVER_AUTH })],
    "another CA of the same name signed it": [
      "chain-ends-at-the-cluster-ca",
      facts({}, { certificatePem: otherCa.signNode({ publicKey }) }),
    ],
    "no CA is known": ["chain-ends-at-the-cluster-ca", facts({}, { roots: [] })],
  };
  for (const [sentence, [rule, spoiled]] of Object.entries(refused)) {
    it(`is refused when ${sentence}`, () => expect(checkIssued(spoiled)).toMatchObject({ kind: "Deny", rule }));
  }
});
