// A NodeIdentity for people and scripts. Endorsement keys are shown shortened: they identify a TPM for life.

import type { NodeIdentity } from "../../../api/countersign/index.ts";

/** Enough characters to tell the keys of one fleet apart, and too few to identify a TPM elsewhere. */
const SHORT = 12;

export interface IdentityDescription {
  readonly node: string;
  readonly cluster: string | null;
  readonly phase: string;
  readonly provider: string | null;
  readonly trust: string | null;
  readonly attestedAt: string | null;
  /** As `countersign node tpm` spells it: what was pinned, else what was enrolled. */
  readonly ek: string | null;
  readonly machine: string | null;
  readonly certificates: number;
  readonly resetUntil: string | null;
}

export function describeIdentity(identity: NodeIdentity): IdentityDescription {
  const { spec, status } = identity;
  const { machine } = status ?? {};
  return {
    node: spec.nodeName,
    cluster: spec.clusterName ?? null,
    phase: phaseOf(identity),
    provider: status?.provider ?? null,
    trust: status?.tpm?.ek.trust ?? null,
    attestedAt: status?.attestedAt ?? null,
    ek: (status?.tpm ?? spec.tpm)?.ek.spkiSha256.slice(0, SHORT) ?? null,
    machine: machine === undefined ? null : `${machine.namespace}/${machine.name}`,
    certificates: (status?.certificates ?? []).filter(({ revoked }) => revoked !== true).length,
    resetUntil: spec.reset?.until ?? null,
  };
}

/** The spec counts at once; the controller copies it to the status a little later. */
export function phaseOf({ spec, status }: NodeIdentity): string {
  if (spec.revoked === true) return "Revoked";
  if (spec.retired === true) return "Retired";
  const isLifted = status?.phase === "Retired" && spec.retired === false;
  if (isLifted) return status.attestedAt === undefined ? "Pending" : "Active";
  return status?.phase ?? "Pending";
}

/** Also of a revoked node: the revocation may be lifted, and the retirement stands. */
export function isRetired({ spec, status }: NodeIdentity): boolean {
  return spec.retired ?? status?.phase === "Retired";
}

/** The node's name and cluster as a command takes them. */
export function typedName({ spec: { nodeName, clusterName } }: NodeIdentity): string {
  return clusterName === undefined ? nodeName : `${nodeName} --cluster ${clusterName}`;
}
