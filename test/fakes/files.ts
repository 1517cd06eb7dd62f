// A file system that can lose power after any operation. It keeps apart what was written and what was synced, so that a
// test can look at the worst a disk may leave: directory entries without the contents, contents without the entries, or
// all.

import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { Fault } from "../../src/kernel/outcome/index.ts";
import type { FileSystem } from "../../src/platform/files/index.ts";

/** What a crash keeps of what was not synced. */
export type Survival = "all" | "entries, not contents" | "nothing";
export const SURVIVALS: readonly Survival[] = ["all", "entries, not contents", "nothing"];

interface FileNode {
  readonly kind: "file";
  readonly mode: number;
  readonly content: Buffer;
  durable: Buffer | undefined;
}

interface LinkNode {
  readonly kind: "link";
  readonly target: string;
}

interface DirectoryNode {
  readonly kind: "directory";
  readonly mode: number;
  entries: Map<string, TreeNode>;
  durable: Map<string, TreeNode>;
}

type TreeNode = FileNode | LinkNode | DirectoryNode;

export interface CrashingFileSystem extends FileSystem {
  /** Operations done so far. */
  operations(): number;
  /** Every operation after that many fails, as if the process had been killed. */
  crashAfter(operations: number): void;
  /** The disk as the next start finds it. */
  afterCrash(survival: Survival): CrashingFileSystem;
  modeOf(path: string): number | undefined;
  /** Puts the directory `path` onto a real disk as `target`, for code that reads past the interface. */
  writeOut(path: string, target: string): void;
}

export function createCrashingFileSystem(root: DirectoryNode = aDirectory(0o755)): CrashingFileSystem {
  let done = 0;
  let limit = Number.POSITIVE_INFINITY;

  function step(): void {
    if (done >= limit) throw new Fault("internal", "the machine has lost power");
    done++;
  }

  function parentOf(path: string): { readonly directory: DirectoryNode; readonly name: string } {
    const directory = resolve(dirname(path));
    if (directory?.kind !== "directory") throw missing(path);
    return { directory, name: path.slice(path.lastIndexOf("/") + 1) };
  }

  function resolve(path: string): TreeNode | undefined {
    let node: TreeNode | undefined = root;
    for (const name of path.split("/").filter((part) => part !== "")) {
      node = node?.kind === "directory" ? node.entries.get(name) : undefined;
    }
    return node;
  }

  function add(path: string, node: TreeNode): void {
    const { directory, name } = parentOf(path);
    if (directory.entries.has(name)) throw new Fault("already-exists", `${path} exists`);
    directory.entries.set(name, node);
  }

  function takeOut(path: string): TreeNode {
    const { directory, name } = parentOf(path);
    const node = directory.entries.get(name);
    if (node === undefined) throw missing(path);
    directory.entries.delete(name);
    return node;
  }

  /** Each operation is a step; reading is one too, since a process may die before it. */
  const operation = <A extends unknown[], R>(act: (...args: A) => R) => {
    return async (...args: A): Promise<R> => {
      step();
      return act(...args);
    };
  };

  return {
    create: operation((path, content, mode) =>
      add(path, { kind: "file", mode, content: Buffer.from(content), durable: undefined }),
    ),
    read: operation((path) => readFile(path, resolve)),
    sync: operation((path) => {
      const node = resolve(path);
      if (node === undefined) throw missing(path);
      if (node.kind === "file") node.durable = node.content;
      if (node.kind === "directory") node.durable = new Map(node.entries);
    }),
    rename: operation((from, to) => {
      const node = takeOut(from);
      const { directory, name } = parentOf(to);
      directory.entries.set(name, node);
    }),
    link: operation((from, to) => {
      const node = resolve(from);
      if (node === undefined) throw missing(from);
      add(to, node);
    }),
    symlink: operation((target, path) => add(path, { kind: "link", target })),
    readLink: operation((path) => {
      const node = resolve(path);
      if (node === undefined) throw missing(path);
      if (node.kind !== "link") throw new Fault("io-failed", `${path} is no link`, { detail: { errno: "EINVAL" } });
      return node.target;
    }),
    remove: operation((path) => void takeOut(path)),
    list: operation((path) => {
      const node = resolve(path);
      if (node?.kind !== "directory") throw missing(path);
      return [...node.entries.keys()];
    }),
    makeDirectory: operation((path, mode) => add(path, aDirectory(mode))),
    operations: () => done,
    crashAfter: (operations) => {
      limit = operations;
    },
    afterCrash: (survival) => createCrashingFileSystem(survive(root, survival) as DirectoryNode),
    modeOf: (path) => {
      const node = resolve(path);
      return node === undefined || node.kind === "link" ? undefined : node.mode;
    },
    writeOut: (path, target) => {
      const node = resolve(path);
      if (node !== undefined) writeNode(node, target);
    },
  };
}

function readFile(path: string, resolve: (path: string) => TreeNode | undefined): Buffer {
  const node = resolve(path);
  if (node?.kind === "link") {
    return readFile(isAbsolute(node.target) ? node.target : `${dirname(path)}/${node.target}`, resolve);
  }
  if (node?.kind !== "file") throw missing(path);
  return node.content;
}

function survive(node: TreeNode, survival: Survival): TreeNode {
  if (node.kind === "link") return node;
  if (node.kind === "file") {
    const content = survival === "all" ? node.content : (node.durable ?? Buffer.alloc(0));
    return { ...node, content, durable: content };
  }
  const kept = survival === "nothing" ? node.durable : node.entries;
  const entries = new Map([...kept].map(([name, child]) => [name, survive(child, survival)]));
  return { ...node, entries, durable: new Map(entries) };
}

function writeNode(node: TreeNode, target: string): void {
  if (node.kind === "link") symlinkSync(node.target, target);
  if (node.kind === "file") {
    writeFileSync(target, node.content);
    chmodSync(target, node.mode);
  }
  if (node.kind === "directory") {
    mkdirSync(target, { mode: node.mode });
    for (const [name, child] of node.entries) writeNode(child, join(target, name));
  }
}

function aDirectory(mode: number): DirectoryNode {
  return { kind: "directory", mode, entries: new Map(), durable: new Map() };
}

function missing(path: string): Fault {
  return new Fault("not-found", `${path} is not there`);
}
