import { describe, expect, it } from "vitest";
import { FORMATS, type Format, negotiate, negotiateRefusal, OBJECT_TRANSFORMS, type Transform } from "./accept.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const BARE = "as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const ALL = { formats: FORMATS, transforms: OBJECT_TRANSFORMS };
/** What custom resources have. */
const CUSTOM = { formats: ["json", "yaml"] as const, transforms: OBJECT_TRANSFORMS };

describe("formats", () => {
  const cases: Record<string, [string, Format, Transform?]> = {
    "typed clients of client-go": [`${PROTOBUF},application/json`, "protobuf"],
    "hollow nodes": [`${PROTOBUF}, */*`, "protobuf"],
    "anything is JSON": ["*/*", "json"],
    "anything of applications is JSON": ["application/*", "json"],
    YAML: ["application/yaml", "yaml"],
    "quality decides": [`${PROTOBUF};q=0.1,application/json`, "json"],
    "bare metadata": [`${PROTOBUF};${BARE},application/json`, "protobuf", "PartialObjectMetadata"],
    "no tables in protobuf": [`${PROTOBUF};as=Table;g=meta.k8s.io;v=v1,application/json`, "json"],
    "tables in YAML": ["application/yaml;as=Table;g=meta.k8s.io;v=v1", "yaml", "Table"],
  };
  it.each(Object.entries(cases))("%s", (_name, [accept, format, transform]) => {
    expect(negotiate({ accept }, ALL)).toMatchObject({ format, transform });
  });

  it("that a kind does not have are passed over, but bare metadata has them all", () => {
    expect(negotiate({ accept: `${PROTOBUF},application/json` }, CUSTOM).format).toBe("json");
    expect(negotiate({ accept: `${PROTOBUF};${BARE}` }, CUSTOM).format).toBe("protobuf");
    expect(() => negotiate({ accept: PROTOBUF }, CUSTOM)).toThrow(
      "only the following media types are accepted: application/json, application/yaml",
    );
  });

  it("may be asked for in a readable layout", () => {
    expect(negotiate({ accept: "application/json;pretty=1" }, ALL).isPretty).toBe(true);
  });
});

describe("a refusal", () => {
  const cases: Record<string, [string | undefined, Format]> = {
    "in the format the client takes": [`${PROTOBUF},application/json`, "protobuf"],
    "whole, although it wanted a table": ["application/json;as=Table;v=v1;g=meta.k8s.io,application/yaml", "yaml"],
    "in JSON to whom takes nothing else": ["text/html", "json"],
    "in JSON to whom says nothing": [undefined, "json"],
  };
  it.each(Object.entries(cases))("is told %s", (_name, [accept, format]) => {
    expect(negotiateRefusal(accept === undefined ? {} : { accept })).toMatchObject({ format, transform: undefined });
  });
});
