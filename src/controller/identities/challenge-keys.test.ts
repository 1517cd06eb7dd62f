import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../test/fakes/clock.ts";
import type { Secret } from "../../api/core/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { randomBytes } from "../../platform/keys/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import { CHALLENGE_KEYS_SECRET, createChallengeKeys } from "./challenge-keys.ts";

const HOUR_MS = 3_600_000;

/** A management cluster that holds one Secret, for several replicas. */
function aManagementCluster(refuses?: Fault) {
  let stored: Secret | undefined;
  const clock = createManualClock();
  const management = {
    get: async () => {
      if (stored === undefined) throw new Fault("not-found", "none");
      return stored;
    },
    create: async (_: unknown, secret: Secret) => {
      if (refuses !== undefined) throw refuses;
      if (stored !== undefined) throw new Fault("already-exists", "there is one");
      stored = secret;
      return secret;
    },
    update: async (_: unknown, secret: Secret) => {
      stored = secret;
      return secret;
    },
  } as unknown as KubeClient;
  const replica = () =>
    createChallengeKeys({
      management,
      clock,
      log: silentLog,
      namespace: "home",
      name: CHALLENGE_KEYS_SECRET,
      randomBytes,
    });
  const spoil = (change: (data: Record<string, string>) => Record<string, string>) => {
    if (stored !== undefined) stored = { ...stored, data: change({ ...stored.data }) };
  };
  return { clock, replica, spoil };
}

describe("challenge keys", () => {
  it("are made by the first replica and read by the second", async () => {
    const { replica } = aManagementCluster();
    const [one, other] = await Promise.all([replica().ring(), replica().ring()]);
    expect(one.current.kid).toBe(other.current.kid);
    expect(one.current.secret).toEqual(other.current.secret);
    expect(one.recipients).toHaveLength(1);
  });

  it("rotate daily; the one before is kept for an hour", async () => {
    const { clock, replica } = aManagementCluster();
    const keys = replica();
    const first = (await keys.ring()).current.kid;
    await keys.upkeep();
    expect((await keys.ring()).current.kid).toBe(first);
    await clock.advance(24 * HOUR_MS);
    await keys.upkeep();
    const second = await keys.ring();
    expect(second.current.kid).not.toBe(first);
    expect(second.all.map(({ kid }) => kid)).toContain(first);
    await clock.advance(HOUR_MS);
    await keys.upkeep();
    expect((await keys.ring()).all.map(({ kid }) => kid)).toEqual([second.current.kid]);
  });

  it("are read again when somebody names one that is not known", async () => {
    const { clock, replica } = aManagementCluster();
    const [maker, reader] = [replica(), replica()];
    await maker.ring();
    await clock.advance(24 * HOUR_MS);
    await reader.ring();
    await maker.upkeep();
    const { kid } = (await maker.ring()).current;
    await clock.advance(2_000);
    expect((await reader.ring(kid)).current.kid).toBe(kid);
  });

  const base64 = (text: string) => Buffer.from(text).toString("base64");
  it.each<[string, (data: Record<string, string>) => Record<string, string>]>([
    ["without anything in it", () => ({})],
    ["whose current key is not there", (data) => ({ ...data, current: base64("00c0ffee") })],
    ["with a key that is too short", (data) => ({ ...data, "00c0ffee": base64("short") })],
    ["with something that is not base64", (data) => ({ ...data, current: "?" })],
    ["with a recipient that is no key", (data) => ({ ...data, "recipient-0102030405060708": base64("short") })],
    ["with a recipient of another length", (data) => ({ ...data, "recipient-0102": base64("s".repeat(32)) })],
  ])("in a Secret %s are a matter of the operator, who is told which and what to do", async (_, change) => {
    const { replica, spoil } = aManagementCluster();
    await replica().ring();
    spoil(change);
    const words = /^Secret home\/countersign-challenge-keys cannot be used, .+: restore it, or delete it/;
    for (const ask of [replica().ring(), replica().upkeep()])
      await expect(ask).rejects.toMatchObject({ code: "bad-config", message: expect.stringMatching(words) });
  });

  it("cannot be made where there is no namespace for them, and say so", async () => {
    const { replica } = aManagementCluster(new Fault("not-found", 'namespaces "home" not found'));
    await expect(replica().ring()).rejects.toMatchObject({
      code: "bad-config",
      message: expect.stringMatching(/^no namespace home for the Secret countersign-challenge-keys: make it/),
    });
  });

  it("that cannot be made for the moment are tried again", async () => {
    const { replica } = aManagementCluster(new Fault("unavailable", "no connection"));
    await expect(replica().ring()).rejects.toMatchObject({ code: "unavailable" });
  });
});
