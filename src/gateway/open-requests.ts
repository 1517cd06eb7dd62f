// What is being answered at this moment, so that an end can be an orderly one.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { isLongRunning } from "./forward.ts";

/** What a request may still need at a shutdown; kube-apiserver answers most within a second. */
const GRACE_MS = 5_000;

export interface OpenRequests {
  add(message: IncomingMessage, response: ServerResponse): void;
  remove(response: ServerResponse): void;
  addSocket(socket: Duplex): void;
  removeSocket(socket: Duplex): void;
  count(): number;
  isEnding(): boolean;
  /**
   * Cuts watches and upgraded connections, whose clients come back by themselves, and waits for the rest, not for ever.
   */
  end(onProgress: () => void): Promise<void>;
}

export function createOpenRequests(): OpenRequests {
  /** The value: goes on until it is ended. */
  const responses = new Map<ServerResponse, boolean>();
  const sockets = new Set<Duplex>();
  let whenEmpty: (() => void) | undefined;
  return {
    add: (message, response) => responses.set(response, isLongRunning(message.url ?? "")),
    remove: (response) => {
      responses.delete(response);
      if (responses.size === 0) whenEmpty?.();
    },
    addSocket: (socket) => sockets.add(socket),
    removeSocket: (socket) => sockets.delete(socket),
    count: () => responses.size,
    isEnding: () => whenEmpty !== undefined,
    end: async (onProgress) => {
      const empty = new Promise<void>((resolve) => {
        whenEmpty = resolve;
      });
      for (const [response, isLong] of responses) if (isLong) response.destroy();
      for (const socket of sockets) socket.destroy();
      onProgress();
      if (responses.size === 0) return;
      const grace = new AbortController();
      await Promise.race([empty, delay(GRACE_MS, undefined, { signal: grace.signal }).catch(() => undefined)]);
      grace.abort();
    },
  };
}
