// Keys in a line and workers that take them. A key is in the line once, however often it is added; it is never with two
// workers at a time; added while a worker has it, it comes back after `done`. Which key is next is the flows' matter.

import { Fault } from "../../../kernel/outcome/index.ts";
import { onAbort } from "../../signals/index.ts";
import type { Flows } from "./flows.ts";

interface Line {
  add(key: string): void;
  get(signal?: AbortSignal): Promise<string>;
  done(key: string): void;
  size(): number;
  close(): void;
  isClosed(): boolean;
}

/** `onHeld`: workers wait, and keys of flows that may not go on yet; call `wake` after that time. */
export function createLine(ready: Flows, onHeld: (ms: number, wake: () => void) => void = () => undefined): Line {
  const busy = new Set<string>();
  const again = new Set<string>();
  const workers = new Set<(key: string) => void>();
  const closing = new AbortController();

  function add(key: string): void {
    if (closing.signal.aborted) return;
    if (busy.has(key)) {
      again.add(key);
      return;
    }
    ready.add(key);
    handOut();
  }

  function handOut(): void {
    for (const worker of workers) {
      const key = ready.take();
      if (key === undefined) break;
      busy.add(key);
      workers.delete(worker);
      worker(key);
    }
    if (workers.size > 0 && ready.size() > 0) wait();
  }

  /** Workers are free, yet no key may go: all that wait are held back. */
  function wait(): void {
    const heldMs = ready.heldMs();
    if (heldMs !== undefined) onHeld(heldMs, handOut);
  }

  return {
    add,
    get: (signal) => {
      const stops = signal === undefined ? [closing.signal] : [closing.signal, signal];
      // Under load a key is there: then no listener is needed.
      const key = workers.size === 0 && stops.every(({ aborted }) => !aborted) ? ready.take() : undefined;
      if (key !== undefined) {
        busy.add(key);
        return Promise.resolve(key);
      }
      const waiting = waitAmong(workers, stops);
      handOut();
      return waiting;
    },
    done: (key) => {
      busy.delete(key);
      if (again.delete(key)) add(key);
    },
    size: ready.size,
    close: () => {
      closing.abort();
      ready.clear();
      again.clear();
    },
    isClosed: () => closing.signal.aborted,
  };
}

/** Joins the workers until a key comes or one of the signals fires. */
function waitAmong(workers: Set<(key: string) => void>, stops: readonly AbortSignal[]): Promise<string> {
  return new Promise((resolve, reject) => {
    if (stops.some(({ aborted }) => aborted)) return reject(stopped());
    const leave = () => {
      workers.delete(worker);
      for (const stopListening of listeners) stopListening();
    };
    const worker = (key: string) => {
      leave();
      resolve(key);
    };
    const listeners = stops.map((stop) =>
      onAbort(stop, () => {
        leave();
        reject(stopped());
      }),
    );
    workers.add(worker);
  });
}

function stopped(): Fault {
  return new Fault("aborted", "stopped while waiting for work");
}
