// Arguments and options that several `identity` commands take.

import { Fault } from "../../../kernel/outcome/index.ts";
import type { CommandOption, OptionValues } from "../../command.ts";
import { textOption } from "../../options.ts";

export const NODE_ARGUMENT = { name: "<node>", description: "the node's name" } as const;

export const CLUSTER_OPTION: CommandOption = {
  flags: "--cluster <name>",
  description: "whose node it is, where one management cluster has the identities of several clusters",
};

/** An endorsement key as operators write it: SHA-256 of its SubjectPublicKeyInfo. */
export const EK_HASH_OPTION: CommandOption = {
  flags: "--ek-hash <hex>",
  description: "SHA-256 of the TPM's endorsement key (SubjectPublicKeyInfo, DER)",
};

const DIGEST = /^(?:sha256:)?([0-9a-f]{64})$/;

export function ekHashOption(options: OptionValues): string | undefined {
  const text = textOption(options, "ekHash");
  if (text === undefined) return undefined;
  const digest = DIGEST.exec(text.toLowerCase())?.[1];
  if (digest === undefined) throw new Fault("bad-config", "--ek-hash must be 64 hexadecimal digits");
  return digest;
}
