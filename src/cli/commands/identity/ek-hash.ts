// `--ek-hash`: an endorsement key as operators write it down, SHA-256 of the key as SubjectPublicKeyInfo.

import { Fault } from "../../../kernel/outcome/index.ts";
import type { CommandOption, OptionValues } from "../../command.ts";
import { textOption } from "../../options.ts";

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
