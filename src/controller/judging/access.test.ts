import { describe, expect, it } from "vitest";
import { aNode, aToken } from "../../../test/builders/csr.ts";
import { aRecordingClient } from "../../../test/builders/csr-client.ts";
import { createManualClock } from "../../../test/fakes/clock.ts";
import type { KubeObject } from "../../api/meta/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { createAccessReviews } from "./access.ts";

const never = new AbortController().signal;

function reviews(allowed: () => boolean | Fault) {
  const clock = createManualClock();
  const client = aRecordingClient({
    create: (object) => {
      const answer = allowed();
      return answer instanceof Fault ? answer : ({ ...object, status: { allowed: answer } } as KubeObject);
    },
  });
  return { clock, client, access: createAccessReviews(client, clock) };
}

describe("access reviews", () => {
  it("ask as kube-controller-manager asks", async () => {
    const { client, access } = reviews(() => true);
    const node = { ...aNode("a"), uid: "u", extra: { k: ["v"] } };
    expect(await access.ask("selfnodeclient", node, never)).toEqual({ right: "selfnodeclient", isAllowed: true });
    expect(client.written[0]?.body).toMatchObject({
      kind: "SubjectAccessReview",
      spec: {
        user: "system:node:a",
        uid: "u",
        groups: ["system:nodes", "system:authenticated"],
        extra: { k: ["v"] },
        resourceAttributes: {
          group: "certificates.k8s.io",
          version: "*",
          resource: "certificatesigningrequests",
          subresource: "selfnodeclient",
          verb: "create",
        },
      },
    });
  });

  it("are one question for a thousand machines with one token, for ten seconds", async () => {
    const { clock, client, access } = reviews(() => true);
    await Promise.all(Array.from({ length: 1_000 }, () => access.ask("nodeclient", aToken("7f3a9c"), never)));
    expect(client.written).toHaveLength(1);
    await clock.advance(10_000);
    await access.ask("nodeclient", aToken("7f3a9c"), never);
    expect(client.written).toHaveLength(2);
  });

  it("are asked apart for other users and other rights", async () => {
    const { client, access } = reviews(() => true);
    await access.ask("nodeclient", aToken("7f3a9c"), never);
    await access.ask("nodeclient", aToken("7f3a9d"), never);
    await access.ask("selfnodeclient", aToken("7f3a9c"), never);
    expect(client.written).toHaveLength(3);
  });

  it("forget a refusal sooner, so that a right that was granted is seen", async () => {
    let isGranted = false;
    const { clock, access } = reviews(() => isGranted);
    expect((await access.ask("nodeclient", aToken("7f3a9c"), never)).isAllowed).toBe(false);
    isGranted = true;
    await clock.advance(2_000);
    expect((await access.ask("nodeclient", aToken("7f3a9c"), never)).isAllowed).toBe(true);
  });

  it("remember no accident", async () => {
    let isAway = true;
    const { access } = reviews(() => (isAway ? new Fault("unavailable", "no answer") : true));
    await expect(access.ask("nodeclient", aToken("7f3a9c"), never)).rejects.toMatchObject({ code: "unavailable" });
    isAway = false;
    expect((await access.ask("nodeclient", aToken("7f3a9c"), never)).isAllowed).toBe(true);
  });
});
