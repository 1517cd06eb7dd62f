// A TPM behind a stream socket, as swtpm serves it: bare messages, no framing of its own. A response may come in
// pieces; two commands must never be on the way at once. The simulator keeps loaded objects and sessions when a client
// goes away.

import { connect, type Socket } from "node:net";
import { Fault } from "../../kernel/outcome/index.ts";
import { responseSize } from "../../kernel/tpm/index.ts";
import { type ExchangeOptions, type TpmTransport, withDeadline } from "./transport.ts";

export type SocketAddress = { readonly path: string } | { readonly host: string; readonly port: number };

export async function openSocketTransport(address: SocketAddress, options: ExchangeOptions): Promise<TpmTransport> {
  const shown = showAddress(address);
  const socket = await openSocket(address, options);
  socket.on("error", ignoreLater);
  return {
    address: shown,
    exchange: (command, limits) => exchange(socket, command, { ...limits, shown }),
    close: async () => {
      socket.destroy();
    },
  };
}

function showAddress(address: SocketAddress): string {
  return "path" in address ? address.path : `${address.host}:${address.port}`;
}

function openSocket(address: SocketAddress, options: ExchangeOptions): Promise<Socket> {
  const shown = showAddress(address);
  return withDeadline<Socket>(`TPM at ${shown}`, options, ({ resolve, reject }) => {
    const socket = connect(address);
    socket.once("connect", () => {
      socket.removeAllListeners("error");
      resolve(socket);
    });
    socket.once("error", (cause) => reject(new Fault("unavailable", `cannot reach the TPM at ${shown}`, { cause })));
  });
}

async function exchange(
  socket: Socket,
  command: Uint8Array,
  options: ExchangeOptions & { readonly shown: string },
): Promise<Uint8Array> {
  const { shown } = options;
  let detach: (() => void) | undefined;
  try {
    return await withDeadline<Uint8Array>(`TPM at ${shown}`, options, (settle) => {
      if (socket.destroyed) return settle.reject(gone(shown));
      detach = listen(socket, shown, settle);
      socket.write(command);
    });
  } catch (failure) {
    socket.destroy();
    throw failure;
  } finally {
    detach?.();
  }
}

function listen(
  socket: Socket,
  shown: string,
  { resolve, reject }: { resolve: (value: Uint8Array) => void; reject: (failure: unknown) => void },
): () => void {
  let received = Buffer.alloc(0);
  const onBytes = (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    try {
      const size = responseSize(received);
      if (size === undefined || received.length < size) return;
      if (received.length > size) throw new Fault("malformed", `TPM at ${shown} sent more than one response`);
      resolve(new Uint8Array(received));
    } catch (failure) {
      reject(failure);
    }
  };
  const onEnd = () => reject(gone(shown, received.length));
  const onError = (cause: unknown) =>
    reject(new Fault("unavailable", `connection to the TPM at ${shown} broke`, { cause }));
  socket.on("data", onBytes).on("close", onEnd).on("error", onError);
  return () => socket.off("data", onBytes).off("close", onEnd).off("error", onError);
}

function gone(shown: string, received = 0): Fault {
  const how = received === 0 ? "before it answered" : `after ${received} octets of its answer`;
  return new Fault("unavailable", `TPM at ${shown} closed the connection ${how}`);
}

/** An error on an idle socket is reported by the next exchange. */
function ignoreLater(): void {
  return;
}

// The control channel of swtpm starts a simulator that waits for it: four octets of command and an argument out, four
// octets of result back, all big-endian.

const CONTROL = { initialize: 2 } as const;
const RESULT_OCTETS = 4;

/** Resets the TPM; it needs Startup afterwards. Without the flag `not-need-init` swtpm answers nothing before this. */
export function initializeSwtpm(address: SocketAddress, options: ExchangeOptions): Promise<void> {
  return control(address, [CONTROL.initialize, 0], options);
}

async function control(address: SocketAddress, words: readonly number[], options: ExchangeOptions): Promise<void> {
  const shown = showAddress(address);
  const socket = await openSocket(address, options);
  try {
    const result = await withDeadline<number>(
      `control channel of swtpm at ${shown}`,
      options,
      ({ resolve, reject }) => {
        let received = Buffer.alloc(0);
        socket.on("data", (bytes: Buffer) => {
          received = Buffer.concat([received, bytes]);
          if (received.length >= RESULT_OCTETS) resolve(received.readUInt32BE());
        });
        socket.on("error", (cause) => reject(new Fault("unavailable", `control channel at ${shown} broke`, { cause })));
        socket.on("close", () => reject(new Fault("unavailable", `swtpm at ${shown} closed its control channel`)));
        const command = Buffer.alloc(words.length * 4);
        for (const [index, word] of words.entries()) command.writeUInt32BE(word, index * 4);
        socket.write(command);
      },
    );
    if (result !== 0) throw new Fault("io-failed", `swtpm at ${shown} refused with result ${result}`);
  } finally {
    socket.destroy();
  }
}
