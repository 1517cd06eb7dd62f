// Changes of policies as lines of the audit trail: with which policies a leader begins, and each that comes, changes or
// goes while it leads, whichever loops it runs. A verdict names its policy; these lines say what the policy was then.

import type { JoinPolicy } from "../../api/countersign/index.ts";
import { encodeHex, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import type { Log } from "../../platform/report/index.ts";
import { untilAborted } from "../../platform/signals/index.ts";

interface PolicyAuditOptions {
  readonly log: Log;
  readonly policies: {
    waitForSync(signal?: AbortSignal): Promise<void>;
    onChange(handler: () => void): void;
    objects(): readonly JoinPolicy[];
    readonly book: { faultOf(name: string): string | undefined };
  };
}

export interface PolicyAudit {
  /** Writes down changes until the signal fires. Fault `aborted` when it fires before the policies were read once. */
  run(signal: AbortSignal): Promise<void>;
}

export function createPolicyAudit({ log, policies }: PolicyAuditOptions): PolicyAudit {
  /** Undefined while this replica does not lead. */
  let record: ((policies: readonly JoinPolicy[]) => void) | undefined;
  policies.onChange(() => record?.(policies.objects()));
  return {
    run: async (signal) => {
      await policies.waitForSync(signal);
      record = createChangeRecord(log, policies.book.faultOf);
      record(policies.objects());
      await untilAborted(signal);
      record = undefined;
    },
  };
}

type Change = "found" | "added" | "changed" | "removed";

/** Called with all policies there are; says what is new since the last call. The first call says which were found. */
export function createChangeRecord(
  log: Log,
  faultOf: (name: string) => string | undefined,
): (policies: readonly JoinPolicy[]) => void {
  let known: Known | undefined;
  const say = (change: Change, { metadata, spec }: JoinPolicy) => {
    const { name = "", uid, generation } = metadata;
    // A policy can name a hundred thousand keys: the digest shows which text it was, and the API server's audit has the
    // text.
    const specSha256 = encodeHex(sha256(encodeUtf8(JSON.stringify(spec))));
    const fault = change === "removed" ? undefined : faultOf(name);
    const said = { change, policy: name, uid, generation, mode: spec.mode, specSha256 };
    log.info("policy changed", { audit: true, ...said, ...(fault === undefined ? {} : { fault }) });
  };
  return (policies) => {
    const now: Known = new Map(policies.map((policy) => [keyOf(policy), policy]));
    for (const { change, policy } of changesBetween(known, now)) say(change, policy);
    known = now;
  };
}

type Known = ReadonlyMap<string, JoinPolicy>;

interface Changed {
  readonly change: Change;
  readonly policy: JoinPolicy;
}

function changesBetween(before: Known | undefined, now: Known): readonly Changed[] {
  if (before === undefined) return [...now.values()].map((policy) => ({ change: "found", policy }));
  const present = [...now].flatMap(([key, policy]): Changed[] => {
    const old = before.get(key);
    if (old === undefined) return [{ change: "added", policy }];
    return old.metadata.generation === policy.metadata.generation ? [] : [{ change: "changed", policy }];
  });
  const gone = [...before].filter(([key]) => !now.has(key));
  return [...present, ...gone.map(([, policy]): Changed => ({ change: "removed", policy }))];
}

/** A policy that was deleted and made again is another one. */
function keyOf({ metadata: { name, uid } }: JoinPolicy): string {
  return `${name} ${uid}`;
}
