// The judge of requests without evidence: gather → judge → act. Step "judge" of the journey.
// Requests for one node name are judged one after another: the second must see what became of the first.

import { type CertificateSigningRequest, purposeOf } from "../../api/certificates/index.ts";
import type { Policy } from "../../api/countersign/index.ts";
import { providerIdOf } from "../../attestation/evidence/index.ts";
import { createKeyedLock, type Handler, type KeyedLock, type Next, UNTIL_CHANGED } from "../loop/index.ts";
import { isBuiltInSigner } from "../signers.ts";
import { type Act, type ActOptions, createAct } from "./act.ts";
import { admittingMachine, namesOfMachine } from "./gather/machine.ts";
import { gather } from "./gather.ts";
import { type Judgement, judgeApproval, judgeNames } from "./judge.ts";
import { type GatherOptions, isSettled, type Judged } from "./look.ts";
import { type Pending, providerKey } from "./pending.ts";
import { type RequestReader, readRequest, wantedNode } from "./reading.ts";
import { verdictOn } from "./record.ts";

interface PlainJudgeOptions extends Omit<GatherOptions, "client">, ActOptions {
  readonly getCsr: (name: string) => CertificateSigningRequest | undefined;
  readonly pending: Pending;
  /** Shared with the judge of evidence. Default: its own. */
  readonly writer?: Act | undefined;
  /** Shared likewise: requests for one node name are judged one after another. */
  readonly locks?: KeyedLock | undefined;
  /** Default: without a memory. */
  readonly readRequest?: RequestReader["plain"] | undefined;
}

export interface PlainJudge {
  readonly handle: Handler;
  /** False for a request that `handle` would leave as it is: it need not be queued. */
  wants(csr: CertificateSigningRequest): boolean;
  /**
   * For a request with evidence: an objection to its names is written down; undefined where there is none.
   */
  vetNames(csr: CertificateSigningRequest, signal: AbortSignal): Promise<Next | undefined>;
  /** The request was deleted. */
  forget(csr: CertificateSigningRequest): void;
}

export function createPlainJudge(options: PlainJudgeOptions): PlainJudge {
  const { locks = createKeyedLock() } = options;
  const act = options.writer ?? createAct(options);
  const read = options.readRequest ?? (({ spec }: CertificateSigningRequest) => readRequest(spec.request));

  /**
   * Requests of foreign signers are left alone (signer-is-served); reading their requests would be a third of all work.
   */
  function isMine(csr: CertificateSigningRequest): boolean {
    const isServed = options.servedSigners.includes(csr.spec.signerName);
    return isServed && (!isSettled(csr) || options.surroundings.policies.hasShadow());
  }

  async function decide(judged: Judged, signal: AbortSignal): Promise<Next> {
    return await write(judged, judgeApproval(await gather(options, judged, signal)));
  }

  async function write(judged: Judged, judgement: Judgement): Promise<Next> {
    const { csr, reading } = judged;
    await act.act({ csr, request: reading.kind === "Readable" ? reading.request : undefined }, judgement);
    return judgement.verdict.kind === "Wait" ? { afterMs: judgement.verdict.retryAfterMs } : UNTIL_CHANGED;
  }

  /**
   * A Machine becomes one node, whatever name it is asked for under: two of its names are judged one after the other
   * too.
   */
  function decideInTurn(judged: Judged, nodeName: string, signal: AbortSignal): Promise<Next> {
    const machine = admittingMachine(options, judged);
    const names = machine === undefined ? [] : namesOfMachine(machine, judged.policy?.machines.nameFrom ?? []);
    const keys = new Set([nodeName, ...names, ...providerKeysOf(judged)]);
    options.pending.note(judged.csr.metadata.name ?? "", [...keys]);
    const decideLocked = () => locks.run(nodeName, () => decide(judged, signal));
    return machine === undefined ? decideLocked() : locks.run(`machine:${machine.uid}`, decideLocked);
  }

  return {
    handle: async (key, signal) => {
      const csr = options.getCsr(key);
      options.pending.forget(key);
      if (csr === undefined || !isMine(csr)) return UNTIL_CHANGED;
      const reading = read(csr);
      const nodeName = wantedNode(reading);
      const policy = options.surroundings.policies.of(csr.spec.signerName, nodeName);
      if (isSettled(csr) && !isUnrecorded(csr, policy)) return UNTIL_CHANGED;
      const judged = { csr, reading, policy };
      return nodeName === undefined ? decide(judged, signal) : decideInTurn(judged, nodeName, signal);
    },
    vetNames: async (csr, signal) => {
      const objection = isSettled(csr)
        ? undefined
        : await objectionToNames({ ...options, readRequest: read }, csr, signal);
      if (objection === undefined) return undefined;
      options.pending.note(csr.metadata.name ?? "", [objection.nodeName]);
      return await write(objection.judged, objection.judgement);
    },
    // Under our own signers a verdict is not the end: attestation tidies up after it.
    wants: (csr) => isMine(csr) || !isBuiltInSigner(csr.spec.signerName),
    forget: (csr) => {
      options.pending.forget(csr.metadata.name ?? "");
      act.forget(csr.metadata.uid ?? "");
    },
  };
}

function providerKeysOf({ reading }: Judged): readonly string[] {
  const providerId = reading.kind === "Readable" ? providerIdOf(reading.request) : undefined;
  return providerId === undefined ? [] : [providerKey(providerId)];
}

/** A policy in Shadow also wants to know what it would have said about a request that others have decided. */
function isUnrecorded(csr: CertificateSigningRequest, policy: Policy | undefined): boolean {
  return policy?.mode === "Shadow" && csr.metadata.deletionTimestamp === undefined && verdictOn(csr) === undefined;
}

// The names of a serving request that carries evidence: proof of what a machine is makes no name its own that is no
// node's. Judged before the evidence, where a policy covers the request; without one only the addresses of a Machine
// count, which are the infrastructure's word.
interface Objection {
  readonly nodeName: string;
  readonly judged: Judged;
  readonly judgement: Judgement;
}

async function objectionToNames(
  options: GatherOptions & { readonly readRequest: RequestReader["plain"] },
  csr: CertificateSigningRequest,
  signal: AbortSignal,
): Promise<Objection | undefined> {
  const { signerName } = csr.spec;
  if (purposeOf(signerName) !== "NodeServing") return undefined;
  const reading = options.readRequest(csr);
  const nodeName = wantedNode(reading);
  const policy = options.surroundings.policies.of(signerName, nodeName);
  if (nodeName === undefined || policy === undefined) return undefined;
  const judged = { csr, reading, policy };
  const judgement = judgeNames(await gather(options, judged, signal));
  return judgement.verdict.kind === "Allow" ? undefined : { nodeName, judged, judgement };
}
