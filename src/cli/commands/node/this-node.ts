// Which node the commands about this machine mean, and where its files are: by the flags, else by the certificate, else
// by the join, else by this machine's host name.

import { hostname } from "node:os";
import { nodeNameOf } from "../../../api/certificates/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import { certificateFact, type JoinPlaces, joinPlaces, loadRemembered, lookAt } from "../../../node/index.ts";
import type { CommandOption, OptionValues } from "../../command.ts";
import { requiredText, textOption } from "../../options.ts";

export const DIRECTORY_OPTION: CommandOption = {
  flags: "--directory <path>",
  description: "where certificate and kubeconfigs of this node are",
  default: "/var/lib/countersign",
};

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
  {
    flags: "--node-name <name>",
    description: "default: that of the certificate or of the join, else this machine's host name",
  },
];

export interface ThisNode {
  readonly directory: string;
  readonly nodeName: string;
  readonly places: JoinPlaces;
}

export async function readThisNode(options: OptionValues): Promise<ThisNode> {
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
  const said = textOption(options, "nodeName") ?? certified;
  const nodeName = said ?? (await joinedAs(places)) ?? hostname().toLowerCase();
  return { directory, places, nodeName };
}

/**
 * Not for a user who may not read the join's file: the command itself reports that, and `node doctor` exists for it.
 */
async function joinedAs({ attestationPath }: JoinPlaces): Promise<string | undefined> {
  try {
    return (await loadRemembered(attestationPath))?.nodeName;
  } catch (failure) {
    if (isFault(failure, "io-failed")) return undefined;
    throw failure;
  }
}
