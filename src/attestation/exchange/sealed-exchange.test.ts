// An exchange whose key is sealed, cut at every call that leaves the machine, and looked at there: no private key is on
// the disk, and the next run goes on with the same one.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aSealingMachine, plainKeysIn } from "../../../test/builders/key-seal.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { FinishedRequest, Statement } from "../evidence/index.ts";
import type { RequestInput } from "../provider.ts";
import { type CertificateRequests, type ExchangeOptions, runExchange } from "./run.ts";

const STATEMENT: Statement = {
  intent: "join",
  purpose: "client",
  signer: "s/x",
  node: "worker-1",
  providerId: "p",
  cluster: "c",
  offered: ["tpm/1"],
};

describe("an exchange whose key is sealed", () => {
  let directory = "";
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "sealed-exchange-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const path = () => join(directory, "kubelet-client.exchange");
  /** Public keys for which something was asked, in order. */
  const asked = (keys: Set<string>, kind: string) => (input: RequestInput) => {
    keys.add(Buffer.from(input.key.publicKey).toString("base64"));
    const request: FinishedRequest = {
      name: `countersign-${kind}-x`,
      signerName: "s/x",
      usages: [],
      request: Uint8Array.of(1),
    };
    return Promise.resolve(request);
  };

  /** A world in which the call of that number fails, as if the power went; each call looks at the disk first. */
  function aWorld(machine: ReturnType<typeof aSealingMachine>, cutAt: number) {
    const keys = new Set<string>();
    let calls = 0;
    const step = <T>(answer: T): Promise<T> => {
      expect(readdirSync(directory)).toContain("kubelet-client.exchange");
      expect(machine.keys).not.toEqual([]);
      expect(plainKeysIn(directory, machine.keys)).toEqual([]);
      if (calls++ === cutAt) return Promise.reject(new Fault("aborted", "power failure"));
      return Promise.resolve(answer);
    };
    const requests: CertificateRequests = {
      create: () => step({ uid: "u" }),
      find: ({ name }) => {
        const isProof = name.includes("-proof-");
        const shown = isProof
          ? { challenge: undefined, certificate: "PEM" }
          : { challenge: "c", certificate: undefined };
        return step({ kind: "Found" as const, isOurs: true, uid: "u", denied: undefined, ...shown });
      },
      untilChanged: () => step(undefined),
    };
    const prover = { hello: asked(keys, "hello"), proof: asked(keys, "proof"), keySeal: machine };
    const options: ExchangeOptions = {
      ...{ prover, requests, path: path(), input: { statement: STATEMENT }, sealKey: true },
      protocols: [{ provider: "tpm", version: 1 }],
    };
    return { keys, run: () => runExchange(options), wasCut: () => calls > cutAt };
  }

  it("shows none at any call, and is gone on with after a cut at each of them", async () => {
    for (let cutAt = 0; ; cutAt++) {
      rmSync(path(), { force: true });
      const machine = aSealingMachine();
      const first = aWorld(machine, cutAt);
      const cut = await first.run().catch((error: unknown) => error);
      if (!first.wasCut()) break;
      expect(cut).toMatchObject({ message: "power failure" });
      expect(plainKeysIn(directory, machine.keys)).toEqual([]);
      const second = aWorld(machine, Number.POSITIVE_INFINITY);
      const { key, certificate } = await second.run();
      expect(certificate).toBe("PEM");
      expect(plainKeysIn(directory, [key.encodePem()])).toEqual([]);
      const own = Buffer.from(key.signer.publicKey).toString("base64");
      expect([...first.keys, ...second.keys].every((seen) => seen === own)).toBe(true);
    }
  });

  it("begins anew on another machine, which cannot open it", async () => {
    const first = aWorld(aSealingMachine(), 1);
    await expect(first.run()).rejects.toThrow("power failure");
    const second = aWorld(aSealingMachine(), Number.POSITIVE_INFINITY);
    await second.run();
    expect([...second.keys].some((key) => first.keys.has(key))).toBe(false);
  });

  it("waits for a TPM that does not answer, and loses nothing", async () => {
    const machine = aSealingMachine();
    await expect(aWorld(machine, 1).run()).rejects.toThrow("power failure");
    machine.trouble = new Fault("timeout", "no answer from TPM");
    await expect(aWorld(machine, 9).run()).rejects.toBe(machine.trouble);
    machine.trouble = undefined;
    const { keys, run } = aWorld(machine, Number.POSITIVE_INFINITY);
    await run();
    expect(keys.size).toBe(1);
  });
});
