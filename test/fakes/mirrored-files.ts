// A real directory and its simulated twin: every operation is done on both, so that code which also reads the disk
// directly works, and the twin knows what a power cut would have left of it.

import { type FileSystem, nodeFileSystem } from "../../src/platform/files/index.ts";
import { type CrashingFileSystem, createCrashingFileSystem } from "./files.ts";

export interface MirroredFiles {
  readonly fileSystem: FileSystem;
  readonly twin: CrashingFileSystem;
}

/** `root` exists on the disk and is empty. */
export async function createMirroredFiles(root: string): Promise<MirroredFiles> {
  const twin = createCrashingFileSystem();
  let path = "";
  for (const name of root.split("/").slice(1)) {
    const parent = path;
    path += `/${name}`;
    await twin.makeDirectory(path, 0o700);
    await twin.sync(parent === "" ? "/" : parent);
  }
  const fileSystem = new Proxy(nodeFileSystem, {
    get(real, name: keyof FileSystem) {
      // The twin goes first: when the power is cut, the real disk must not see the operation.
      return async (...args: never[]) => {
        await call(twin, name, args);
        return call(real, name, args);
      };
    },
  });
  return { fileSystem, twin };
}

function call(fileSystem: FileSystem, name: keyof FileSystem, args: readonly never[]): Promise<unknown> {
  return (fileSystem[name] as (...args: readonly never[]) => Promise<unknown>)(...args);
}
