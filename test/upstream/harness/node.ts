// What the harness can say about a node of either kind, the hollow one and the real one.

import type { ControlPlane } from "./control-plane.ts";
import type { ServerProcess } from "./process.ts";
import { waitFor } from "./wait.ts";

export interface RunningNode {
  readonly name: string;
  /** The kubeconfig that the kubelet uses; after a bootstrap, the one that it wrote. */
  readonly kubeconfigPath: string;
  /** Where the kubelet keeps its certificates. */
  readonly certDir: string;
  readonly logPath: string;
  /** Until the API server shows the node's condition Ready as True. */
  waitUntilReady(limitMs?: number): Promise<void>;
  stop(): Promise<void>;
}

const READY_LIMIT_MS = 90_000;
/** Each look starts a kubectl, which takes some 80 ms of one core. */
const LOOK_EVERY_MS = 150;

const READY_PATH = 'jsonpath={.status.conditions[?(@.type=="Ready")]}';

export interface ReadyOptions {
  readonly name: string;
  readonly servers: readonly ServerProcess[];
  readonly limitMs?: number | undefined;
}

export async function waitUntilNodeReady(controlPlane: ControlPlane, options: ReadyOptions): Promise<void> {
  await waitFor({
    what: `node ${options.name} to be Ready`,
    limitMs: options.limitMs ?? READY_LIMIT_MS,
    servers: options.servers,
    everyMs: LOOK_EVERY_MS,
    probe: async () => {
      const { stdout, stderr, code } = await controlPlane.kubectl(["get", "node", options.name, "-o", READY_PATH]);
      if (code !== 0) throw new Error(stderr);
      const condition = JSON.parse(stdout) as { readonly status?: string; readonly message?: string };
      if (condition.status !== "True") throw new Error(condition.message ?? "the node has no condition Ready");
      return true;
    },
  });
}

/** A Lease is renewed every ten seconds. */
const FRESH_MS = 20_000;
const LEASE_LIMIT_MS = 30_000;

/** A Ready node may be dead; one whose Lease was renewed just now is not. */
export async function waitForFreshLease(controlPlane: ControlPlane, name: string): Promise<void> {
  const question = ["get", "lease", name, "-n", "kube-node-lease", "-o", "jsonpath={.spec.renewTime}"];
  await waitFor({
    what: `a fresh Lease of ${name}`,
    limitMs: LEASE_LIMIT_MS,
    everyMs: LOOK_EVERY_MS,
    probe: async () => {
      const { stdout } = await controlPlane.kubectl(question);
      return Date.now() - Date.parse(stdout) < FRESH_MS ? true : undefined;
    },
  });
}
