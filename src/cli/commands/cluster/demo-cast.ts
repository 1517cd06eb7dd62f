// Who plays in the demonstration, and what a way to prove oneself must offer for it.

import type { NodeIdentitySpec } from "../../../api/countersign/index.ts";
import type { NodeAttestationProvider, SdkVerifier } from "../../../attestation/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";

export const MEMBERS = ["node-a", "node-b"] as const;
export const STRANGER = "impostor";

export interface DemoMachines {
  /** What the machine with this name on its door proves itself with. */
  providerOf(machine: string): NodeAttestationProvider;
  /** By what an operator knows it. */
  identityOf(machine: string): Promise<Omit<NodeIdentitySpec, "nodeName">>;
  /** What the controller needs to judge it, where that is not built in. */
  readonly verifiers: readonly SdkVerifier[];
  /** Whether the platform lets them serve here: its word on addresses may be a Machine's, and there are none. */
  readonly mayServe: boolean;
  /** For people: by what machines are known here, and what came of it. */
  readonly words: readonly [what: string, state: string];
  readonly hint: string | undefined;
  close(): Promise<void>;
}

export interface DemoWorld {
  readonly clock: Clock;
  readonly path: string | undefined;
  readonly signal: AbortSignal;
  /** For what the platform shows the operator. */
  readonly directory: string;
}
