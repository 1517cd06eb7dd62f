// A TPM with a bad day: stands before a software TPM and spoils the answers to one kind of command, until it is told to
// stop.
import { connect, createServer, type Socket } from "node:net";
import type { Swtpm } from "./swtpm.ts";

/** Instead of the TPM's answer. Undefined: none at all. */
export type SpoiledAnswer = (answer: Buffer) => Buffer | undefined;

export interface FaultyTpm {
  readonly address: string;
  close(): Promise<void>;
}

/** TPM2_Quote: the last thing that a machine asks of its TPM in an exchange. */
export const QUOTE = 0x158;

/** As a TPM refuses: no session, ten octets, the code. */
export function refusal(code: number): Buffer {
  const answer = Buffer.from("80010000000a00000000", "hex");
  answer.writeUInt32BE(code, 6);
  return answer;
}

export async function startFaultyTpm(swtpm: Swtpm, command: number, spoil: SpoiledAnswer): Promise<FaultyTpm> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const tpm = connect(swtpm.socketPath);
    let isSpoiled = false;
    client.on("data", (bytes: Buffer) => {
      isSpoiled = bytes.readUInt32BE(6) === command;
      tpm.write(bytes);
    });
    tpm.on("data", (answer: Buffer) => {
      const said = isSpoiled ? spoil(answer) : answer;
      if (said === undefined) return;
      client.write(said);
      // Half an answer is followed by nothing.
      if (said.length < answer.length && said.length !== refusal(0).length) client.end();
    });
    for (const socket of [client, tpm]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        client.destroy();
        tpm.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    address: `swtpm:host=127.0.0.1,port=${port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
