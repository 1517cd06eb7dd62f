// Our own programs as `npm run build` leaves them. They are called through node, because nothing is installed in a
// PATH.

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { encodeKubeconfig, parseKubeconfig } from "../../../src/api/kubeconfig/index.ts";
import { type ProgramName, programPath } from "../../journeys/program.ts";

export function locateProgram(name: ProgramName): string {
  const path = programPath(name);
  if (!existsSync(path)) throw new Error(`${path} is missing; run the tests by npm run test:upstream, which builds it`);
  return path;
}

const PLUGINS = ["kubelet-authenticator", "kubelet-authenticator-insecure", "kubelet-authenticator-tpm"] as const;

/** The exec kubeconfig that a join wrote, with the plugin's name replaced by a way to find it. */
export async function writePluginKubeconfig(from: string, to: string): Promise<string> {
  const config = parseKubeconfig(await readFile(from, "utf8"));
  const users = config.users.map(({ name, user }) => {
    const { exec } = user;
    const plugin = PLUGINS.find((known) => known === exec?.command);
    if (exec === undefined || plugin === undefined)
      throw new Error(`${from} calls ${exec?.command}, no plugin of ours`);
    const args = [locateProgram(plugin), ...(exec.args ?? [])];
    return { name, user: { ...user, exec: { ...exec, command: process.execPath, args } } };
  });
  await writeFile(to, encodeKubeconfig({ ...config, users }), { mode: 0o600 });
  return to;
}
