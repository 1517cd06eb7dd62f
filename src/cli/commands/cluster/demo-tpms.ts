// The machines of the demonstration with a software TPM each.

import { createTpmProvider, readEndorsementKey } from "../../../attestation/index.ts";
import { type DemoMachines, type DemoWorld, MEMBERS, STRANGER } from "./demo-cast.ts";
import { type SoftwareTpm, startSoftwareTpm } from "./software-tpm.ts";

export async function startTpms({ clock, signal }: DemoWorld, program: string): Promise<DemoMachines> {
  const tpms = new Map<string, SoftwareTpm>();
  const close = async () => {
    for (const tpm of tpms.values()) await tpm.stop();
  };
  try {
    for (const machine of [...MEMBERS, STRANGER]) tpms.set(machine, await startSoftwareTpm(program, clock));
  } catch (failure) {
    await close();
    throw failure;
  }
  const addressOf = (machine: string) => tpms.get(machine)?.address;
  return {
    providerOf: (machine) => createTpmProvider({ address: addressOf(machine) }),
    identityOf: async (machine) => {
      const { spkiSha256 } = await readEndorsementKey({ clock, signal }, addressOf(machine));
      return { tpm: { ek: { spkiSha256 } } };
    },
    verifiers: [],
    mayServe: true,
    words: [`${MEMBERS.join(", ")} enrolled by their TPM keys`, "ready"],
    hint: undefined,
    close,
  };
}
