// A TPM that is gone in the middle of a join: after the challenge came, before it is answered. The process is killed,
// as by a crash.

import type { ExchangeProvider } from "../../src/attestation/provider.ts";
import { createTpmProvider } from "../../src/attestation/tpm/node.ts";
import type { Swtpm } from "./swtpm.ts";

export function aDyingTpm(swtpm: Swtpm): ExchangeProvider {
  const provider = createTpmProvider({ address: swtpm.address });
  return {
    ...provider,
    open: async (options) => {
      const prover = await provider.open(options);
      return {
        ...prover,
        proof: async (input, hello) => {
          const gone = new Promise((resolve) => swtpm.process.once("exit", resolve));
          swtpm.process.kill("SIGKILL");
          await gone;
          return await prover.proof(input, hello);
        },
      };
    },
  };
}
