// Identities that were revoked, and revocations that were taken back, in the audit trail. Written by the replica that
// leads; its first line says which held when it began, so that a change while no replica led shows between two chains.

import type { NodeIdentity } from "../../api/countersign/index.ts";
import type { Log, LogFields } from "../../platform/report/index.ts";
import { untilAborted } from "../../platform/signals/index.ts";

interface RevocationOptions {
  readonly log: Log;
  readonly identities: {
    waitForSync(signal?: AbortSignal): Promise<void>;
    revoked(): readonly NodeIdentity[];
    onChange(handler: () => void): void;
  };
}

export interface RevocationAudit {
  /** Writes down changes until the signal fires. Fault `aborted` when it fires before the identities were read once. */
  run(signal: AbortSignal): Promise<void>;
}

type Known = ReadonlyMap<string, NodeIdentity>;

export function createRevocationAudit({ log, identities }: RevocationOptions): RevocationAudit {
  /** Undefined while this replica does not lead. */
  let known: Known | undefined;
  const tell = (event: string, fields: LogFields) => log.info(event, { audit: true, ...fields });

  identities.onChange(() => {
    if (known === undefined) return;
    const present = byName(identities.revoked());
    for (const identity of missingIn(known, present)) tell("revoked", describe(identity));
    for (const identity of missingIn(present, known)) tell("revocation ended", describe(identity));
    known = present;
  });

  return {
    run: async (signal) => {
      await identities.waitForSync(signal);
      known = byName(identities.revoked());
      tell("revocations in force", { identities: [...known.keys()] });
      await untilAborted(signal);
      known = undefined;
    },
  };
}

function byName(identities: readonly NodeIdentity[]): Known {
  return new Map(identities.map((identity) => [identity.metadata.name ?? "", identity]));
}

function missingIn(some: Known, all: Known): readonly NodeIdentity[] {
  return [...all].flatMap(([name, identity]) => (some.has(name) ? [] : [identity]));
}

function describe({ metadata, spec }: NodeIdentity): LogFields {
  return { identity: metadata.name, uid: metadata.uid, node: spec.nodeName };
}
