// Waiting for a server: a question asked again and again, with a limit, and with the server's last words when it fails.

import { get, type RequestOptions } from "node:https";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { patient } from "../../patience.ts";
import type { ServerProcess } from "./process.ts";

export interface WaitOptions<T> {
  /** Completes the sentence "waited for …". */
  readonly what: string;
  readonly limitMs: number;
  /** The servers on which it depends: when one ends, waiting is over; their logs go into the error. */
  readonly servers?: readonly ServerProcess[];
  /** Undefined means not yet. A throw means not yet too, and is the cause of the error in the end. */
  readonly probe: () => Promise<T | undefined> | T | undefined;
  readonly everyMs?: number;
}

const DEFAULT_EVERY_MS = 50;

export async function waitFor<T>(options: WaitOptions<T>): Promise<T> {
  const { what, servers = [], everyMs = DEFAULT_EVERY_MS } = options;
  const limitMs = patient(options.limitMs);
  const start = performance.now();
  let cause: unknown;
  while (performance.now() - start < limitMs) {
    try {
      const answer = await options.probe();
      if (answer !== undefined) return answer;
    } catch (error) {
      cause = error;
    }
    const gone = servers.find((server) => server.ending() !== undefined);
    if (gone !== undefined) throw failure(`${gone.name} ended with ${gone.ending()} before ${what}`, servers, cause);
    await sleep(everyMs);
  }
  throw failure(`waited ${limitMs} ms for ${what}`, servers, cause);
}

function failure(message: string, servers: readonly ServerProcess[], cause: unknown): Error {
  const logs = servers.map((server) => `--- last lines of ${server.logPath}\n${server.lastLines()}`);
  return new Error([message, ...logs].join("\n"), { cause });
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A GET without credentials. */
export function getAnonymously(url: string, options: RequestOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, timeout: patient(5_000), ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") }),
      );
      response.on("error", reject);
    });
    request.on("timeout", () => request.destroy(new Error(`${url} did not answer`)));
    request.on("error", reject);
  });
}

/** A probe for waitFor: true once the URL answers 200. */
export async function answersOk(url: string, options: RequestOptions): Promise<true | undefined> {
  return (await getAnonymously(url, options)).status === 200 ? true : undefined;
}

/** Whether somebody listens on a unix socket. */
export function canConnect(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once("connect", () => {
      connection.destroy();
      resolve(true);
    });
    connection.once("error", () => resolve(false));
  });
}
