// A NodeIdentity as people and scripts see it. Endorsement keys are shown shortened: they are serial numbers for life.

import type { NodeIdentity } from "../../../api/countersign/index.ts";
import type { CommandOption } from "../../command.ts";

export const CLUSTER_OPTION: CommandOption = {
  flags: "--cluster <name>",
  description: "whose node it is, where one management cluster has the identities of several clusters",
};

/** So many characters tell two keys of one fleet apart, and are no use to whoever looks over a shoulder. */
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

/** An operator's word counts from the moment it is given; the controller writes it into the status a little later. */
export function phaseOf({ spec, status }: NodeIdentity): string {
  if (spec.revoked === true) return "Revoked";
  return spec.retired === true ? "Retired" : (status?.phase ?? "Pending");
}

/** The node as its name is typed after a command's words. */
export function typedName({ spec: { nodeName, clusterName } }: NodeIdentity): string {
  return clusterName === undefined ? nodeName : `${nodeName} --cluster ${clusterName}`;
}
