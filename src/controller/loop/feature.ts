// What a folder exports to be a loop of the controller: what it needs, what wakes it, how it handles a key.

import type { FlowOptions } from "../../platform/kube/index.ts";
import type { Handler } from "./run-loop.ts";

export interface Feature {
  /** As logs and metrics call its loop. */
  readonly name: string;
  /** Complete before the first key is handled. */
  readonly needs: readonly Syncing[];
  /** Called once: subscribes `wake` to every change that makes a key worth a look. */
  wakesOn(wake: (key: string) => void): void;
  readonly handle: Handler;
  /** How many keys are handled at once. Default: one. */
  readonly workers?: number | undefined;
  /** Its key stands for a look by the clock, not for an object: no change brings it back, so it is never parked. */
  readonly isPeriodic?: boolean | undefined;
  /** How its queue is shared. Default: first come, first served. */
  readonly flow?: FlowOptions | undefined;
}

export interface Syncing {
  hasSynced(): boolean;
  waitForSync(signal?: AbortSignal): Promise<void>;
}

/**
 * For the loops that judge and sign. Waiting for the API server takes most of the time of a request.
 * kube-controller-manager has five workers. A server that is asked little at a time works more for each answer: with 16
 * requests in flight kube-apiserver and etcd took a fifth more of a core for a join than with 32, with 64 no less.
 * Together the two loops stay below the connections of the client, so that none waits for one.
 */
export const REQUEST_WORKERS = 20;
