import { describe, expect, it } from "vitest";
import { aNodesAttempt, anObject } from "../../../../../test/builders/attempt.ts";
import type { Attributes } from "../../../../api/access/index.ts";
import { type KubeObject, SERVICE_ACCOUNTS } from "../../../../api/meta/index.ts";
import { allow, noOpinion } from "../../../../kernel/outcome/index.ts";
import type { Attempt } from "../../../call.ts";
import type { Questions } from "../../plugin.ts";
import { nodeRestriction } from "../index.ts";

const pod = (name: string, nodeName: string, volumes: readonly object[] = []): KubeObject =>
  ({ kind: "", apiVersion: "", metadata: { name, uid: `uid-${name}` }, spec: { nodeName, volumes } }) as KubeObject;
const projected = (audience?: string) => ({ projected: { sources: [{ serviceAccountToken: { audience } }] } });
const claimed = (claimName: string) => ({ persistentVolumeClaim: { claimName } });
const claim = (volumeName?: string) => anObject("c", { spec: { volumeName } });
const driver = (audience: string) => anObject("d", { spec: { tokenRequests: [{ audience }] } });

const STORED: Readonly<Record<string, KubeObject>> = {
  "pods/ns/mine": pod("mine", "n1", [projected("vault"), projected()]),
  "pods/ns/theirs": pod("theirs", "n2", [projected("vault")]),
  "pods/ns/bare": pod("bare", "n1", [{ emptyDir: {} }, { hostPath: {} }]),
  "pods/ns/inline": pod("inline", "n1", [{ csi: { driver: "inline" } }]),
  "pods/ns/claimed": pod("claimed", "n1", [claimed("claim")]),
  "pods/ns/own": pod("own", "n1", [{ name: "v", ephemeral: {} }]),
  "pods/ns/old": pod("old", "n1", [{ awsElasticBlockStore: {} }]),
  "pods/ns/older": pod("older", "n1", [claimed("claim-old")]),
  "pods/ns/lost": pod("lost", "n1", [claimed("gone"), claimed("unbound"), { csi: { driver: "gone" } }]),
  "pods/ns/dangling": pod("dangling", "n1", [claimed("dangling"), projected("vault")]),
  "persistentvolumeclaims/ns/claim": claim("pv"),
  "persistentvolumeclaims/ns/claim-old": claim("pv-old"),
  "persistentvolumeclaims/ns/own-v": claim("pv"),
  "persistentvolumeclaims/ns/unbound": claim(),
  "persistentvolumeclaims/ns/dangling": claim("gone"),
  "persistentvolumes/pv": anObject("pv", { spec: { csi: { driver: "csi" } } }),
  "persistentvolumes/pv-old": anObject("pv-old", { spec: { vsphereVolume: {} } }),
  "csidrivers/inline": driver("for-inline"),
  "csidrivers/csi": driver("for-csi"),
  "csidrivers/ebs.csi.aws.com": driver("for-ebs"),
  "csidrivers/csi.vsphere.vmware.com": driver("for-vsphere"),
};

const said = { rule: "", reason: "", message: "" };
const questions = (mayAsk: (asked: Attributes) => boolean = () => false) =>
  ({
    get: ({ plural }: { plural: string }, name: string, namespace = "") =>
      STORED[[plural, namespace, name].filter((part) => part !== "").join("/")],
    authorize: (asked: Attributes) => (mayAsk(asked) ? allow(said) : noOpinion(said)),
  }) as unknown as Questions;

interface Asked {
  readonly pod?: string;
  readonly bound?: object | undefined;
  readonly audiences?: readonly string[];
  readonly more?: Partial<Attempt>;
}

function attempt({ pod: name = "mine", bound, audiences, more = {} }: Asked): Attempt {
  const boundObjectRef = bound ?? { apiVersion: "v1", kind: "Pod", name, uid: `uid-${name}` };
  const object = anObject("", { spec: { audiences, boundObjectRef } });
  return aNodesAttempt("CREATE", SERVICE_ACCOUNTS, {
    subresource: "token",
    namespace: "ns",
    name: "app",
    object,
    ...more,
  });
}
const request = (asked: Asked, answers = questions()) => nodeRestriction.judge(attempt(asked), answers)?.message;

describe("a node asks for a token", () => {
  it("on behalf of a pod that is bound to it", () => {
    expect(request({ audiences: ["vault"] })).toBeUndefined();
    expect(request({ pod: "theirs", audiences: ["vault"] })).toBe(
      "node requested token bound to a pod scheduled on a different node",
    );
  });

  const bound = { apiVersion: "v1", kind: "Pod", name: "mine", uid: "uid-mine" };
  const UNBOUND: Readonly<Record<string, object>> = {
    nothing: {},
    "a secret": { ...bound, kind: "Secret" },
    "its own node": { ...bound, kind: "Node", name: "n1" },
    "a pod of another version": { ...bound, apiVersion: "v2" },
    "a pod without a name": { ...bound, name: "" },
  };
  it.each(Object.entries(UNBOUND))("never bound to %s", (_what, boundObjectRef) => {
    expect(request({ bound: boundObjectRef })).toBe("node requested token not bound to a pod");
  });

  it("for one very pod, not for another of its name", () => {
    expect(request({ bound: { ...bound, uid: "" } })).toBe("node requested token with a pod binding without a uid");
    expect(request({ bound: { ...bound, uid: "old" } })).toBe(
      "the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated",
    );
    expect(request({ bound: { ...bound, name: "none" } })).toBe('pod "none" not found');
  });

  it("for a pod of the service account's namespace", () => {
    expect(request({ more: { namespace: "other" } })).toBe('pod "mine" not found');
  });

  it("and is not hindered from anything else about service accounts, which the authorizer refuses", () => {
    expect(request({ more: { subresource: "", object: anObject("app") } })).toBeUndefined();
    expect(request({ more: { operation: "UPDATE" } })).toBeUndefined();
  });
});

describe("the audience of such a token", () => {
  const lacking = (audience: string) =>
    `audience "${audience}" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience`;

  it("is one that the pod projects", () => {
    expect(request({ audiences: ["vault"] })).toBeUndefined();
    expect(request({ audiences: ["other"] })).toBe(lacking("other"));
  });

  it("is the API server itself when none is asked for, and the pod must ask for that too", () => {
    expect(request({ audiences: [] })).toBeUndefined();
    expect(request({})).toBeUndefined();
    expect(request({ pod: "bare" })).toBe(lacking(""));
  });

  it("is one", () => {
    expect(request({ audiences: ["vault", "other"] })).toBe("node may only request 0 or 1 audiences");
  });

  const DRIVERS: Readonly<Record<string, readonly [pod: string, audience: string]>> = {
    "an inline volume": ["inline", "for-inline"],
    "a claimed volume": ["claimed", "for-csi"],
    "an ephemeral volume": ["own", "for-csi"],
    "an inline volume that the driver took over": ["old", "for-ebs"],
    "a claimed volume that the driver took over": ["older", "for-vsphere"],
  };
  it.each(Object.entries(DRIVERS))("may be that of the driver behind %s", (_what, [name, audience]) => {
    expect(request({ pod: name, audiences: [audience] })).toBeUndefined();
    expect(request({ pod: name, audiences: ["other"] })).toBe(lacking("other"));
  });

  it("cannot be told when something on the way to the driver is missing", () => {
    expect(request({ pod: "lost", audiences: ["a"] })).toBe(
      'error validating audience "a": [persistentvolumeclaim "gone" not found, csidriver.storage.k8s.io "gone" not found]',
    );
    expect(request({ pod: "dangling", audiences: ["a"] })).toBe(
      'error validating audience "a": persistentvolume "gone" not found',
    );
  });

  it("does not depend on that when another volume has it", () => {
    expect(request({ pod: "dangling", audiences: ["vault"] })).toBeUndefined();
  });

  it("may be one that the node was given the right to", () => {
    const asked: Attributes[] = [];
    const answers = questions((one) => asked.push(one) > 0);
    expect(request({ audiences: ["other"] }, answers)).toBeUndefined();
    expect(asked).toMatchObject([
      {
        user: { username: "system:node:n1" },
        verb: "request-serviceaccounts-token-audience",
        group: "",
        version: "v1",
        resource: "other",
        namespace: "ns",
        name: "app",
      },
    ]);
  });
});
