import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../test/fakes/clock.ts";
import type { Secret } from "../../api/core/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { randomBytes } from "../../platform/keys/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import { CHALLENGE_KEYS_SECRET, createChallengeKeys } from "./challenge-keys.ts";

const HOUR_MS = 3_600_000;

/** A home that holds one Secret, for several replicas. */
function aHome() {
  let stored: Secret | undefined;
  const clock = createManualClock();
  const home = {
    get: async () => {
      if (stored === undefined) throw new Fault("not-found", "none");
      return stored;
    },
    create: async (_: unknown, secret: Secret) => {
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
    createChallengeKeys({ home, clock, log: silentLog, namespace: "home", name: CHALLENGE_KEYS_SECRET, randomBytes });
  return { clock, replica };
}

describe("challenge keys", () => {
  it("are made by the first replica and read by the second", async () => {
    const { replica } = aHome();
    const [one, other] = await Promise.all([replica().ring(), replica().ring()]);
    expect(one.current.kid).toBe(other.current.kid);
    expect(one.current.secret).toEqual(other.current.secret);
    expect(one.recipients).toHaveLength(1);
  });

  it("rotate daily; the one before is kept for an hour", async () => {
    const { clock, replica } = aHome();
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
    const { clock, replica } = aHome();
    const [maker, reader] = [replica(), replica()];
    await maker.ring();
    await clock.advance(24 * HOUR_MS);
    await reader.ring();
    await maker.upkeep();
    const { kid } = (await maker.ring()).current;
    await clock.advance(2_000);
    expect((await reader.ring(kid)).current.kid).toBe(kid);
  });
});
