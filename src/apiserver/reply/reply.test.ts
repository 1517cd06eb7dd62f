import { describe, expect, it } from "vitest";
import { FAULT_CODES } from "../../kernel/outcome/fault.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { negotiate } from "../entry/accept.ts";
import { createRegistry } from "../resources/registry.ts";
import { humanDuration } from "../resources/table.ts";
import { statusOfError } from "../status/fault-status.ts";
import { aggregatedDiscovery, legacyGroups, legacyResources } from "./discovery.ts";

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

describe("content negotiation", () => {
  const cases: Record<string, [string | undefined, string | undefined]> = {
    "nothing said": [undefined, undefined],
    anything: ["*/*", undefined],
    "plain JSON": ["application/json", undefined],
    "kubectl's list": [`${TABLE},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`, "Table"],
    "protobuf first, JSON then": ["application/vnd.kubernetes.protobuf,application/json", undefined],
    "a transform that is not served is passed over": [
      "application/json;as=Poem;v=v1;g=meta.k8s.io,application/json",
      undefined,
    ],
    "a table of another group is passed over": ["application/json;as=Table;v=v1;g=x,*/*", undefined],
    "quality decides": [`${TABLE};q=0.5,application/json;q=0.9`, undefined],
    "a quality of zero is a no": [`application/json;q=0,${TABLE}`, "Table"],
  };
  it.each(Object.entries(cases))("%s", (_name, [accept, expected]) => {
    expect(
      negotiate(accept === undefined ? {} : { accept }, { formats: ["json"], transforms: ["Table"] }).transform,
    ).toBe(expected);
  });

  it.each(["text/html", "application/vnd.kubernetes.protobuf", TABLE])("refuses when it has none of %s", (accept) => {
    expect(() => negotiate({ accept }, { formats: ["json"], transforms: [] })).toThrow(
      expect.objectContaining({ code: "unsupported" }),
    );
  });
});

describe("a fault", () => {
  it.each(FAULT_CODES)("%s has a status", (code) => {
    const status = statusOfError(new Fault(code, "what happened"));
    expect(status).toMatchObject({ kind: "Status", status: "Failure", code: expect.any(Number) });
    expect(status.code).toBeGreaterThanOrEqual(400);
  });

  it("about this server keeps its words to itself", () => {
    expect(statusOfError(new Fault("io-failed", "cannot read /secret/path")).message).toBe("Internal error occurred");
    expect(statusOfError(new Fault("unauthorized", "client-certificate: expired")).message).toBe("Unauthorized");
    expect(statusOfError(new TypeError("x is not a function"))).toMatchObject({
      code: 500,
      message: "Internal error occurred",
    });
  });

  it("has three faces when something is unsupported", () => {
    const codes = ["body", "answer", "verb"].map(
      (of) => statusOfError(new Fault("unsupported", "x", { detail: { of } })).code,
    );
    expect(codes).toEqual([415, 406, 405]);
  });
});

describe("discovery", () => {
  it("tells the same story in both forms", () => {
    const aggregated = aggregatedDiscovery(createRegistry(), "apis") as { items: { metadata: { name: string } }[] };
    const legacy = legacyGroups(createRegistry()) as { groups: { name: string }[] };
    expect(aggregated.items.map((item) => item.metadata.name)).toEqual(legacy.groups.map((group) => group.name));
  });

  it("lists subresources beside their resource", () => {
    const { resources } = legacyResources(createRegistry(), "certificates.k8s.io", "v1") as {
      resources: { name: string }[];
    };
    expect(resources.map((resource) => resource.name)).toEqual([
      "certificatesigningrequests",
      "certificatesigningrequests/approval",
      "certificatesigningrequests/status",
    ]);
    expect(legacyResources(createRegistry(), "certificates.k8s.io", "v2")).toBeUndefined();
  });
});

describe("human durations", () => {
  const S = 1000;
  const M = 60 * S;
  const H = 60 * M;
  const D = 24 * H;
  const durations: readonly (readonly [number, string])[] = [
    [-2 * S, "<invalid>"],
    [-S, "0s"],
    [0, "0s"],
    [119 * S, "119s"],
    [2 * M, "2m"],
    [2 * M + S, "2m1s"],
    [10 * M, "10m"],
    [179 * M, "179m"],
    [3 * H, "3h"],
    [3 * H + M, "3h1m"],
    [8 * H, "8h"],
    [47 * H, "47h"],
    [48 * H, "2d"],
    [49 * H, "2d1h"],
    [8 * D, "8d"],
    [729 * D, "729d"],
    [730 * D, "2y"],
    [731 * D, "2y1d"],
    [8 * 365 * D, "8y"],
  ];
  it.each(durations)("%d ms is %s", (ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });
});
