import { describe, expect, it } from "vitest";
import { aCsr, forNode, named, withSigner } from "../../../test/builders/csr.ts";
import { aNodeUser, anExchange, anIdentity } from "../../../test/builders/exchange.ts";
import { aSoftTpm } from "../../../test/builders/soft-tpm.ts";
import { INSECURE_CLIENT_SIGNER, KUBELET_CLIENT_SIGNER } from "../../api/certificates/index.ts";
import type { NodeIdentity } from "../../api/countersign/index.ts";
import type { RequestObject } from "../../attestation/rules/index.ts";
import { encodeBase64 } from "../../kernel/bytes/index.ts";
import type { Judgement, Seen } from "../../kernel/outcome/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import { createKeyedLock } from "../loop/index.ts";
import { createEvidenceJudge } from "./evidence.ts";
import type { AttestationWorld } from "./exchange/world.ts";
import { createPending } from "./pending.ts";
import { createRequestReader } from "./reading.ts";

const specOf = ({ signerName, request }: RequestObject) => ({ signerName, request: encodeBase64(request) });
const UNKNOWN = { kind: "NotRead", why: "not listed yet" } as const;

const bareRequest = () => aCsr(named("insecurely"), forNode("worker-1"), withSigner(INSECURE_CLIENT_SIGNER));

function anAttestation(hasSynced: boolean, identity: Seen<NodeIdentity>, csr = bareRequest()) {
  const said: string[] = [];
  const world = {
    servedSigners: [INSECURE_CLIENT_SIGNER, KUBELET_CLIENT_SIGNER],
    identities: { hasSynced: () => hasSynced, find: () => identity },
    policies: { of: () => undefined, broken: () => [] },
    limits: { overflow: { sweep: async () => undefined, isOver: () => false } },
    act: { act: async (_: unknown, { verdict }: Judgement) => void said.push(`${verdict.kind} ${verdict.reason}`) },
    readRequest: createRequestReader().evidence,
    keys: { ring: async () => ({ recipients: [] }) },
    log: silentLog,
  } as unknown as AttestationWorld;
  const attestation = createEvidenceJudge({
    world,
    getCsr: () => csr,
    pending: createPending(),
    locks: createKeyedLock(),
  });
  return { attestation, csr, said };
}

describe("a request that proves nothing, under the signer that asks for nothing", () => {
  const takes = (hasSynced: boolean, identity: Seen<NodeIdentity>) => {
    const { attestation, csr } = anAttestation(hasSynced, identity);
    return attestation.takes(csr, () => "worker-1");
  };

  it("is left to approval where its node was never attested, or nobody can be", () => {
    expect(takes(true, { kind: "Absent" })).toBe(false);
    expect(takes(true, UNKNOWN)).toBe(false);
  });

  it("is judged here where its node was attested before", () => {
    expect(takes(true, { kind: "Present", value: anIdentity(aSoftTpm()) })).toBe(true);
  });

  it("waits while it is not known whether its node was: a management cluster that is away opens nothing", async () => {
    expect(takes(false, UNKNOWN)).toBe(true);
    const { attestation, said } = anAttestation(false, UNKNOWN);
    expect(await attestation.handle("insecurely", new AbortController().signal)).toEqual({ afterMs: 500 });
    expect(said).toEqual(["Wait IdentityNotRead"]);
  });

  it("waits likewise with the evidence of a renewal, which would be refused for good by what nobody has read", async () => {
    const { hello } = anExchange({ statement: { intent: "renew" }, requester: aNodeUser() });
    const csr = { ...bareRequest(), spec: { ...bareRequest().spec, ...specOf(hello) } };
    const { attestation, said } = anAttestation(false, UNKNOWN, csr);
    expect(await attestation.handle("renewal", new AbortController().signal)).toEqual({ afterMs: 500 });
    expect(said).toEqual(["Wait IdentityNotRead"]);
  });

  it("is none of its business under a signer of Kubernetes' own", () => {
    const { attestation } = anAttestation(false, UNKNOWN);
    expect(attestation.takes(aCsr(withSigner(KUBELET_CLIENT_SIGNER)), () => "worker-1")).toBe(false);
  });
});
