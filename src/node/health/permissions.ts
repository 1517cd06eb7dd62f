// Who can read or write what only this node may: its directories and the files in them that hold a key or a token.

import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";

const SECRET_FILE = /(\.(pem|key|tmp|kubeconfig)|^kubeconfig)$/;

/** Undefined when the first directory is not there; else a sentence for each thing that is too open or somebody else's. */
export async function readPermissions(directories: readonly string[]): Promise<readonly string[] | undefined> {
  const found = await Promise.all(directories.map(readFolder));
  return found[0] === undefined ? undefined : [...new Set(found.flatMap((problems) => problems ?? []))];
}

async function readFolder(folder: string): Promise<readonly string[] | undefined> {
  try {
    const own = await problemsOf(folder, 0o022);
    const inside = await Promise.all((await secretsIn(folder)).map((path) => problemsOf(path, 0o077)));
    return [...own, ...inside.flat()];
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "EACCES") return [`${folder} cannot be read by this user`];
    throw cause;
  }
}

async function problemsOf(path: string, forbidden: number): Promise<readonly string[]> {
  const { mode, uid } = await stat(path);
  const own = process.getuid?.();
  const isForeign = own !== undefined && uid !== own && uid !== 0;
  return [
    ...((mode & forbidden) === 0 ? [] : [`${path} has mode ${(mode & 0o777).toString(8).padStart(4, "0")}`]),
    ...(isForeign ? [`${path} belongs to user ${uid}`] : []),
  ];
}

async function secretsIn(folder: string): Promise<readonly string[]> {
  const paths = (await readdir(folder)).filter((name) => SECRET_FILE.test(name)).map((name) => join(folder, name));
  const stats = await Promise.all(paths.map((path) => lstat(path)));
  return paths.filter((_, index) => stats[index]?.isFile() === true);
}
