// Two replicas or two machines at once. A replica that dies behind each of its writes is in
// attestation-crash.test.ts.

import { isIssued } from "../../../src/api/certificates/index.ts";
import { refusalOf } from "../../builders/attesting-machine.ts";
import { aSoftTpm } from "../../builders/soft-tpm.ts";
import { type AttestationStage, type Csr, ekHash, nameOf } from "../attestation-stage.ts";
import { eventually, type RunningController } from "../controller-stage.ts";
import type { Attacks } from "./attack.ts";

/** One exchange, one certificate, and it is the one that was delivered. */
async function onlyOnce(on: AttestationStage, node: string, proof: Csr): Promise<string> {
  const { status } = await eventually(
    "the exchange to be over",
    () => on.identityOf(node),
    (identity) => identity.status?.exchanges?.at(-1)?.state === "Issued",
  );
  const isOnce = status?.exchanges?.length === 1 && status.exchanges[0]?.proofUid === proof.metadata.uid;
  return isOnce ? "issued once" : JSON.stringify(status?.exchanges);
}

/** Two replicas that know nothing of each other, and several machines. */
async function underTwo(on: AttestationStage): Promise<string> {
  const second: RunningController = await on.stage.startReplica({ replica: "second-replica" });
  try {
    const scenes = await Promise.all([on.aScene(), on.aScene(), on.aScene()]);
    const ends = await Promise.all(
      scenes.map(async ({ machine, node }) => onlyOnce(on, node, (await on.join(machine())).csr)),
    );
    return ends.every((end) => end === "issued once") ? "issued once" : ends.join();
  } finally {
    await second.stop();
  }
}

async function raceForName(on: AttestationStage): Promise<string> {
  const [own, other] = [aSoftTpm(), aSoftTpm()];
  const { node, machine } = await on.aScene({ tpm: { endorsementKeys: [ekHash(own), ekHash(other)] } });
  const machines = [machine({}, { tpm: own }), machine({}, { tpm: other })];
  const proofs = await Promise.all(machines.map((one) => on.prove(one)));
  const ends = await Promise.all(
    proofs.map((proof) =>
      eventually(
        "both to be decided",
        () => on.read(nameOf(proof)),
        (csr) => isIssued(csr) || refusalOf(csr) !== undefined,
      ),
    ),
  );
  const exchanges = (await on.identityOf(node)).status?.exchanges ?? [];
  return `${ends.filter(isIssued).length} of 2, ${exchanges.length} recorded`;
}

export const REPLICA_ATTACKS: Attacks = {
  "23 two who act at once": {
    "two replicas": ["issued once", underTwo],
    "two machines, one name: the later proof": [
      "EndorsementKeyChanged",
      async (on) => {
        const [own, other] = [aSoftTpm(), aSoftTpm()];
        const { machine } = await on.aScene({ tpm: { endorsementKeys: [ekHash(own), ekHash(other)] } });
        const late = machine({}, { tpm: other });
        const hello = await on.challenged(await late.hello());
        await on.join(machine({}, { tpm: own }));
        return await on.refused(await late.send(late.answer(hello)));
      },
    ],
    "two machines, one name, both proofs at once": ["1 of 2, 1 recorded", raceForName],
  },
};
