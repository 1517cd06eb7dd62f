// A TPM that takes commands: one at a time, each with a time limit, sent again while the TPM asks for that. What it
// refuses, and what is no answer, comes out as a Fault.

import { Fault } from "../../kernel/outcome/index.ts";
import { type LoadedKey, mustSendAgain, responseCode, type TpmCommand } from "../../kernel/tpm/index.ts";
import type { Clock } from "../clock/index.ts";
import type { TpmTransport } from "./transport.ts";

export interface Tpm {
  readonly address: string;
  send<Answer>(command: TpmCommand<Answer>): Promise<Answer>;
  close(): Promise<void>;
  /** Left out: each is flushed after its use. */
  readonly kept?: KeptPrimaries;
}

/** Primary keys that stay loaded, by the command that makes them. */
export type KeptPrimaries = Map<string, Promise<LoadedKey>>;

export interface TpmOptions {
  readonly clock: Clock;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Slow discrete TPMs make an RSA primary in half a minute; the kernel gives them two. */
export const COMMAND_TIMEOUT_MS = 120_000;
/** A self-test after power-on takes a second or two: 20, 40 … 1280, 2000, 2000 ms give it six. */
const MAX_TRIES = 10;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 2_000;

export function createTpm(transport: TpmTransport, options: TpmOptions): Tpm {
  const { timeoutMs = COMMAND_TIMEOUT_MS, signal } = options;
  let broken: unknown;
  let previous: Promise<unknown> = Promise.resolve();

  const exchange = async (command: Uint8Array): Promise<Uint8Array> => {
    if (broken !== undefined)
      throw new Fault("unavailable", `TPM at ${transport.address} failed before`, { cause: broken });
    try {
      return await transport.exchange(command, { timeoutMs, signal });
    } catch (failure) {
      broken = failure;
      throw failure;
    }
  };
  const sendPatiently = async <Answer>(command: TpmCommand<Answer>): Promise<Answer> => {
    for (let attempt = 1; ; attempt++) {
      const response = await exchange(command.bytes);
      if (attempt === MAX_TRIES || !mustSendAgain(responseCode(response))) return command.parse(response);
      await options.clock.sleep(Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS), signal);
    }
  };
  return {
    address: transport.address,
    send: (command) => {
      const answer = previous.then(() => sendPatiently(command));
      previous = answer.then(settled, settled);
      return answer;
    },
    close: () => transport.close(),
  };
}

/** The next command waits for this one, however it ended. */
function settled(): void {
  return;
}
