// What a machine does when its TPM has lost a key in the middle of an exchange, against a real software TPM.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingTools, type Swtpm, startSwtpm } from "../../../test/builders/swtpm.ts";
import { credentialRandomness } from "../../../test/builders/tpm-exchange.ts";
import { notRun } from "../../../test/not-run.ts";
import { flushContext, getHandles, makeCredential, nameOf, parsePublicArea } from "../../kernel/tpm/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { keepPrimaries, openTpm, type Tpm } from "../../platform/tpm/index.ts";
import { readTpmIdentity } from "./keys.ts";
import { openCredential } from "./requests.ts";

const TRANSIENT = 0x80000000;
const SECRET = new Uint8Array(32).fill(0x5e);

describe.skipIf(notRun("keys that a TPM lost", missingTools("swtpm")))("a machine that was challenged", () => {
  let machine: Swtpm;
  let tpm: Tpm;
  beforeAll(async () => {
    machine = await startSwtpm();
    tpm = keepPrimaries(await openTpm(machine.address, { clock: systemClock, timeoutMs: 30_000 }));
  });
  afterAll(async () => {
    await tpm.close();
    await machine.stop();
  });

  it.each([
    ["no key", []],
    ["the endorsement key", [0]],
    ["the attestation key", [1]],
    ["both keys, as after a sleep,", [0, 1]],
  ])("opens the credential although the TPM has lost %s, and leaves nothing loaded but its keys", async (_, lost) => {
    const identity = await readTpmIdentity(tpm);
    const endorsementKey = parsePublicArea(identity.ek);
    const randomness = credentialRandomness(endorsementKey);
    const objectName = nameOf(parsePublicArea(identity.ak));
    const credential = makeCredential({ endorsementKey, objectName, secret: SECRET, randomness });
    await openCredential(tpm, identity, credential);
    const loaded = await tpm.send(getHandles(TRANSIENT));
    expect(loaded).toHaveLength(2);
    for (const index of lost) await tpm.send(flushContext(loaded[index] ?? 0));
    expect(await openCredential(tpm, identity, credential)).toEqual(SECRET);
    expect(await tpm.send(getHandles(TRANSIENT))).toHaveLength(2);
  });
});
