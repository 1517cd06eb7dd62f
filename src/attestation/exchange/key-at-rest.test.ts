import { describe, expect, it } from "vitest";
import { aSealingMachine } from "../../../test/builders/key-seal.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { encodePem } from "../../kernel/pem/index.ts";
import { generatePrivateKey } from "../../platform/keys/index.ts";
import { SEALED_KEY_LABEL } from "../../platform/pair/index.ts";
import { createKeyAtRest } from "./key-at-rest.ts";

const key = generatePrivateKey("P-256").encodePem();

describe("the key of an exchange at rest", () => {
  it("is written as it is where nothing seals", async () => {
    const keys = createKeyAtRest({ about: "a" });
    expect(await keys.close(key)).toBe(key);
    expect(await keys.open(key)).toBe(key);
  });

  it("is written sealed where that is wanted, and opened once", async () => {
    const keySeal = aSealingMachine();
    const written = await createKeyAtRest({ keySeal, isSealed: true, about: "a" }).close(key);
    expect(written).toContain(SEALED_KEY_LABEL);
    const next = createKeyAtRest({ keySeal, isSealed: true, about: "a" });
    expect([await next.open(written), await next.open(written)]).toEqual([key, key]);
    expect(keySeal.opened).toHaveLength(1);
  });

  it("is not asked of the TPM again by the run that sealed it", async () => {
    const keySeal = aSealingMachine();
    const keys = createKeyAtRest({ keySeal, isSealed: true, about: "a" });
    expect(await keys.open(await keys.close(key))).toBe(key);
    expect(keySeal.opened).toEqual([]);
  });

  it("is given up where it will never open: of another exchange, another machine, damaged, or nobody there to open it", async () => {
    const keySeal = aSealingMachine();
    const written = await createKeyAtRest({ keySeal, isSealed: true, about: "a" }).close(key);
    const damaged = encodePem(SEALED_KEY_LABEL, Uint8Array.of(9));
    expect(await createKeyAtRest({ keySeal, about: "b" }).open(written)).toBeUndefined();
    expect(await createKeyAtRest({ keySeal: aSealingMachine(), about: "a" }).open(written)).toBeUndefined();
    expect(await createKeyAtRest({ keySeal, about: "a" }).open(damaged)).toBeUndefined();
    expect(await createKeyAtRest({ about: "a" }).open(written)).toBeUndefined();
  });

  it("that lay open is not gone on with once keys are sealed", async () => {
    expect(await createKeyAtRest({ keySeal: aSealingMachine(), isSealed: true, about: "a" }).open(key)).toBeUndefined();
  });

  it("is not given up for a TPM that does not answer", async () => {
    const keySeal = aSealingMachine();
    const written = await createKeyAtRest({ keySeal, isSealed: true, about: "a" }).close(key);
    keySeal.trouble = new Fault("timeout", "no answer from TPM");
    await expect(createKeyAtRest({ keySeal, about: "a" }).open(written)).rejects.toBe(keySeal.trouble);
  });

  it("is not written plain where it should be sealed and cannot be", async () => {
    await expect(createKeyAtRest({ isSealed: true, about: "a" }).close(key)).rejects.toMatchObject({
      code: "bad-config",
    });
  });
});
