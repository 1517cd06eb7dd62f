// Starts measured-server.ts: bundled once for the test file, a process for each call.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { ApiEndpoint } from "../fakes/api-client.ts";

export interface Measure {
  /** Processor time of the longest turn of the server's event loop. */
  readonly longestMs: number;
  readonly allMs: number;
  readonly rssBytes: number;
}

export interface MeasuredServer extends ApiEndpoint {
  readonly caKeyPem: string;
  /** Processor time that the server's main thread has spent so far, as the kernel counts it. */
  ranMs(): number;
  measure(work: () => Promise<unknown>): Promise<Measure>;
  close(): Promise<void>;
}

/** Into a directory of the caller, who removes it. */
export async function bundleServer(directory: string): Promise<string> {
  const outfile = join(directory, "measured-server.mjs");
  const require = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";
  await build({
    entryPoints: [join(import.meta.dirname, "measured-server.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    banner: { js: require },
    // Only storage on disk needs it, and it is found where this file is.
    external: ["lmdb"],
    logLevel: "error",
  });
  return outfile;
}

export async function spawnServer(program: string, options: object = {}): Promise<MeasuredServer> {
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const child = fork(program, [JSON.stringify(options)], { cwd, stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const endpoint = (await heard(child)) as ApiEndpoint & { caKeyPem: string };
  return {
    ...endpoint,
    ranMs: () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/schedstat`, "latin1").split(" ")[0]) / 1e6,
    measure: async (work) => {
      child.send("begin");
      await heard(child);
      await work();
      child.send("end");
      return (await heard(child)) as Measure;
    },
    close: async () => {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

async function heard(child: ChildProcess): Promise<unknown> {
  const given = new AbortController();
  const { signal } = given;
  const ended = once(child, "exit", { signal }).then(() => Promise.reject(new TypeError("the server has ended")));
  try {
    const [message] = await Promise.race([once(child, "message", { signal }), ended]);
    return message;
  } finally {
    ended.catch(() => undefined);
    given.abort();
  }
}
