// `countersign csr deny NAME…`: an operator denies.

import type { Command } from "../../command.ts";
import { KUBECONFIG_OPTION } from "../../connect.ts";
import { OUTPUT_OPTION } from "../../options.ts";
import { DENY, decideAll, MESSAGE_OPTION, NAMES_ARGUMENT } from "./decide.ts";

export const csrDeny: Command = {
  arguments: NAMES_ARGUMENT,
  options: [MESSAGE_OPTION, KUBECONFIG_OPTION, OUTPUT_OPTION],
  run: (context, input) => decideAll(context, input, DENY),
};
