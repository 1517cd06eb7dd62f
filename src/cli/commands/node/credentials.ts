// The credentials with which a node renews: the places of its files, its signer and its provider.

import { existsSync } from "node:fs";
import { loadRemembered, parseNodeName } from "../../../node/index.ts";
import { loadText } from "../../../platform/files/index.ts";
import type { CommandOption, OptionValues } from "../../command.ts";
import { textOption } from "../../options.ts";
import { PROVIDER_OPTIONS, readProvider } from "./provider.ts";
import { readThisNode, THIS_NODE_OPTIONS } from "./this-node.ts";

export const CREDENTIAL_OPTIONS: readonly CommandOption[] = [
  ...THIS_NODE_OPTIONS,
  {
    flags: "--client-ca-file <file>",
    description: "the CA that signs nodes, where it is not the cluster's (default: the one that the join was given)",
  },
  ...PROVIDER_OPTIONS,
];

export async function readCredentials(options: OptionValues) {
  const { nodeName, places } = await readThisNode(options);
  // What was named must be there when it is needed; what a join may have left need not.
  const ifLeft = (path: string) => (existsSync(path) ? path : undefined);
  const clientCaFile = textOption(options, "clientCaFile") ?? ifLeft(places.clientCaPath);
  return {
    nodeName: parseNodeName(nodeName),
    certDirectory: places.certDirectory,
    kubeconfig: places.kubeconfigPath,
    bootstrapKubeconfig: textOption(options, "bootstrapKubeconfig") ?? ifLeft(places.bootstrapPath),
    ...(await readProvider(options, await loadRemembered(places.attestationPath))),
    clientCaPem: clientCaFile === undefined ? undefined : await loadText(clientCaFile),
  };
}
