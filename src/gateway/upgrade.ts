// A request to leave HTTP (kubectl exec, attach, port-forward, websockets): asked of the server behind under the same
// identity, then two sockets are tied together without a look inside. Only after 101: an answer of any other kind is
// copied and the connection ended, because whatever the client sends after it would reach a connection that may speak
// for others.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Outgoing, Upgraded, Upstream } from "../platform/http/index.ts";
import { type OwnAnswer, refusalAnswer, refusalOf } from "./answers.ts";
import { answerHeaders } from "./headers.ts";

interface UpgradeRequest {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  /** What came after the request's head. */
  readonly begun: Buffer;
}

interface UpgradeOptions {
  readonly upstream: Upstream;
  /** Rewritten, without those of one connection. */
  readonly headers: readonly string[];
  readonly onFailure: (error: Error) => void;
}

/** Resolves when both sides are closed. Never rejects: whatever goes wrong ends this one connection. */
export async function runUpgrade(request: UpgradeRequest, options: UpgradeOptions): Promise<void> {
  const { message, socket } = request;
  let answer: Upgraded | IncomingMessage;
  try {
    answer = await options.upstream.upgrade(outgoingOf(message, options.headers));
  } catch (error) {
    options.onFailure(error as Error);
    refuseUpgrade(socket, refusalAnswer(refusalOf(error as Error)));
    return;
  }
  await ("begun" in answer ? tie(request, answer) : copy(socket, answer));
  socket.destroy();
}

function outgoingOf(
  { method = "GET", url: target = "/", headers }: IncomingMessage,
  kept: readonly string[],
): Outgoing {
  return { method, target, headers: [...kept, "Connection", "Upgrade", "Upgrade", headers.upgrade ?? ""] };
}

async function tie({ socket, begun }: UpgradeRequest, upgraded: Upgraded): Promise<void> {
  const { answer, socket: behind } = upgraded;
  const { upgrade = "" } = answer.headers;
  const headers = [...answerHeaders(answer.rawHeaders), "Connection", "Upgrade", "Upgrade", upgrade];
  socket.write(headOf(101, "Switching Protocols", headers));
  if (upgraded.begun.length > 0) socket.write(upgraded.begun);
  if (begun.length > 0) behind.write(begun);
  // Each way ends by itself; a side that breaks takes the other with it, which is how such connections end.
  await tied(socket, behind);
  behind.destroy();
}

async function tied(near: Duplex, far: Duplex): Promise<void> {
  // A side that has ended its writing still reads the other's; Node ends TLS connections at once otherwise.
  near.allowHalfOpen = true;
  far.allowHalfOpen = true;
  const closed = (stream: Duplex) => new Promise<void>((resolve) => stream.once("close", resolve));
  far.on("error", () => far.destroy());
  near.once("close", () => far.destroy());
  far.once("close", () => near.end());
  near.pipe(far);
  far.pipe(near);
  await Promise.all([closed(near), closed(far)]);
}

async function copy(socket: Duplex, answer: IncomingMessage): Promise<void> {
  const headers = [...answerHeaders(answer.rawHeaders), "Connection", "close"];
  socket.write(headOf(answer.statusCode ?? 502, answer.statusMessage ?? "", headers));
  // Broken off on either side, the answer ends in the middle and the client sees that it does.
  await Promise.allSettled([pipeline(answer, socket)]);
}

export function refuseUpgrade(socket: Duplex, { status, headers, body }: OwnAnswer): void {
  socket.write(headOf(status, "", [...headers, "Connection", "close"]));
  socket.end(body);
}

function headOf(status: number, phrase: string, headers: readonly string[]): string {
  let head = `HTTP/1.1 ${status} ${phrase}\r\n`;
  for (let at = 0; at + 1 < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return `${head}\r\n`;
}
