// `countersign provider new`: a provider of one's own to start from, which builds and conforms as it is written.

import { dirname, join, resolve } from "node:path";
import { isProviderName } from "../../../attestation/evidence/index.ts";
import { TAKEN_NAMES } from "../../../attestation/index.ts";
import { encodeUtf8 } from "../../../kernel/bytes/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { ensureDirectory, nodeFileSystem } from "../../../platform/files/index.ts";
import { VERSION } from "../../../platform/process/index.ts";
import type { Command } from "../../command.ts";
import { textOption } from "../../options.ts";
import { installLine, templateFiles } from "./template/package.ts";

const FILE_MODE = 0o644;
/** Of programs, and of folders. */
const PROGRAM_MODE = 0o755;

export const providerNew: Command = {
  arguments: [{ name: "<name>", description: "the provider's name: lower-case letters, digits and dashes" }],
  options: [
    { flags: "--directory <path>", description: "where to write it (default: ./kubelet-authenticator-<name>)" },
  ],
  examples: [
    "countersign provider new acme-metal",
    `cd kubelet-authenticator-acme-metal && ${installLine(VERSION)} && npm test`,
  ],
  run: async ({ terminal }, { options, args }) => {
    const name = requireFreeName(args[0] ?? "");
    const directory = resolve(textOption(options, "directory") ?? `kubelet-authenticator-${name}`);
    for (const { path, content, isProgram } of templateFiles(name, VERSION)) {
      const file = join(directory, path);
      await ensureDirectory(dirname(file), PROGRAM_MODE);
      // Never overwrites: an existing file stops the command.
      await nodeFileSystem.create(file, encodeUtf8(content), isProgram === true ? PROGRAM_MODE : FILE_MODE);
      terminal.out(`${file}\n`);
    }
    terminal.out(`\nnext: cd ${directory} && ${installLine(VERSION)} && npm test\n`);
    terminal.out("The two archives are made by npm pack in a built clone of Countersign, and in its sdk/.\n");
    return 0;
  },
};

function requireFreeName(name: string): string {
  if (!isProviderName(name))
    throw new Fault(
      "bad-config",
      `provider name ${JSON.stringify(name)} must be lower-case letters, digits and dashes, at most 32`,
    );
  if (TAKEN_NAMES.includes(name)) throw new Fault("bad-config", `provider name ${name} is one of the product's own`);
  return name;
}
