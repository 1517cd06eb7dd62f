// Closed until it is opened, once: those who wait go through, those who come later do not wait.

import { Fault } from "../../../kernel/outcome/index.ts";
import { onAbort } from "../../signals/index.ts";

export interface Gate {
  open(): void;
  isOpen(): boolean;
  /** Fault `aborted` when the signal fires first. */
  wait(signal?: AbortSignal): Promise<void>;
}

export function createGate(what: string): Gate {
  let opened = false;
  const waiting = new Set<() => void>();
  return {
    isOpen: () => opened,
    open: () => {
      opened = true;
      for (const pass of waiting) pass();
      waiting.clear();
    },
    wait: (signal) =>
      new Promise((resolve, reject) => {
        if (opened) return resolve();
        const pass = () => {
          leave();
          resolve();
        };
        waiting.add(pass);
        const leave = onAbort(signal, () => {
          waiting.delete(pass);
          reject(new Fault("aborted", `stopped while waiting for ${what}`));
        });
      }),
  };
}
