import { describe, expect, it } from "vitest";
import type { Secret } from "../../../api/core/index.ts";
import { ACCOUNT_NAME, ACCOUNT_UID, planTokenSecret } from "./plan.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const account = { kind: "ServiceAccount", apiVersion: "v1", metadata: { name: "robot", uid: "u1" } };
const aSecret = (data: Record<string, string>, uid?: string): Secret => ({
  kind: "Secret",
  apiVersion: "v1",
  type: "kubernetes.io/service-account-token",
  metadata: {
    name: "t",
    namespace: "team",
    annotations: { [ACCOUNT_NAME]: "robot", ...(uid === undefined ? {} : { [ACCOUNT_UID]: uid }) },
  },
  data,
});
const whole = { token: base64("t"), "ca.crt": base64("CA"), namespace: base64("team") };
const plan = (secret: Secret, owner: typeof account | undefined = account) =>
  planTokenSecret({ secret, account: owner, rootCaPem: "CA" });

describe("a Secret for a token", () => {
  it("is left alone when it is whole", () => {
    expect(plan(aSecret(whole, "u1"))).toEqual({ kind: "nothing" });
  });

  it("is deleted when its account is missing or another one", () => {
    expect(planTokenSecret({ secret: aSecret(whole, "u1"), account: undefined, rootCaPem: "CA" }).kind).toBe("delete");
    expect(plan(aSecret(whole, "u0")).kind).toBe("delete");
  });

  it("is filled when it is new", () => {
    const made = plan(aSecret({}));
    expect(made).toMatchObject({ kind: "fill", needsToken: true });
    expect(made.kind === "fill" && made.secret).toMatchObject({
      metadata: { annotations: { [ACCOUNT_UID]: "u1" } },
      data: { "ca.crt": base64("CA"), namespace: base64("team") },
    });
  });

  it("keeps its token and its namespace, and gets another CA", () => {
    const made = plan(aSecret({ ...whole, "ca.crt": base64("old"), namespace: base64("kept") }, "u1"));
    expect(made).toMatchObject({ kind: "fill", needsToken: false });
    expect(made.kind === "fill" && made.secret.data).toEqual({ ...whole, namespace: base64("kept") });
  });
});
