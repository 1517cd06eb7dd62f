// `countersign csr approve NAME…`: an operator approves. Against a verdict of the controller it needs --anyway, so that
// a refusal is not overridden by habit.

import type { Command } from "../../command.ts";
import { KUBECONFIG_OPTION } from "../../connect.ts";
import { OUTPUT_OPTION } from "../../options.ts";
import { APPROVE, decideAll, MESSAGE_OPTION, NAMES_ARGUMENT } from "./decide.ts";

export const csrApprove: Command = {
  arguments: NAMES_ARGUMENT,
  options: [
    { flags: "--anyway", description: "also those that a rule of the controller has refused" },
    MESSAGE_OPTION,
    KUBECONFIG_OPTION,
    OUTPUT_OPTION,
  ],
  run: (context, input) => decideAll(context, input, APPROVE),
};
