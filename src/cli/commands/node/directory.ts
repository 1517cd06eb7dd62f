// Where the commands about this machine look.

import type { CommandOption } from "../../command.ts";

export const DIRECTORY_OPTION: CommandOption = {
  flags: "--directory <path>",
  description: "where certificate and kubeconfigs of this node are",
  default: "/var/lib/countersign",
};
