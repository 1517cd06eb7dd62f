// A machine with a TPM, at a real API server: files its hello, waits for the challenge, answers. Honest by default; a
// test spoils one step of it. The TPM is one in software (soft-tpm.ts), so that a forger can be one too.

import { type CertificateSigningRequest, findCondition } from "../../src/api/certificates/index.ts";
import { CSRS } from "../../src/api/meta/index.ts";
import {
  beaconExtraData,
  CHALLENGE_ANNOTATION,
  type Draft,
  draftRequest,
  type EvidenceBody,
  exchangeExtraData,
  type FinishedRequest,
  finishRequest,
  type Protocol,
  parseBeacon,
  parseChallenge,
  type Statement,
  type TpmHello,
  type TpmProof,
  transcriptDigest,
} from "../../src/attestation/evidence/index.ts";
import { encodeBase64 } from "../../src/kernel/bytes/index.ts";
import type { SubjectAltNameTemplate } from "../../src/kernel/x509/index.ts";
import { generatePrivateKey, type PrivateKey } from "../../src/platform/keys/index.ts";
import type { KubeClient } from "../../src/platform/kube/index.ts";
import { aSoftTpm, type QuoteOptions, type SoftTpm } from "./soft-tpm.ts";

type Csr = CertificateSigningRequest;

export interface MachineOptions {
  readonly client: KubeClient;
  readonly statement: Statement;
  readonly tpm?: SoftTpm;
  readonly key?: PrivateKey;
  readonly names?: SubjectAltNameTemplate;
  readonly protocol?: Protocol;
  readonly metadata?: Csr["metadata"];
  /** What the hello shows of the endorsement key, in place of the TPM's own without a certificate. */
  readonly endorsement?: NonNullable<TpmHello["endorsement"]>;
}

export interface AnswerOptions {
  readonly secret?: Uint8Array;
  readonly key?: PrivateKey;
  readonly statement?: Partial<Statement>;
  readonly quote?: Partial<QuoteOptions>;
  readonly tpm?: SoftTpm;
  readonly alter?: (proof: TpmProof) => TpmProof;
  /** What the quote is made over, where it differs from what is sent. */
  readonly quoted?: { readonly statement?: Partial<Statement>; readonly names?: SubjectAltNameTemplate };
}

const PROTOCOL: Protocol = { provider: "tpm", version: 1 };
/** The counters of all quotes of a test run, so that each is later than the last. */
let clock = 1_000n;

export interface AttestingMachine {
  readonly tpm: SoftTpm;
  readonly key: PrivateKey;
  hello(): Promise<Csr>;
  /** The hello, not sent. */
  draftHello(): FinishedRequest;
  /** The challenged hello → the proof, not sent. */
  answer(hello: Csr, options?: AnswerOptions): FinishedRequest;
  send(finished: FinishedRequest, metadata?: Csr["metadata"]): Promise<Csr>;
  /** A renewal by beacon. */
  beaconRenewal(beacon: string): FinishedRequest;
}

export function anAttestingMachine(options: MachineOptions): AttestingMachine {
  const { client, statement, tpm = aSoftTpm(), protocol = PROTOCOL } = options;
  const key = options.key ?? generatePrivateKey("P-256");
  const send = (finished: FinishedRequest, metadata: Csr["metadata"] = {}) =>
    client.create<Csr>(CSRS, csrOf(finished, metadata));
  const draftHello = () => {
    const shown = options.endorsement ?? { ek: tpm.ek.raw, ekChain: [] };
    const endorsement = statement.intent === "renew" ? undefined : shown;
    const body: EvidenceBody = { kind: "tpm-hello", ak: tpm.ak.raw, endorsement };
    return finishRequest(draftRequest({ step: "hello", statement, protocol, key: key.signer }), { body });
  };
  return {
    tpm,
    key,
    send,
    hello: () => send(draftHello(), options.metadata),
    draftHello,
    answer: (hello, spoiled = {}) => answer({ ...options, tpm, key, protocol }, hello, spoiled),
    beaconRenewal: (text) => {
      const beacon = parseBeacon(text);
      const draft = draftRequest({ step: "single", statement, protocol, key: key.signer, names: options.names });
      const freshness = { kind: "beacon", epoch: beacon.epoch, kid: beacon.kid } as const;
      const digest = transcriptDigest({ statement, protocol, spki: draft.spki, cri: draft.cri, freshness });
      const body = proofOf(tpm, { extraData: beaconExtraData(beacon.nonce, digest), pcrs: [0, 1, 2, 3, 4, 5, 6, 7] });
      return finishRequest(draft, { body, beacon: { epoch: beacon.epoch, kid: beacon.kid } });
    },
  };
}

function csrOf({ name, request, signerName, usages }: FinishedRequest, metadata: Csr["metadata"]): Csr {
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name, ...metadata },
    spec: { request: encodeBase64(request), signerName, usages },
  };
}

interface Equipped extends MachineOptions {
  readonly tpm: SoftTpm;
  readonly key: PrivateKey;
  readonly protocol: Protocol;
}

function answer(machine: Equipped, hello: Csr, spoiled: AnswerOptions): FinishedRequest {
  const annotation = hello.metadata.annotations?.[CHALLENGE_ANNOTATION] ?? "";
  const { challenge } = parseChallenge(annotation);
  if (challenge.alg !== "tpm2-credential") throw new Error("this machine answers with a TPM");
  const { protocol } = machine;
  const tpm = spoiled.tpm ?? machine.tpm;
  const statement = { ...machine.statement, ...spoiled.statement };
  const key = spoiled.key ?? machine.key;
  const draft = draftRequest({ step: "proof", statement, protocol, key: key.signer, names: machine.names });
  const helloRequest = new Uint8Array(Buffer.from(hello.spec.request, "base64"));
  const uid = hello.metadata.uid ?? "";
  const freshness = { kind: "challenge", helloRequest, helloUid: uid, annotation } as const;
  const over = overOf(draft, spoiled);
  const digest = transcriptDigest({ statement: over.statement, protocol, spki: over.spki, cri: over.cri, freshness });
  const secret = spoiled.secret ?? machine.tpm.open(challenge);
  const quoted = { extraData: exchangeExtraData(secret, digest), pcrs: challenge.pcrs, ...spoiled.quote };
  const made = proofOf(tpm, quoted);
  const named = { name: hello.metadata.name ?? "", uid };
  return finishRequest(draft, { body: spoiled.alter?.(made) ?? made, hello: named });
}

/** The request that the quote speaks of: the one that is sent, unless a forger has another in mind. */
function overOf(draft: Draft, { quoted }: AnswerOptions): Draft {
  if (quoted === undefined) return draft;
  return draftRequest({
    ...draft,
    statement: { ...draft.statement, ...quoted.statement },
    names: quoted.names ?? draft.names,
  });
}

function proofOf(tpm: SoftTpm, quoted: Pick<QuoteOptions, "extraData" | "pcrs"> & Partial<QuoteOptions>): TpmProof {
  clock += 1_000n;
  const values = quoted.pcrs.map((pcr) => new Uint8Array(32).fill(pcr));
  const { attest, signature } = tpm.quote({ values, clock, ...quoted });
  return { kind: "tpm-proof", attest, signature, pcrs: [...(quoted.values ?? values)] };
}

/** The reason of its denial or failure. */
export function refusalOf(csr: Csr): string | undefined {
  return (findCondition(csr, "Denied") ?? findCondition(csr, "Failed"))?.reason;
}
