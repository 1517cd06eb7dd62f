// The control channel of swtpm: start a simulator that waits to be told to, and end it. Four octets of command and an argument
// out, four octets of result back, all big-endian.

import { Fault } from "../../kernel/outcome/index.ts";
import { withDeadline } from "./deadline.ts";
import { openSocket, type SocketAddress, showAddress } from "./socket-transport.ts";
import type { ExchangeOptions } from "./transport.ts";

const CONTROL = { initialize: 2, shutdown: 3 } as const;
const RESULT_OCTETS = 4;

/** Resets the TPM; it needs Startup afterwards. Without the flag `not-need-init` swtpm answers nothing before this. */
export function initializeSwtpm(address: SocketAddress, options: ExchangeOptions): Promise<void> {
  return control(address, [CONTROL.initialize, 0], options);
}

export function shutDownSwtpm(address: SocketAddress, options: ExchangeOptions): Promise<void> {
  return control(address, [CONTROL.shutdown], options);
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
