// The real kubectl, as one of its users.

import { locateBinary } from "../assets/binaries.mjs";
import { type CommandOptions, type CommandResult, runCommand, runCommandOk } from "./command.ts";

export interface KubectlOptions extends CommandOptions {
  readonly kubeconfig: string;
  /** kubectl keeps a discovery cache and preferences in the home directory: not in the developer's. */
  readonly homeDir: string;
  /** Another kubectl than the one of the module. */
  readonly binary?: string;
}

export function runKubectl(args: readonly string[], options: KubectlOptions): Promise<CommandResult> {
  return runCommand(options.binary ?? locateBinary("kubectl").path, args, withEnvironment(options));
}

export function runKubectlOk(args: readonly string[], options: KubectlOptions): Promise<CommandResult> {
  return runCommandOk(options.binary ?? locateBinary("kubectl").path, args, withEnvironment(options));
}

function withEnvironment({ kubeconfig, homeDir, env, binary: _, ...rest }: KubectlOptions): CommandOptions {
  return { ...rest, env: { HOME: homeDir, ...env, KUBECONFIG: kubeconfig } };
}
