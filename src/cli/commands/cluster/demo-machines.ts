// How the machines of the demonstration prove themselves. Where swtpm is installed each has a TPM; else each is an instance of a small
// platform, which signs documents for it in the manner of a cloud. Either way an operator enrols the two that belong to the
// cluster, and a third is a genuine machine too, but another one.

import {
  COUNTERSIGN_API_VERSION,
  identityName,
  NODE_IDENTITIES,
  type NodeIdentity,
} from "../../../api/countersign/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
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
    const identity: NodeIdentity = {
      apiVersion: COUNTERSIGN_API_VERSION,
      kind: "NodeIdentity",
      metadata: { name: identityName(nodeName) },
      spec: { nodeName, ...(await machines.identityOf(nodeName)) },
    };
    await client.create(NODE_IDENTITIES, identity);
  }
}
