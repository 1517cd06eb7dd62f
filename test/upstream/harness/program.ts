// Our own programs as `npm run build` leaves them. They are called through node, because nothing is installed in a PATH.

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { encodeKubeconfig, parseKubeconfig } from "../../../src/api/kubeconfig/index.ts";
import { type ProgramName, programPath } from "../../journeys/program.ts";

export function locateProgram(name: ProgramName): string {
  const path = programPath(name);
  if (!existsSync(path)) throw new Error(`${path} is missing; run the tests by npm run test:upstream, which builds it`);
  return path;
}

/** The exec kubeconfig that a join wrote, with the plugin's name replaced by a way to find it. */
export async function writePluginKubeconfig(from: string, to: string): Promise<string> {
  const config = parseKubeconfig(await readFile(from, "utf8"));
  const users = config.users.map(({ name, user }) => {
    if (user.exec?.command !== "kubelet-authenticator-insecure") {
      throw new Error(`${from} calls ${user.exec?.command}, expected kubelet-authenticator-insecure`);
    }
    const args = [locateProgram(user.exec.command), ...(user.exec.args ?? [])];
    return { name, user: { ...user, exec: { ...user.exec, command: process.execPath, args } } };
  });
  await writeFile(to, encodeKubeconfig({ ...config, users }), { mode: 0o600 });
  return to;
}
