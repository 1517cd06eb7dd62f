import { describe, expect, it } from "vitest";
import type { JoinPolicy } from "../../api/countersign/index.ts";
import { type LogFields, silentLog } from "../../platform/report/index.ts";
import { createChangeRecord, createPolicyAudit } from "./record-changes.ts";

function aPolicy(
  name: string,
  { uid = "1", generation = 1, mode = "Shadow" as "Shadow" | "Enforce" } = {},
): JoinPolicy {
  const metadata = { name, uid, generation };
  return { apiVersion: "countersign.dev/v1alpha1", kind: "JoinPolicy", metadata, spec: { mode } };
}

function aRecord(faultOf: (name: string) => string | undefined = () => undefined) {
  const lines: LogFields[] = [];
  const log = { ...silentLog, info: (event: string, fields: LogFields = {}) => void lines.push({ event, ...fields }) };
  const record = createChangeRecord(log, faultOf);
  return (policies: readonly JoinPolicy[]) => {
    lines.length = 0;
    record(policies);
    return lines.map(({ change, policy }) => `${String(change)} ${String(policy)}`);
  };
}

describe("the record of policies", () => {
  it("says with which ones it begins, and then only what is new", () => {
    const look = aRecord();
    expect(look([aPolicy("a"), aPolicy("b")])).toEqual(["found a", "found b"]);
    expect(look([aPolicy("a"), aPolicy("b")])).toEqual([]);
    expect(look([aPolicy("a", { generation: 2 }), aPolicy("b"), aPolicy("c")])).toEqual(["changed a", "added c"]);
    expect(look([aPolicy("b")])).toEqual(["removed a", "removed c"]);
  });

  it("tells a policy that was made again from the one before", () => {
    const look = aRecord();
    look([aPolicy("a")]);
    expect(look([aPolicy("a", { uid: "2" })])).toEqual(["added a", "removed a"]);
  });

  it("has what an auditor compares: generation, mode, a digest of the text, and why it does not count", () => {
    const lines: LogFields[] = [];
    const log = { ...silentLog, info: (_: string, fields: LogFields = {}) => void lines.push(fields) };
    createChangeRecord(log, () => "spec.nodeNames is no pattern")([aPolicy("a", { generation: 7, mode: "Enforce" })]);
    expect(lines).toEqual([
      {
        ...{ audit: true, change: "found", policy: "a", uid: "1", generation: 7, mode: "Enforce" },
        specSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        fault: "spec.nodeNames is no pattern",
      },
    ]);
  });
});

describe("the audit of policies", () => {
  it("begins with what it finds when it leads, records each change meanwhile, and nothing else", async () => {
    const said: string[] = [];
    const log = {
      ...silentLog,
      info: (_: string, { change, policy }: LogFields = {}) => void said.push(`${change} ${policy}`),
    };
    let present = [aPolicy("a")];
    let tell: () => void = () => undefined;
    const audit = createPolicyAudit({
      log,
      policies: {
        waitForSync: async () => undefined,
        onChange: (handler) => {
          tell = handler;
        },
        objects: () => present,
        book: { faultOf: () => undefined },
      },
    });
    const change = (...policies: JoinPolicy[]) => {
      present = policies;
      tell();
    };
    change(aPolicy("a"), aPolicy("b"));
    expect(said).toEqual([]);
    const stop = new AbortController();
    const running = audit.run(stop.signal);
    await Promise.resolve();
    change(aPolicy("b"));
    stop.abort();
    await running;
    change();
    expect(said).toEqual(["found a", "found b", "removed a"]);
  });
});
