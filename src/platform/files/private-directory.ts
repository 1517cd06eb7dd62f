// Directories that hold keys, roots of trust, or commands that a kubelet will run as root.

import { stat } from "node:fs/promises";
import { Fault } from "../../kernel/outcome/index.ts";

/** Whoever can write here can plant a key or a link; the files' own modes do not help then. */
export async function requirePrivate(directory: string): Promise<void> {
  const { mode, uid } = await stat(directory);
  const own = process.getuid?.();
  const isOurs = own === undefined || uid === own || uid === 0;
  if (isOurs && (mode & 0o022) === 0) return;
  throw new Fault(
    "bad-config",
    `directory ${directory} belongs to or can be written by others (uid ${uid}, mode ${(mode & 0o777).toString(8)}); ` +
      "keys and roots of trust need one that only their owner can write",
  );
}
