// Requests that carry evidence: read, find the provider, run its exchange. Step "dispatch" of the journey.
// Requests for one node name, and those of one machine, are judged one after another: the second must see the outcome
// of the first.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import type { Policy } from "../../api/countersign/index.ts";
import { type EvidenceFacts, envelopeIn, READABLE_RULES, signerParts } from "../../attestation/rules/index.ts";
import { type Judgement, judgeInOrder, wait } from "../../kernel/outcome/index.ts";
import { type Handler, type KeyedLock, type Next, UNTIL_CHANGED } from "../loop/index.ts";
import { gatherEvidence } from "./exchange/gather.ts";
import { runExchange } from "./exchange/run.ts";
import type { AttestationWorld, EvidenceLook } from "./exchange/world.ts";
import { isSettled } from "./look.ts";
import { type Pending, providerKey } from "./pending.ts";
import { carriesEvidence, recipientsOf } from "./reading.ts";
import { refusedBy, settle } from "./settle.ts";
import { tidySettled } from "./tidy-settled.ts";

interface EvidenceJudge {
  /** Whether the request is judged here. */
  takes(csr: CertificateSigningRequest, nodeName: () => string | undefined): boolean;
  readonly handle: Handler;
}

interface EvidenceJudgeOptions {
  readonly world: AttestationWorld;
  readonly getCsr: (name: string) => CertificateSigningRequest | undefined;
  readonly pending: Pending;
  /** Shared with the judge of requests without evidence. */
  readonly locks: KeyedLock;
}

export function createEvidenceJudge({ world, getCsr, pending, locks }: EvidenceJudgeOptions): EvidenceJudge {
  async function dispatch(look: EvidenceLook): Promise<Next> {
    const broken = world.policies.broken();
    if (broken.length > 0) return await settle(world, look, unreadablePolicy(broken));
    const { envelope } = look;
    if (envelope === undefined) return await refuseUnreadable(look);
    const provider = world.providers.find(({ name }) => name === envelope.protocol.provider);
    if (provider === undefined) return await refuseUnreadable(look);
    return await runExchange(world, { ...look, envelope }, provider);
  }

  async function refuseUnreadable(look: EvidenceLook): Promise<Next> {
    return await settle(world, look, judgeReadable(await gatherEvidence(world, look, { isLive: false })));
  }

  return {
    takes: (csr, nodeName) => {
      if (!world.servedSigners.includes(csr.spec.signerName)) return false;
      if (carriesEvidence(csr)) return true;
      // A node that was ever attested or enrolled does not fall back to a request without evidence; nor does any node
      // while its identity is not known.
      if (!isOurs(csr)) return false;
      return !world.identities.hasSynced() || world.identities.find(nodeName() ?? "").kind === "Present";
    },
    handle: async (key, signal) => {
      const csr = getCsr(key);
      pending.forget(key);
      if (csr === undefined || csr.metadata.deletionTimestamp !== undefined) return UNTIL_CHANGED;
      await world.limits.overflow.sweep();
      if (isSettled(csr)) return await tidySettled(world, csr, getCsr);
      const read = world.readRequest(csr, await recipientsOf(world.keys, csr));
      const envelope = envelopeIn(read);
      const policy: Policy | undefined = world.policies.of(csr.spec.signerName, envelope?.node);
      const look = { ...read, policy, envelope, signal };
      // With evidence or without: a refusal that rests on an identity that was not read yet would be final.
      if (!world.identities.hasSynced()) return await settle(world, look, UNKNOWN_IDENTITIES);
      if (envelope === undefined) return await dispatch(look);
      pending.note(key, [envelope.node, providerKey(envelope.providerId)]);
      const ofMachine = providerKey(envelope.providerId);
      return await locks.run(envelope.node, () => locks.run(`machine:${ofMachine}`, () => dispatch(look)));
    },
  };
}

function isOurs({ spec }: CertificateSigningRequest): boolean {
  return signerParts(spec.signerName) !== undefined;
}

/** What cannot be read, or is no provider's of ours, is refused by the rules that every request with evidence meets. */
function judgeReadable(facts: EvidenceFacts): Judgement {
  const judgement = judgeInOrder(READABLE_RULES, facts, { reason: "Readable", message: "the evidence can be read" });
  if (judgement.verdict.kind !== "Allow") return judgement;
  const message = "the evidence can be read, and no verifier judges it";
  return refusedBy(judgement, "provider-is-authorized", { reason: "ProviderUnknown", message });
}

/** Identities are listed within seconds of the start, and a machine waits. */
const RETRY_UNLISTED_MS = 500;

const UNKNOWN_IDENTITIES: Judgement = {
  verdict: wait(
    {
      rule: "identity-keeps-its-pins",
      reason: "IdentityNotRead",
      message: "it is not known yet whether the node was ever attested",
    },
    RETRY_UNLISTED_MS,
  ),
  trail: [],
};

const RETRY_POLICY_MS = 60_000;

function unreadablePolicy(broken: readonly string[]): Judgement {
  const said = { rule: "policies-are-readable", reason: "PolicyIsUnreadable", message: broken.join("; ") };
  return { verdict: wait(said, RETRY_POLICY_MS), trail: [] };
}
