// What a forger gets out of a real TPM, as far as swtpm is one: attestation keys of other kinds and hierarchies, keys
// that the TPM does not hold, other agents' keys, another boot, and a copy of the TPM. With COUNTERSIGN_RECORD=1 what
// was tried becomes vectors 6 and 7 of test/vectors/attestation, which are replayed without a TPM.

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NodeIdentity } from "../../src/api/countersign/index.ts";
import { parseChallenge } from "../../src/attestation/evidence/index.ts";
import { judgeOwnedTpmProof } from "../../src/attestation/tpm/judge.ts";
import { readTpmIdentity } from "../../src/attestation/tpm/node.ts";
import { planPins } from "../../src/attestation/tpm/pins.ts";
import { openCredential } from "../../src/attestation/tpm/requests.ts";
import { encodeHex } from "../../src/kernel/bytes/index.ts";
import type { Seen } from "../../src/kernel/outcome/index.ts";
import { loadExternal } from "../../src/kernel/tpm/commands/objects.ts";
import { pcrExtend } from "../../src/kernel/tpm/commands/pcr.ts";
import {
  AK_TEMPLATES,
  ALGORITHM,
  createPrimary,
  EK_TEMPLATES,
  HANDLE,
  makeCredential,
  nameOf,
} from "../../src/kernel/tpm/index.ts";
import type { PublicAreaFields } from "../../src/kernel/tpm/public-area.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { openTpm, type Tpm, withHandle } from "../../src/platform/tpm/index.ts";
import { malleatePkcs10, malleateQuote } from "../builders/malleate.ts";
import { endOf, pinnedBy, replay } from "../builders/replayed-exchange.ts";
import { aSoftTpm } from "../builders/soft-tpm.ts";
import { missingTools, type Swtpm, startSwtpm } from "../builders/swtpm.ts";
import {
  credentialRandomness,
  exchangeOverTpm,
  openWith,
  type RecordedExchange,
  recordVector,
} from "../builders/tpm-exchange.ts";
import { notRun } from "../not-run.ts";

const missing = missingTools("swtpm", "tpm2_clear", "tpm2_createak");

const OURS: PublicAreaFields = AK_TEMPLATES.ecc;
const SECRET = new Uint8Array(32).fill(7);
const REFUSED_AFTERWARDS = ["Attested", "PcrPolicyViolation"];

describe.skipIf(notRun("attacks with a software TPM", missing))("attacks with a software TPM", () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "countersign-attacks-"));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  describe("4 a key passed off as an attestation key", () => {
    let swtpm: Swtpm;
    const recorded: Record<string, RecordedExchange & { readonly expected: string }> = {};
    beforeAll(async () => {
      swtpm = await startSwtpm();
    });
    afterAll(async () => {
      recordVector("attestation-keys.json", { exchanges: recorded });
      await swtpm.stop();
    });

    it.each<[string, { hierarchy?: number; fields?: Partial<PublicAreaFields> }, string]>([
      ["our own", {}, "Attested"],
      ["one that signs anything", { fields: { attributes: 0x00040072 } }, "AttestationKeyUnacceptable"],
      ["one that may leave its TPM", { fields: { attributes: 0x00050060 } }, "AttestationKeyUnacceptable"],
      ["one of the owner's hierarchy", { hierarchy: HANDLE.owner }, "AttestationKeyUnacceptable"],
      ["one of no hierarchy", { hierarchy: HANDLE.null }, "AttestationKeyUnacceptable"],
    ])("%s", async (words, { hierarchy = HANDLE.endorsement, fields = {} }, expected) => {
      const template = { ...OURS, ...fields } as PublicAreaFields;
      const exchange = await using(swtpm, (tpm) => exchangeOverTpm(tpm, { hierarchy, template }));
      expect(endOf(replay(exchange))).toBe(expected);
      recorded[words] = { expected, ...exchange };
    });

    it.each<[string, (proof: Uint8Array) => Uint8Array]>([
      ["our own, the request signed otherwise by somebody without its key", malleatePkcs10],
      ["our own, the quote signed otherwise by somebody without its key", malleateQuote],
    ])("%s: as good, and of the same name", async (words, change) => {
      const template = { hierarchy: HANDLE.endorsement, template: OURS };
      const exchange = await using(swtpm, (tpm) => exchangeOverTpm(tpm, template));
      const request = change(new Uint8Array(Buffer.from(exchange.proof.request, "base64")));
      expect(Buffer.from(request).toString("base64")).not.toBe(exchange.proof.request);
      const changed = { ...exchange, proof: { ...exchange.proof, request: Buffer.from(request).toString("base64") } };
      expect(endOf(replay(changed))).toBe("Attested");
      recorded[words] = { expected: "Attested", ...changed };
    });

    it.each([HANDLE.endorsement, HANDLE.owner, HANDLE.null])(
      "the TPM opens no credential for a key that it holds the public half of only (hierarchy %i)",
      async (hierarchy) => {
        const forged = aSoftTpm().ak;
        await using(swtpm, (tpm) =>
          withHandle(tpm, createPrimary(HANDLE.endorsement, EK_TEMPLATES["L-2"]), (ek) =>
            withHandle(tpm, loadExternal(forged.raw, hierarchy), async (ak) => {
              const input = { endorsementKey: ek.publicArea, objectName: nameOf(forged), secret: SECRET };
              const made = makeCredential({ ...input, randomness: credentialRandomness(ek.publicArea) });
              await expect(openWith(tpm, { ek: ek.handle, ak: ak.handle }, made)).rejects.toMatchObject({
                detail: { command: "ActivateCredential" },
              });
            }),
          ),
        );
      },
    );
  });

  it("13 a challenge for one TPM does not open in another", async () => {
    const [own, other] = [await startSwtpm(), await startSwtpm()];
    try {
      const exchange = await using(own, (tpm) =>
        exchangeOverTpm(tpm, { hierarchy: HANDLE.endorsement, template: OURS }),
      );
      const { challenge } = parseChallenge(exchange.annotation);
      if (challenge.alg !== "tpm2-credential") throw new Error("no challenge for a TPM");
      const keys = { template: "L-2", akKind: "ecc" } as const;
      await using(other, async (tpm) => {
        await expect(openCredential(tpm, keys, challenge)).rejects.toMatchObject({ code: "untrusted" });
      });
    } finally {
      await Promise.all([own.stop(), other.stop()]);
    }
  });

  it("14 a changed boot shows in the quote, where the policy lists or pins the good one", async () => {
    const swtpm = await startSwtpm();
    try {
      const ask = () => using(swtpm, (tpm) => exchangeOverTpm(tpm, { hierarchy: HANDLE.endorsement, template: OURS }));
      const before = replay(await ask());
      const { tpm: pins } = planPins(before.proof);
      const allowed = pins?.pcrs?.values.map(({ index, value }) => ({ index, values: [value] })) ?? [];
      const same = await ask();
      await using(swtpm, (tpm) => tpm.send(pcrExtend(7, ALGORITHM.sha256, new Uint8Array(32).fill(0xee))));
      const after = await ask();
      const under = (pcrs: object, exchange = after) => {
        const { proof } = replay(exchange, { identity: pinnedBy(before) });
        return judgeOwnedTpmProof({ ...proof, policy: { tpm: { ...proof.policy.tpm, pcrs } } }).verdict.reason;
      };
      expect(under({ rule: "Record" })).toBe("Attested");
      expect([under({ rule: "Match", allowed }, same), under({ rule: "Match", allowed })]).toEqual(REFUSED_AFTERWARDS);
      expect([under({ rule: "PinFirst" }, same), under({ rule: "PinFirst" })]).toEqual(REFUSED_AFTERWARDS);
    } finally {
      await swtpm.stop();
    }
  });

  it("16 our attestation key is no other agent's", async () => {
    const swtpm = await startSwtpm();
    try {
      const { ak, ek } = await using(swtpm, (tpm) => readTpmIdentity(tpm));
      const tool = (...args: readonly string[]) => {
        const [command = "", ...rest] = args;
        const env = { ...process.env, TPM2TOOLS_TCTI: swtpm.tcti };
        const run = spawnSync(command, rest, { env, cwd: directory, encoding: "utf8" });
        if (run.status !== 0) throw new Error(`${args.join(" ")}: ${run.stderr}`);
      };
      tool("tpm2_createek", "-c", "ek.ctx", "-G", "rsa", "-u", "ek.pub");
      tool("tpm2_flushcontext", "-t");
      tool("tpm2_createak", "-C", "ek.ctx", "-c", "a.ctx", "-G", "ecc", "-g", "sha256", "-s", "ecdsa", "-u", "a.pub");
      const publicAreaIn = (file: string) => encodeHex(readFileSync(join(directory, file)).subarray(2));
      expect(publicAreaIn("ek.pub")).toBe(encodeHex(ek));
      expect(publicAreaIn("a.pub")).not.toBe(encodeHex(ak));
    } finally {
      await swtpm.stop();
    }
  });

  it("14 a copy of the TPM is noticed when both renew; so is a cleared TPM", async () => {
    const original = await startSwtpm();
    const steps: (RecordedExchange & { readonly event: string; readonly expected: string })[] = [];
    let identity: Seen<NodeIdentity> = { kind: "Absent" };
    const chosen = { hierarchy: HANDLE.endorsement, template: OURS };
    /** The exchange is judged against what the last accepted one pinned. */
    async function renew(event: string, swtpm: Swtpm, expected: string): Promise<void> {
      const exchange = await using(swtpm, (tpm) => exchangeOverTpm(tpm, chosen));
      const replayed = replay(exchange, { identity });
      expect([event, endOf(replayed)]).toEqual([event, expected]);
      if (expected === "Attested") identity = pinnedBy(replayed);
      steps.push({ event, expected, ...exchange });
    }
    await renew("the first exchange", original, "Attested");
    await renew("again", original, "Attested");
    await stopKeeping(original);
    const copied = join(directory, "copied");
    cpSync(original.directory, copied, { recursive: true });
    let live = await startSwtpm({ directory: original.directory });
    await renew("after a reboot", live, "Attested");
    const copy = await startTimes(2, copied);
    await renew("the copy, which was started once more", copy, "Attested");
    await renew("the original, which was started once less", live, "TpmClockRegressed");
    await stopKeeping(live);
    live = await startTimes(2, original.directory);
    await renew("the original after two more reboots", live, "Attested");
    await renew("the copy, which is behind now", copy, "TpmClockRegressed");
    const env = { ...process.env, TPM2TOOLS_TCTI: live.tcti };
    expect(spawnSync("tpm2_clear", ["-c", "p"], { env }).status).toBe(0);
    await renew("the original after it was cleared", live, "TpmClockRegressed");
    recordVector("tpm-clocks.json", { steps });
    await Promise.all([stopKeeping(live), stopKeeping(copy)]);
    rmSync(original.directory, { recursive: true, force: true });
  });
});

/** swtpm serves one client at a time. */
async function using<T>(swtpm: Swtpm, use: (tpm: Tpm) => Promise<T>): Promise<T> {
  const tpm = await openTpm(swtpm.address, { clock: systemClock, timeoutMs: 30_000 });
  try {
    return await use(tpm);
  } finally {
    await tpm.close();
  }
}

/** As often as a machine that was switched on and off. */
async function startTimes(times: number, directory: string): Promise<Swtpm> {
  for (let boot = 1; boot < times; boot++) {
    const swtpm = await startSwtpm({ directory });
    // It has counted the start when it answers.
    await using(swtpm, async () => undefined);
    await stopKeeping(swtpm);
  }
  return startSwtpm({ directory });
}

/** Ends the process and leaves its state where it is. */
async function stopKeeping(swtpm: Swtpm): Promise<void> {
  const gone = new Promise((resolve) => swtpm.process.once("exit", resolve));
  swtpm.process.kill("SIGTERM");
  await gone;
}
