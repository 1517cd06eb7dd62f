// Those who want to hear of changes. One that throws does not keep the others, or the informer, from theirs; but it has missed
// a change that nobody will tell again, and what it knows is wrong from now on. So that ends the process, as every bug does.

import type { KubeObject } from "../../../api/meta/index.ts";
import type { Log } from "../../report/index.ts";
import type { Change } from "./store.ts";

/** Synchronous: it notes that there is work, the work is done elsewhere. */
export type ChangeHandler<T extends KubeObject> = (change: Change<T>) => void;

export interface Audience<T extends KubeObject> {
  /** The newcomer is first told of `present` as ADDED. Returns what takes it off. */
  add(handler: ChangeHandler<T>, present: readonly T[]): () => void;
  tell(changes: readonly Change<T>[]): void;
}

export function createAudience<T extends KubeObject>(log: Log, onBug: (error: unknown) => void): Audience<T> {
  const handlers = new Set<ChangeHandler<T>>();

  function tellOne(handler: ChangeHandler<T>, change: Change<T>): void {
    try {
      handler(change);
    } catch (error) {
      const { name, namespace } = change.object.metadata;
      log.error("a change handler failed", { type: change.type, name, namespace, error });
      onBug(error);
    }
  }

  return {
    add: (handler, present) => {
      handlers.add(handler);
      for (const object of present) tellOne(handler, { type: "ADDED", object });
      return () => handlers.delete(handler);
    },
    tell: (changes) => {
      for (const change of changes) for (const handler of handlers) tellOne(handler, change);
    },
  };
}
