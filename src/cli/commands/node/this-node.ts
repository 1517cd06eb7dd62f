// Which node the commands about this machine mean, and where its files are: what was said, else what a join wrote, else
// what the certificate and this machine's host name say.

import { hostname } from "node:os";
import { nodeNameOf } from "../../../api/certificates/index.ts";
import { certificateFact, type JoinPlaces, joinPlaces, lookAt } from "../../../node/index.ts";
import type { CommandOption, OptionValues } from "../../command.ts";
import { requiredText, textOption } from "../../options.ts";
import { DIRECTORY_OPTION } from "./directory.ts";

export const THIS_NODE_OPTIONS: readonly CommandOption[] = [
  DIRECTORY_OPTION,
  {
    flags: "--cert-dir <path>",
    description: "certificates and keys, such as a kubelet's (default: pki in the directory)",
  },
  { flags: "--kubeconfig <file>", description: "the node's, such as a kubelet's (default: in the directory)" },
  {
    flags: "--bootstrap-kubeconfig <file>",
    description: "with what it asks (default: what a join left in the directory)",
  },
  { flags: "--node-name <name>", description: "default: that of the certificate, else this machine's host name" },
];

export interface ThisNode {
  readonly directory: string;
  readonly nodeName: string;
  readonly places: JoinPlaces;
}

export function readThisNode(options: OptionValues): ThisNode {
  const directory = requiredText(options, "directory");
  const own = joinPlaces(directory);
  const places = {
    ...own,
    certDirectory: textOption(options, "certDir") ?? own.certDirectory,
    kubeconfigPath: textOption(options, "kubeconfig") ?? own.kubeconfigPath,
    bootstrapPath: textOption(options, "bootstrapKubeconfig") ?? own.bootstrapPath,
  };
  const certificate = certificateFact(lookAt(places));
  const certified = certificate.kind === "present" ? nodeNameOf(certificate.nodeUser) : undefined;
  return { directory, places, nodeName: textOption(options, "nodeName") ?? certified ?? hostname().toLowerCase() };
}
