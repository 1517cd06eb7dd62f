import { describe, expect, it } from "vitest";
import { aCsr, forNode, withSigner } from "../../../test/builders/csr.ts";
import { aNodeUser, anIdentity, CREDENTIAL, NODE, NOW_MS } from "../../../test/builders/exchange.ts";
import { aSoftTpm } from "../../../test/builders/soft-tpm.ts";
import { KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER } from "../../api/certificates/index.ts";
import { type NodeIdentity, readJoinPolicy } from "../../api/countersign/index.ts";
import type { JoinPolicySpec } from "../../api/countersign/join-policy.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import { createCustody } from "./unproven.ts";

const HOUR_MS = 3_600_000;
const at = (ageMs: number) => new Date(NOW_MS - ageMs).toISOString();
const tpm = aSoftTpm();
const client = (sha256: string, more: object = {}) =>
  ({
    sha256,
    serialNumber: "1",
    purpose: "Client",
    issuedAt: at(HOUR_MS),
    notAfter: at(-23 * HOUR_MS),
    ...more,
  }) as const;
const attested = (more: Partial<NodeIdentity["status"] & object> = {}) =>
  anIdentity(tpm, { attestedAt: at(HOUR_MS), certificates: [client(CREDENTIAL)], ...more });

interface Asked {
  readonly identity?: Seen<NodeIdentity>;
  readonly policy?: Partial<JoinPolicySpec>;
  readonly signer?: string;
  readonly hasSynced?: boolean;
}

async function ask({ identity, policy, signer = KUBELET_SERVING_SIGNER, hasSynced = true }: Asked): Promise<string> {
  const found = identity ?? { kind: "Present", value: attested() };
  const custody = createCustody({
    identities: { find: () => found, hasSynced: () => hasSynced },
    nowMs: () => NOW_MS,
  });
  const csr = aCsr(forNode(NODE), withSigner(signer));
  const { username, groups, extra = {} } = aNodeUser();
  const stamped = { ...csr, spec: { ...csr.spec, username, groups, extra } } as typeof csr;
  const read =
    policy === undefined
      ? undefined
      : readJoinPolicy({ metadata: { name: "p" }, spec: { mode: "Enforce", ...policy } });
  const answer = await custody(stamped, { nodeName: NODE, policy: read } as never, AbortSignal.timeout(1_000));
  if (answer.kind !== "Present") return answer.kind;
  return answer.value.kind === "Pass" ? "Pass" : `${answer.value.kind} ${answer.value.reason}`;
}

const present = (value: NodeIdentity): Seen<NodeIdentity> => ({ kind: "Present", value });

describe("custody of a certificate that was given for an attestation", () => {
  const rows: Readonly<Record<string, [Asked, string]>> = {
    "lets the kubelet ask for its serving certificate": [{}, "Pass"],
    "says nothing of a node that joined otherwise under a retired name": [
      { identity: present(attested({ phase: "Retired", certificates: [client("aa")] })) },
      "Absent",
    ],
    "says nothing of a node that was never attested": [{ identity: { kind: "Absent" } }, "Absent"],
    "says nothing of a node that proved nothing": [{ identity: present(attested({ provider: "insecure" })) }, "Absent"],
    "is waited for until identities are known": [
      { identity: { kind: "NotRead", why: "not yet" }, hasSynced: false },
      "NotRead",
    ],
    "lasts as long as the certificate by default": [
      { identity: present(attested({ attestedAt: at(24 * HOUR_MS + 1_000) })) },
      "Wait AttestationStale",
    ],
    "lasts as long as the policy says": [
      { policy: { serving: { maxAttestationAgeSeconds: 600 } } },
      "Wait AttestationStale",
    ],
    "is not enough where the policy wants evidence": [
      { policy: { serving: { evidence: "Required" } } },
      "Deny EvidenceRequired",
    ],
    "is not asked for a client certificate, for which the policy wants evidence": [
      { policy: {}, signer: KUBELET_CLIENT_SIGNER },
      "Deny EvidenceRequired",
    ],
    "is no matter of a client certificate where the policy does not": [
      { policy: { client: { admit: "Access" } }, signer: KUBELET_CLIENT_SIGNER },
      "Absent",
    ],
  };
  it.each(Object.entries(rows))("%s", async (_, [asked, expected]) => expect(await ask(asked)).toBe(expected));
});
