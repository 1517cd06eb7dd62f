// Keys at rest with a real software TPM: what opens where, and what is said where it does not.

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { someStatement } from "../../../test/builders/exchange.ts";
import { refusal, type SpoiledAnswer, startFaultyTpm } from "../../../test/builders/faulty-tpm.ts";
import { aNodeCa } from "../../../test/builders/node-ca.ts";
import { missingTools, type Swtpm, startSwtpm } from "../../../test/builders/swtpm.ts";
import { notRun } from "../../../test/not-run.ts";
import { encodePem, parsePem } from "../../kernel/pem/index.ts";
import { CURVE_ID } from "../../kernel/tpm/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { generatePrivateKey } from "../../platform/keys/index.ts";
import {
  encodePair,
  encodeSealedKey,
  type KeySeal,
  openPair,
  parsePair,
  parseSealedKey,
  parseStoredPair,
  SEALED_KEY_LABEL,
  type SealedKey,
  useOf,
} from "../../platform/pair/index.ts";
import { openTpm } from "../../platform/tpm/index.ts";
import { createTpmProver, createTpmProvider } from "./node.ts";

const missing = missingTools("swtpm");

const GET_CAPABILITY = 0x17a;
const LOAD = 0x157;
const UNSEAL = 0x15e;
const own = aNodeCa().issueNode();
const pair = parsePair(encodePair(own.certificatePem, own.keyPem));
const USE = useOf(pair);
const OTHER_TPM = /^this key was sealed by another TPM.*a copied disk, or a replaced board$/;

describe.skipIf(notRun("keys at rest with a software TPM", missing))("a key that the TPM seals", () => {
  let machine: Swtpm;
  let thief: Swtpm;
  beforeAll(async () => {
    [machine, thief] = await Promise.all([startSwtpm(), startSwtpm()]);
  });
  afterAll(async () => {
    await machine.stop();
    await thief.stop();
  });

  const sealOf = (address: string, timeoutMs = 30_000): KeySeal => {
    const { keySeal } = createTpmProvider({
      address,
      timeoutMs,
      clock: { ...systemClock, sleep: async () => undefined },
    });
    if (keySeal === undefined) throw new TypeError("the TPM provider seals");
    return keySeal;
  };
  const seal = () => sealOf(machine.address).seal(pair.keyPem, USE);
  const blockWith = (block: string, change: (key: SealedKey) => Partial<SealedKey>) => {
    const key = parseSealedKey(parsePem(block)[0]?.bytes ?? new Uint8Array());
    return encodePem(SEALED_KEY_LABEL, encodeSealedKey({ ...key, ...change(key) }));
  };
  const turned = (bytes: Uint8Array, at = 0) =>
    Uint8Array.from(bytes, (octet, index) => (index === at ? octet ^ 1 : octet));

  it("opens on its machine, for its certificate; no two sealings are alike", async () => {
    const [block, again] = [await seal(), await seal()];
    expect(block).not.toBe(again);
    const [one, two] = [block, again].map((text) => parseSealedKey(parsePem(text)[0]?.bytes ?? new Uint8Array()));
    expect(one?.privateArea).not.toEqual(two?.privateArea);
    const stored = parseStoredPair(encodePair(own.certificatePem, block));
    expect(await openPair(stored, sealOf(machine.address))).toEqual(pair);
  });

  it("opens in the middle of an exchange too, on the connection that is open", async () => {
    const block = await seal();
    const tpm = await openTpm(machine.address, { clock: systemClock, timeoutMs: 30_000 });
    const prover = createTpmProver(tpm);
    try {
      // Both keys of an exchange are loaded, and stay so.
      const protocol = { provider: "tpm", version: 1 };
      await prover.hello({ statement: someStatement(), protocol, key: generatePrivateKey("P-256").signer });
      expect(await prover.keySeal?.open(block, USE)).toBe(pair.keyPem);
      await prover.hello({ statement: someStatement(), protocol, key: generatePrivateKey("P-256").signer });
      const sealed = await prover.keySeal?.seal(pair.keyPem, USE);
      expect(await prover.keySeal?.open(sealed ?? "", USE)).toBe(pair.keyPem);
    } finally {
      await prover.close();
    }
  });

  it("has an RSA key above it where the TPM has no P-256", async () => {
    const faulty = await startFaultyTpm(machine, GET_CAPABILITY, withoutP256);
    try {
      const block = await sealOf(faulty.address).seal(pair.keyPem, USE);
      expect(parseSealedKey(parsePem(block)[0]?.bytes ?? new Uint8Array()).parent).toBe("rsa");
      expect(await sealOf(faulty.address).open(block, USE)).toBe(pair.keyPem);
    } finally {
      await faulty.close();
    }
  });

  it("opens after a restart of the machine", async () => {
    const block = await seal();
    const gone = new Promise((resolve) => machine.process.once("exit", resolve));
    machine.process.kill("SIGTERM");
    await gone;
    machine = await startSwtpm({ directory: machine.directory });
    expect(await sealOf(machine.address).open(block, USE)).toBe(pair.keyPem);
  });

  it("does not open on another machine, and says what has happened and what to do", async () => {
    const failure = await sealOf(thief.address)
      .open(await seal(), USE)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "untrusted",
      retryable: false,
      message: expect.stringMatching(OTHER_TPM),
      detail: { todo: expect.stringMatching(/^if the board is new: countersign identity reset NODE .* join again/) },
    });
  });

  it("opens on a copy of the virtual TPM: what no sealing can hinder, and the controller sees", async () => {
    const block = await seal();
    const directory = mkdtempSync(join(tmpdir(), "countersign-copied-tpm-"));
    cpSync(join(machine.directory, "state"), join(directory, "state"), {
      recursive: true,
      filter: (path) => !path.endsWith(".lock"),
    });
    const copy = await startSwtpm({ directory });
    try {
      expect(await sealOf(copy.address).open(block, USE)).toBe(pair.keyPem);
    } finally {
      await copy.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  });

  const ATTACKS: Readonly<Record<string, [change: (key: SealedKey) => Partial<SealedKey>, message: RegExp]>> = {
    "another initialisation vector": [({ iv }) => ({ iv: turned(iv) }), /another certificate's, or was altered/],
    "an altered ciphertext": [({ ciphertext }) => ({ ciphertext: turned(ciphertext, 5) }), /or was altered/],
    "an altered sealed object": [({ privateArea }) => ({ privateArea: turned(privateArea, 60) }), OTHER_TPM],
    "the other kind of parent": [() => ({ parent: "rsa" }), OTHER_TPM],
  };
  it.each(Object.entries(ATTACKS))("does not open with %s", async (_, [change, message]) => {
    const block = blockWith(await seal(), change);
    await expect(sealOf(machine.address).open(block, USE)).rejects.toMatchObject({
      code: "untrusted",
      message: expect.stringMatching(message),
    });
  });

  it("does not open for another use: another certificate, another purpose", async () => {
    const block = await seal();
    const uses = [
      useOf({ publicKey: turned(pair.publicKey, 9) }),
      { ...USE, purpose: "exchange" },
      { ...USE, purpose: "request" },
    ] as const;
    for (const use of uses) {
      await expect(sealOf(machine.address).open(block, use)).rejects.toMatchObject({ code: "untrusted" });
    }
  });

  it("that is no key of this form is refused as damaged, with what to do", async () => {
    for (const text of [
      "",
      pair.keyPem,
      `${await seal()}${await seal()}`,
      encodePem(SEALED_KEY_LABEL, Uint8Array.of(1, 1)),
    ]) {
      await expect(sealOf(machine.address).open(text, USE)).rejects.toMatchObject({
        code: "malformed",
        message: expect.stringContaining("the sealed key is damaged"),
        detail: { todo: "join again with a live token: countersign node join" },
      });
    }
  });

  const TROUBLES: Record<string, [spoil: SpoiledAnswer, code: string, retryable: boolean, todo: string]> = {
    "does not answer": [() => undefined, "timeout", true, "switched off and on"],
    "is locked out": [() => refusal(0x921), "unavailable", true, "wait until the lockout is over"],
    "asks to retry without end": [() => refusal(0x922), "unavailable", true, "busy with somebody else"],
    "has no room": [() => refusal(0x902), "unavailable", true, "/dev/tpmrm0"],
    "breaks off in the middle": [(answer) => answer.subarray(0, 12), "unavailable", true, "see that the TPM"],
  };
  describe.each([LOAD, UNSEAL])("by a TPM that, asked for command %s,", (command) => {
    it.each(Object.entries(TROUBLES))(
      "%s is not opened now, which is an accident",
      async (_, [spoil, code, retryable, todo]) => {
        const block = await seal();
        const faulty = await startFaultyTpm(machine, command, spoil);
        try {
          const opening = sealOf(faulty.address, code === "timeout" ? 500 : 30_000).open(block, USE);
          await expect(opening).rejects.toMatchObject({
            code,
            retryable,
            detail: { todo: expect.stringContaining(todo) },
          });
        } finally {
          await faulty.close();
        }
        expect(await sealOf(machine.address).open(block, USE)).toBe(pair.keyPem);
      },
    );
  });

  it("by a TPM that is not there is not opened, and says so", async () => {
    const failure = await sealOf("/nowhere/tpmrm0")
      .open(await seal(), USE)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "not-found",
      message: expect.stringContaining("this machine's TPM cannot be used"),
      detail: { todo: expect.stringContaining("switch the TPM on") },
    });
  });
});

/** The curves of another TPM: a list of as many, without that one. */
function withoutP256(answer: Buffer): Buffer {
  const isCurves = answer.readUInt32BE(11) === 8;
  const count = isCurves ? answer.readUInt32BE(15) : 0;
  for (let index = 0; index < count; index++) {
    const at = 19 + 2 * index;
    if (answer.readUInt16BE(at) === CURVE_ID.p256) answer.writeUInt16BE(CURVE_ID.p521, at);
  }
  return answer;
}
