// With which credentials a node renews and is kept fresh: the places of its files, and who signs.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { KUBELET_CLIENT_SIGNER } from "../../../api/certificates/index.ts";
import { createInsecureProvider } from "../../../attestation/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { parseNodeName } from "../../../node/index.ts";
import type { CommandOption, OptionValues } from "../../command.ts";
import { requiredText, textOption } from "../../options.ts";
import { readThisNode, THIS_NODE_OPTIONS } from "./this-node.ts";

export const CREDENTIAL_OPTIONS: readonly CommandOption[] = [
  ...THIS_NODE_OPTIONS,
  { flags: "--client-ca-file <file>", description: "the CA that signs nodes, where it is not the cluster's" },
  { flags: "--signer-name <name>", description: "who shall sign", default: KUBELET_CLIENT_SIGNER },
];

export async function readCredentials(options: OptionValues) {
  const { nodeName, places } = readThisNode(options);
  const clientCaFile = textOption(options, "clientCaFile");
  // One that was named must be there when it is needed; one that a join may have left need not.
  const left = existsSync(places.bootstrapPath) ? places.bootstrapPath : undefined;
  return {
    nodeName: parseNodeName(nodeName),
    certDirectory: places.certDirectory,
    kubeconfig: places.kubeconfigPath,
    bootstrapKubeconfig: textOption(options, "bootstrapKubeconfig") ?? left,
    signerName: requiredText(options, "signerName"),
    provider: createInsecureProvider(),
    clientCaPem: clientCaFile === undefined ? undefined : await loadText(clientCaFile),
  };
}

async function loadText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new Fault("bad-config", `--client-ca-file ${path} cannot be read`, { cause });
  }
}
