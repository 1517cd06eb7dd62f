// The built programs as processes of their own, with what they print.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

/** $COUNTERSIGN_DIST names another build than the tree's, such as one of a moment when the tree was whole. */
export const DIST = process.env["COUNTERSIGN_DIST"] ?? fileURLToPath(new URL("../../dist", import.meta.url));

export type ProgramName =
  | "countersign"
  | "countersign-gateway"
  | "kubelet-authenticator"
  | "kubelet-authenticator-insecure"
  | "kubelet-authenticator-tpm"
  | "node-attestation-controller";

export function programPath(name: ProgramName): string {
  // The plugins are one CommonJS file each (tools/bundle.mjs).
  return join(DIST, "bin", name.startsWith("kubelet-authenticator") ? `${name}.cjs` : `${name}.js`);
}

export interface Run {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  text(): string;
  /** Resolves when the text was seen, rejects when the program ends without it. */
  until(words: string): Promise<void>;
  readonly exit: Promise<number | null>;
}

export interface ProgramOptions {
  /** Beside this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the build's own `countersign`. */
  readonly program?: string;
}

export function startProgram(args: readonly string[], options: ProgramOptions = {}): Run {
  const { env = {}, program = programPath("countersign") } = options;
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let text = "";
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      for (const look of [...waiting]) look();
    });
  }
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  const until = (words: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (text.includes(words)) resolve();
      };
      waiting.add(look);
      look();
      void exit.then(() => reject(new Error(`ended without ${JSON.stringify(words)}:\n${text}`)));
    });
  return { child, text: () => text, until, exit };
}
