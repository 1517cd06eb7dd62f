// Two replicas, each write of an exchange. The replica that comes to the write first waits for the other, which has
// read the same and not seen it written; then both write. One of them gets the server's refusal, and the machine gets
// one certificate. That a replica may die behind each of these writes is in test/contract/attestation-crash.test.ts.
import { beforeAll, describe, expect, it } from "vitest";
import type { KubeObject, Resource } from "../../../src/api/meta/index.ts";
import { isFault } from "../../../src/kernel/outcome/index.ts";
import type { KubeClient } from "../../../src/platform/kube/index.ts";
import { useAttestationStage } from "../../contract/attestation-stage.ts";
import { controllerIdentity, eventually } from "../../contract/controller-stage.ts";
import { startEmbeddedPlane } from "../../contract/embedded-plane.ts";
import { patient } from "../../patience.ts";
import recorded from "./races.json" with { type: "json" };

const { races } = recorded;
type Race = (typeof races)[number];

/** How long one waits for the other to come. */
const PATIENCE_MS = patient(10_000);

/** Where the two meet, and how the server answered each. */
class Meeting {
  readonly answers: string[] = [];
  readonly #race: Race;
  #arrived = 0;
  #open: () => void = () => undefined;
  readonly #both: Promise<void>;

  constructor(race: Race) {
    this.#race = race;
    this.#both = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  /** Holds the write up until both are here; a third time nobody is held up. */
  async write<T>(verb: string, resource: Resource, [content, send]: readonly [unknown, () => Promise<T>]): Promise<T> {
    const { kind, holds } = this.#race;
    const isMeant = verb === this.#race.verb && resource.kind === kind && JSON.stringify(content).includes(holds);
    if (!isMeant || this.#arrived >= 2) return await send();
    if (++this.#arrived === 2) this.#open();
    await Promise.race([this.#both, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
    return await this.#note(send);
  }

  async #note<T>(send: () => Promise<T>): Promise<T> {
    try {
      const answer = await send();
      this.answers.push("accepted");
      return answer;
    } catch (error) {
      this.answers.push(isFault(error) ? error.code : "failed");
      throw error;
    }
  }
}

function meetingAt(client: KubeClient, meeting: Meeting): KubeClient {
  return {
    ...client,
    create: <T extends KubeObject>(resource: Resource, object: T, options?: object) =>
      meeting.write("create", resource, [object, () => client.create<T>(resource, object, options)]),
    update: <T extends KubeObject>(resource: Resource, object: T, options?: object) =>
      meeting.write("update", resource, [object, () => client.update<T>(resource, object, options)]),
    patch: (resource, target, patch, options) =>
      meeting.write("patch", resource, [patch, () => client.patch(resource, target, patch, options)]),
  };
}

describe("two replicas that come to one write together", () => {
  const on = useAttestationStage(startEmbeddedPlane);
  beforeAll(() => on.stage.controller.stop());

  it.each(races)("$write → $expected", async (race) => {
    const meeting = new Meeting(race);
    const start = () =>
      on.stage.startReplica({ client: meetingAt(on.stage.connect(controllerIdentity(on.stage.plane)), meeting) });
    const replicas = await Promise.all([start(), start()]);
    const { machine, node } = await on.aScene();
    await on.join(machine());
    const { status } = await eventually(
      "the exchange to be over",
      () => on.identityOf(node),
      (identity) => identity.status?.exchanges?.every(({ state }) => state === "Issued") === true,
    );
    await Promise.all(replicas.map((replica) => replica.stop()));
    const ends = [status?.exchanges?.length, status?.certificates?.length];
    expect(ends.every((count) => count === 1) ? "issued once" : ends).toBe(race.expected);
    expect(meeting.answers.toSorted()).toEqual(["accepted", race.loser].toSorted());
  });
});
