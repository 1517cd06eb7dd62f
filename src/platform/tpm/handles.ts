// What is loaded is flushed, on every path: a TPM without a resource manager holds three objects, and a fourth is refused.

import { isFault } from "../../kernel/outcome/index.ts";
import { flushContext, getHandles, type TpmCommand } from "../../kernel/tpm/index.ts";
import type { Tpm } from "./create-tpm.ts";

/** Loads, uses, flushes. The failure of `use` counts more than that of the flush after it. */
export async function withHandle<Loaded extends { readonly handle: number }, Result>(
  tpm: Tpm,
  load: TpmCommand<Loaded>,
  use: (loaded: Loaded) => Promise<Result>,
): Promise<Result> {
  const loaded = await tpm.send(load);
  let result: Result;
  try {
    result = await use(loaded);
  } catch (failure) {
    await flushQuietly(tpm, loaded.handle);
    throw failure;
  }
  await tpm.send(flushContext(loaded.handle));
  return result;
}

export async function withSession<Result>(
  tpm: Tpm,
  start: TpmCommand<number>,
  use: (session: number) => Promise<Result>,
): Promise<Result> {
  const load = { ...start, parse: (response: Uint8Array) => ({ handle: start.parse(response) }) };
  return withHandle(tpm, load, ({ handle }) => use(handle));
}

async function flushQuietly(tpm: Tpm, handle: number): Promise<void> {
  try {
    await tpm.send(flushContext(handle));
  } catch (failure) {
    if (!isFault(failure)) throw failure; // the first failure is the one to report
  }
}

/** First handles of loaded objects, and of sessions by HMAC and by policy. */
const LOADED_RANGES = [0x80000000, 0x02000000, 0x03000000] as const;

/** Frees what an earlier run left behind. Only where one client has the TPM to itself: a simulator's socket. */
export async function flushLeftovers(tpm: Tpm): Promise<void> {
  for (const first of LOADED_RANGES) {
    for (const handle of await tpm.send(getHandles(first))) await flushQuietly(tpm, handle);
  }
}
