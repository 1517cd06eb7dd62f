// How the machines of the demonstration prove themselves. Where swtpm is installed each has a TPM, and an operator has enrolled the
// two that belong to the cluster by their endorsement keys; else they have nothing but the token, and the story says so.

import {
  COUNTERSIGN_API_VERSION,
  identityName,
  NODE_IDENTITIES,
  type NodeIdentity,
} from "../../../api/countersign/index.ts";
import {
  createInsecureProvider,
  createTpmProvider,
  type NodeAttestationProvider,
  readEndorsementKey,
} from "../../../attestation/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import { findSwtpm, type SoftwareTpm, startSoftwareTpm } from "./software-tpm.ts";

export interface DemoMachines {
  /** What the machine with this name on its door proves itself with. */
  providerOf(machine: string): NodeAttestationProvider;
  /** For people: by what machines are known here, and what came of it. */
  readonly words: readonly [what: string, state: string];
  readonly hint: string | undefined;
  close(): Promise<void>;
}

export interface DemoWorld {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly path: string | undefined;
  readonly signal: AbortSignal;
}

const MEMBERS = ["node-a", "node-b"];
const STRANGER = "impostor";

export async function prepareMachines(world: DemoWorld): Promise<DemoMachines> {
  const program = await findSwtpm(world.path);
  if (program === undefined) return withoutTpm();
  const tpms = new Map<string, SoftwareTpm>();
  const close = async () => {
    for (const tpm of tpms.values()) await tpm.stop();
  };
  try {
    for (const machine of [...MEMBERS, STRANGER]) tpms.set(machine, await startSoftwareTpm(program, world.clock));
    for (const machine of MEMBERS) await enrol(world, machine, tpms.get(machine)?.address ?? "");
  } catch (failure) {
    await close();
    throw failure;
  }
  return {
    providerOf: (machine) => createTpmProvider({ address: tpms.get(machine)?.address }),
    words: [`${MEMBERS.join(", ")} enrolled by their TPM keys`, "ready"],
    hint: undefined,
    close,
  };
}

function withoutTpm(): DemoMachines {
  return {
    providerOf: createInsecureProvider,
    words: ["none: machines prove nothing but the token", "no TPM"],
    hint: "to see machines prove themselves with a TPM: install swtpm (apt install swtpm, dnf install swtpm)",
    close: async () => undefined,
  };
}

/** As `countersign identity enroll NAME --ek-hash HASH` does for an operator. */
async function enrol({ client, clock, signal }: DemoWorld, nodeName: string, address: string): Promise<void> {
  const { spkiSha256 } = await readEndorsementKey({ clock, signal }, address);
  const identity: NodeIdentity = {
    apiVersion: COUNTERSIGN_API_VERSION,
    kind: "NodeIdentity",
    metadata: { name: identityName(nodeName) },
    spec: { nodeName, tpm: { ek: { spkiSha256 } } },
  };
  await client.create(NODE_IDENTITIES, identity, { signal });
}
