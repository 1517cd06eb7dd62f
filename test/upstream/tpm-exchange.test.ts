// The node's end against a software TPM, and the controller's rules against what it sent: a join with RSA and ECC
// endorsement keys, an EK chain of swtpm's own CA, a renewal by beacon, crash and resume, and a TPM that is killed on
// the way.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  beaconEpoch,
  beaconNonce,
  CHALLENGE_ANNOTATION,
  type FinishedRequest,
} from "../../src/attestation/evidence/index.ts";
import {
  type CertificateRequests,
  type FoundRequest,
  loadExchange,
  runExchange,
} from "../../src/attestation/exchange/index.ts";
import { pinnedTpmKeys } from "../../src/attestation/tpm/facts.ts";
import { judgeOwnedTpmProof, judgeTpmBeacon, judgeTpmHello, judgeTpmProof } from "../../src/attestation/tpm/judge.ts";
import { withAttestationKey } from "../../src/attestation/tpm/keys.ts";
import {
  buildBeaconRenewal,
  buildHello,
  buildProof,
  createTpmProver,
  readTpmIdentity,
  TPM_PROTOCOLS,
} from "../../src/attestation/tpm/node.ts";
import { planPins } from "../../src/attestation/tpm/pins.ts";
import { isFault } from "../../src/kernel/outcome/index.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import { type EkTemplateName, getHandles, parsePublicArea } from "../../src/kernel/tpm/index.ts";
import { parseCertificate } from "../../src/kernel/x509/index.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { generatePrivateKey } from "../../src/platform/keys/index.ts";
import { openTpm, type Tpm } from "../../src/platform/tpm/index.ts";
import {
  aNodeUser,
  anObject,
  CLUSTER,
  type Exchange,
  HELLO_UID,
  helloFacts,
  KEYS,
  NOW_MS,
  PCRS,
  PROOF_UID,
  proofFacts,
  someStatement,
} from "../builders/exchange.ts";
import { missingTools, type Swtpm, startSwtpm } from "../builders/swtpm.ts";
import { challengeByController, recordVector, textOf } from "../builders/tpm-exchange.ts";
import { notRun } from "../not-run.ts";

const missing = missingTools("swtpm", "swtpm_setup");

describe.skipIf(notRun("an exchange with a software TPM", missing))("an exchange with a software TPM", () => {
  let swtpm: Swtpm;
  let tpm: Tpm;
  let directory: string;
  const protocol = TPM_PROTOCOLS[0]!;
  beforeAll(async () => {
    swtpm = await startSwtpm({ certificates: true });
    tpm = await openTpm(swtpm.address, { clock: systemClock, timeoutMs: 60_000 });
    directory = mkdtempSync(join(tmpdir(), "countersign-exchange-"));
  });
  afterAll(async () => {
    await tpm.close();
    await swtpm.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const authorities = () => {
    const [roots = [], intermediates = []] = swtpm.authorities.map((pem) =>
      parsePem(pem).map(({ bytes }) => parseCertificate(bytes)),
    );
    return { roots, intermediates };
  };

  const policy = { tpm: { firstUse: "Allow" } } as const;

  const CASES: readonly (readonly [EkTemplateName, "ecc" | "rsa"])[] = [
    ["L-1", "ecc"],
    ["L-1", "rsa"],
    ["H-3", "ecc"],
  ];
  it.each(CASES)(
    "joins with %s and an %s attestation key at first use, and renews by beacon",
    async (template, akKind) => {
      const ak = await withAttestationKey(tpm, akKind, async ({ publicArea }) => publicArea.raw);
      const identity = { ...(await readTpmIdentity(tpm, template)), akKind, ak };
      expect(identity.ekChain).toHaveLength(1);
      const input = { statement: someStatement(), protocol, key: generatePrivateKey("P-256").signer };
      const hello = anObject(buildHello(input, identity), HELLO_UID);
      const exchange = {
        tpm: { ek: parsePublicArea(identity.ek), ak: parsePublicArea(identity.ak) },
        hello,
      } as unknown as Exchange;
      const facts = { ...helloFacts(exchange, authorities()), policy };
      expect(judgeTpmHello(facts).verdict).toMatchObject({ kind: "Allow" });
      expect(judgeTpmHello({ ...facts, roots: [] }).verdict).toMatchObject({ reason: "EndorsementKeyUntrusted" });
      expect(judgeTpmHello({ ...facts, intermediates: [] }).verdict).toMatchObject({
        reason: "EndorsementKeyUntrusted",
      });
      expect(judgeTpmHello({ ...facts, policy: { tpm: {} } }).verdict).toMatchObject({
        reason: "EndorsementKeyUntrusted",
      });

      const annotation = challengeByController(hello);
      const sent = { name: hello.name, uid: HELLO_UID, request: hello.request, annotation };
      const proof = anObject(await buildProof(tpm, identity, { input, hello: sent }), PROOF_UID);
      const challenged = { ...hello, annotations: { [CHALLENGE_ANNOTATION]: annotation } };
      const owned = { ...proofFacts({ ...exchange, challenged, proof }), policy, ...authorities() };
      expect(judgeTpmProof(owned).verdict).toMatchObject({ kind: "Allow" });
      expect(judgeOwnedTpmProof(owned).verdict).toMatchObject({ kind: "Allow" });
      const recorded = { hello: textOf(hello), annotation, proof: textOf(proof), authorities: swtpm.authorities };
      recordVector(`exchange-${template}-${akKind}.json`.toLowerCase(), recorded);

      const status = {
        ...planPins(owned),
        certificates: [{ sha256: "c0".repeat(32), serialNumber: "1", notAfter: "", purpose: "Client" }],
      };
      const pinned = {
        kind: "Present",
        value: { apiVersion: "", kind: "", metadata: {}, spec: { nodeName: "worker-1" }, status },
      } as never;
      const renewal = { ...input, statement: someStatement({ intent: "renew" }) };
      const epoch = beaconEpoch(NOW_MS);
      const beacon = { epoch, kid: KEYS.kid, nonce: beaconNonce(KEYS, epoch, CLUSTER) };
      const single = anObject(
        await buildBeaconRenewal(tpm, identity.akKind, { input: renewal, beacon, pcrs: PCRS }),
        PROOF_UID,
        aNodeUser(),
      );
      const beaconFacts = {
        ...helloFacts({ ...exchange, hello: single }, { identity: pinned }),
        policy: { renewalBeacon: true },
        keys: pinnedTpmKeys(pinned),
        demandedPcrs: PCRS,
      };
      expect(judgeTpmBeacon(beaconFacts).verdict).toMatchObject({ kind: "Allow", reason: "Attested" });
    },
  );

  it("chooses the same endorsement key each time, and the first that has a certificate", async () => {
    const [first, second] = [await readTpmIdentity(tpm), await readTpmIdentity(tpm)];
    expect(first).toEqual(second);
    expect([first.template, first.ekChain.length, first.akKind]).toEqual(["L-1", 1, "ecc"]);
  });

  /** An API server of two objects, which answers every hello. */
  function aServer(options: { readonly dropAnswerOf?: number; readonly spoil?: boolean } = {}) {
    const objects = new Map<string, { request: FinishedRequest; uid: string }>();
    let creations = 0;
    const requests: CertificateRequests = {
      create: async (request) => {
        creations++;
        if (objects.has(request.name)) return undefined;
        const uid = objects.size === 0 ? HELLO_UID : PROOF_UID;
        objects.set(request.name, { request, uid });
        if (creations === options.dropAnswerOf) throw new Error("the process died here");
        return { uid };
      },
      find: async ({ name }) => {
        const object = objects.get(name);
        if (object === undefined) return { kind: "Gone" };
        const none: FoundRequest = {
          kind: "Found",
          isOurs: true,
          denied: undefined,
          challenge: undefined,
          certificate: undefined,
        };
        if (name.includes("-proof-")) return { ...none, uid: object.uid, certificate: "PEM" };
        const hello = anObject(object.request, object.uid);
        const text =
          options.spoil === true
            ? challengeByController({ ...hello, uid: PROOF_UID }).replace(
                /"credentialBlob":"..../,
                '"credentialBlob":"AEQB',
              )
            : challengeByController(hello);
        return { ...none, uid: object.uid, challenge: text };
      },
      untilChanged: async () => undefined,
    };
    return { requests, objects };
  }
  /** Each run is over with its keys flushed, as its caller ends it; the TPM itself stays open for the next. */
  const run = async (requests: CertificateRequests, name: string) => {
    const prover = createTpmProver({ ...tpm, close: async () => undefined });
    const input = { statement: someStatement() };
    try {
      return await runExchange({ prover, requests, path: join(directory, name), input, protocols: TPM_PROTOCOLS });
    } finally {
      await prover.close();
      expect(await tpm.send(getHandles(0x80000000))).toEqual([]);
    }
  };

  it("runs to a certificate, and after a crash behind each write goes on with the same requests", async () => {
    for (const dropAnswerOf of [0, 1, 2]) {
      const { requests, objects } = aServer({ dropAnswerOf });
      if (dropAnswerOf > 0) await expect(run(requests, `crash-${dropAnswerOf}`)).rejects.toThrow("died here");
      const { certificate, key } = await run(requests, `crash-${dropAnswerOf}`);
      expect([certificate, objects.size]).toEqual(["PEM", 2]);
      expect(key.encodePem()).toContain("EC PRIVATE KEY");
    }
  });

  it("gives up after three credentials that do not open", async () => {
    await expect(run(aServer({ spoil: true }).requests, "spoiled")).rejects.toThrow("ActivationFailed");
    expect(await loadExchange(join(directory, "spoiled"))).toBeUndefined();
  });

  it("says clearly that the TPM went away in the middle, and goes on when it is back", async () => {
    const second = await startSwtpm();
    const path = join(directory, "killed");
    const { requests } = aServer();
    const killing: CertificateRequests = {
      ...requests,
      find: async (request) => {
        const found = await requests.find(request);
        second.process.kill("SIGKILL");
        return found;
      },
    };
    const common = { path, input: { statement: someStatement() }, protocols: TPM_PROTOCOLS };
    const dying = await openTpm(second.address, { clock: systemClock, timeoutMs: 5_000 });
    const failure = await runExchange({ ...common, prover: createTpmProver(dying), requests: killing }).catch(
      (fault: unknown) => fault,
    );
    expect(isFault(failure, "unavailable")).toBe(true);
    await dying.close();
    const again = await startSwtpm({ directory: second.directory });
    const living = await openTpm(again.address, { clock: systemClock, timeoutMs: 5_000 });
    const { certificate } = await runExchange({ ...common, prover: createTpmProver(living), requests });
    expect(certificate).toBe("PEM");
    await living.close();
    await again.stop();
    await second.stop();
  });
});
