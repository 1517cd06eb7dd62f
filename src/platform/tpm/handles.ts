// What is loaded is flushed, on every path: a TPM without a resource manager holds three objects, and a fourth is
// refused.

import { encodeHex } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { flushContext, getHandles, type LoadedKey, type TpmCommand } from "../../kernel/tpm/index.ts";
import type { KeptPrimaries, Tpm } from "./create-tpm.ts";

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

/**
 * A TPM on which primary keys stay loaded, each made once, until it is closed: a discrete one takes seconds for its
 * endorsement key, and an exchange asks for it at its beginning and at its end.
 */
export function keepPrimaries(tpm: Tpm): Tpm {
  const keeping: Tpm = {
    ...tpm,
    kept: new Map(),
    close: async () => {
      await releasePrimaries(keeping);
      await tpm.close();
    },
  };
  return keeping;
}

/** Makes room for other objects; who needs a key again makes it again. */
export async function releasePrimaries(tpm: Tpm): Promise<void> {
  const kept = [...(tpm.kept?.values() ?? [])];
  tpm.kept?.clear();
  for (const made of await Promise.allSettled(kept)) {
    if (made.status === "fulfilled") await flushQuietly(tpm, made.value.handle);
  }
}

/** Loaded for this use, or where primaries are kept, for this use and the next. */
export function withPrimary<Result>(
  tpm: Tpm,
  make: TpmCommand<LoadedKey>,
  use: (key: LoadedKey) => Promise<Result>,
): Promise<Result> {
  return withPrimaries(tpm, { make }, ({ make: key }) => use(key));
}

type Loaded<Name extends string> = Readonly<Record<Name, LoadedKey>>;

/** Several at once, by names of the caller's. */
export async function withPrimaries<Name extends string, Result>(
  tpm: Tpm,
  makes: Readonly<Record<Name, TpmCommand<LoadedKey>>>,
  use: (keys: Loaded<Name>) => Promise<Result>,
): Promise<Result> {
  const named = Object.entries<TpmCommand<LoadedKey>>(makes);
  const withAll = (keys: Named<LoadedKey>) => use(Object.fromEntries(keys) as Loaded<Name>);
  const { kept } = tpm;
  if (kept === undefined) return await withEach(tpm, named, withAll);
  try {
    return await withAll(await keepAll(tpm, kept, named));
  } catch (failure) {
    if (!isFault(failure, "not-found")) throw failure;
    // A machine that slept, or another program on a TPM without a resource manager: what was kept is gone. All of it is
    // made once more, because the number of one that is gone may by now be another's.
    await releasePrimaries(tpm);
    return await withAll(await keepAll(tpm, kept, named));
  }
}

type Named<Value> = readonly (readonly [string, Value])[];

async function withEach<Result>(
  tpm: Tpm,
  [first, ...rest]: Named<TpmCommand<LoadedKey>>,
  use: (keys: Named<LoadedKey>) => Promise<Result>,
): Promise<Result> {
  if (first === undefined) return await use([]);
  const [name, make] = first;
  return await withHandle(tpm, make, (key) => withEach(tpm, rest, (others) => use([[name, key], ...others])));
}

async function keepAll(tpm: Tpm, kept: KeptPrimaries, named: Named<TpmCommand<LoadedKey>>): Promise<Named<LoadedKey>> {
  const keys: [string, LoadedKey][] = [];
  for (const [name, make] of named) keys.push([name, await keep(tpm, kept, make)]);
  return keys;
}

async function keep(tpm: Tpm, kept: KeptPrimaries, make: TpmCommand<LoadedKey>): Promise<LoadedKey> {
  const name = encodeHex(make.bytes);
  const made = kept.get(name) ?? tpm.send(make);
  kept.set(name, made);
  try {
    return await made;
  } catch (failure) {
    if (kept.get(name) === made) kept.delete(name);
    throw failure;
  }
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
