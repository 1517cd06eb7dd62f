// `countersign node tpm`: which TPM this machine has, as an operator writes it down before the machine joins.

import { readEndorsementKey } from "../../../attestation/index.ts";
import type { Command } from "../../command.ts";
import { OUTPUT_OPTION, outputForm, textOption } from "../../options.ts";

export const nodeTpm: Command = {
  options: [
    {
      flags: "--tpm <address>",
      description: "/dev/tpmrm0 (default), swtpm:path=SOCKET or swtpm:host=HOST,port=PORT",
    },
    OUTPUT_OPTION,
  ],
  examples: ["countersign node tpm", "countersign node tpm -o json"],
  run: async (context, { options }) => {
    const { terminal, clock, stop: signal } = context;
    const form = outputForm(options);
    const facts = await readEndorsementKey({ clock, signal }, textOption(options, "tpm"));
    if (form === "json") {
      terminal.out(`${JSON.stringify(facts)}\n`);
      return 0;
    }
    terminal.out(`endorsement key   ${facts.spkiSha256}\n`);
    terminal.out(
      `                  ${facts.algorithm}, ${facts.isCertified ? "with" : "without"} a certificate of its maker\n`,
    );
    return 0;
  },
};
