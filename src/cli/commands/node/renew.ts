// `countersign node renew`: one new certificate, now or when it is due.

import { type ManagerEvent, type Renewal, renewCertificate } from "../../../node/index.ts";
import type { Command, CommandContext } from "../../command.ts";

import { durationOption, flagOption, OUTPUT_OPTION, outputForm } from "../../options.ts";
import { plainText } from "../../terminal/index.ts";
import { CREDENTIAL_OPTIONS, readCredentials } from "./credentials.ts";

export const nodeRenew: Command = {
  options: [
    ...CREDENTIAL_OPTIONS,
    { flags: "--if-due", description: "only when its time has come, after about 80 % of its life; for timers" },
    { flags: "--timeout <duration>", description: "how long to wait for approval", default: "5m" },
    OUTPUT_OPTION,
  ],
  examples: ["countersign node renew", "countersign node renew --if-due"],
  run: async (context, { options }) => {
    const form = outputForm(options);
    const renewal = await renewCertificate({
      ...(await readCredentials(options)),
      env: context.env,
      clock: context.clock,
      signal: context.stop,
      onlyIfDue: flagOption(options, "ifDue"),
      limitMs: durationOption(options, "timeout"),
      onNotice: (message) => context.terminal.err(`repaired   ${plainText(message)}\n`),
      onEvent: createTeller(context),
    });
    if (form === "json") context.terminal.out(`${JSON.stringify(renewal)}\n`);
    else print(context, renewal);
    return 0;
  },
};

/** Reports what is awaited, once per reason. */
function createTeller({ terminal }: CommandContext): (event: ManagerEvent) => void {
  let said = "";
  return (event) => {
    if (event.kind === "requested") terminal.err(`requested  ${plainText(event.name)}\n`);
    if (event.kind !== "request" || event.state.kind !== "pending" || event.state.why === said) return;
    said = event.state.why;
    terminal.err(`waiting    ${plainText(said)}\n`);
  };
}

function print({ terminal }: CommandContext, { isRenewed, certificatePath, notAfterMs }: Renewal): void {
  const until = new Date(notAfterMs).toISOString();
  terminal.out(`${isRenewed ? "renewed" : "not due yet"}, certificate good until ${until}\n`);
  terminal.out(`  ${certificatePath}\n`);
}
