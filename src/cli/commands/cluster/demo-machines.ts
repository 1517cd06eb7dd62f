// The machines of the demonstration, and what a way of proving must offer for it. An operator enrols the two that
// belong to the cluster; the third is a genuine machine too, but another one.

import { NODE_IDENTITIES, type NodeIdentitySpec } from "../../../api/countersign/index.ts";
import type { NodeAttestationProvider, SdkVerifier } from "../../../attestation/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import { enrolledIdentity } from "../identity/identities.ts";

export const MEMBERS = ["node-a", "node-b"] as const;
export const STRANGER = "impostor";

export interface DemoMachines {
  /** The provider of the machine with this name. */
  providerOf(machine: string): NodeAttestationProvider;
  /** What an operator enrols of it. */
  identityOf(machine: string): Promise<Omit<NodeIdentitySpec, "nodeName">>;
  /** What the controller needs to judge it, where that is not built in. */
  readonly verifiers: readonly SdkVerifier[];
  /** Whether they may get serving certificates: an instance's addresses come from Machines, and there are none here. */
  readonly mayServe: boolean;
  /** For people: how machines are known here, and the outcome. */
  readonly words: readonly [what: string, state: string];
  readonly hint: string | undefined;
  close(): Promise<void>;
}

export interface DemoWorld {
  readonly clock: Clock;
  readonly path: string | undefined;
  readonly signal: AbortSignal;
  /** For files that the platform gives to the operator. */
  readonly directory: string;
}

/** As `countersign identity enroll` does for an operator. */
export async function enrolMembers(machines: DemoMachines, client: KubeClient): Promise<void> {
  for (const nodeName of MEMBERS) {
    await client.create(NODE_IDENTITIES, enrolledIdentity({ nodeName, ...(await machines.identityOf(nodeName)) }));
  }
}
