// How the machines of the demonstration prove themselves. Where swtpm is installed each has a TPM; else each is an instance of a small
// platform, which signs documents for it in the manner of a cloud. Either way an operator enrols the two that belong to the
// cluster, and a third is a genuine machine too, but another one.

import { NODE_IDENTITIES } from "../../../api/countersign/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import { enrolledIdentity } from "../identity/enrolled.ts";
import { type DemoMachines, type DemoWorld, MEMBERS } from "./demo-cast.ts";
import { startInstances } from "./demo-instances.ts";
import { startTpms } from "./demo-tpms.ts";
import { findSwtpm } from "./software-tpm.ts";

export async function startMachines(world: DemoWorld): Promise<DemoMachines> {
  const program = await findSwtpm(world.path);
  return program === undefined ? await startInstances(world) : await startTpms(world, program);
}

/** As `countersign identity enroll` does for an operator. */
export async function enrolMembers(machines: DemoMachines, client: KubeClient): Promise<void> {
  for (const nodeName of MEMBERS) {
    await client.create(NODE_IDENTITIES, enrolledIdentity({ nodeName, ...(await machines.identityOf(nodeName)) }));
  }
}
