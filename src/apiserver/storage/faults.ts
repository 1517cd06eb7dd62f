// A revision outside what storage can show. The words are those of kube-apiserver: clients see them.

import { Fault } from "../../kernel/outcome/index.ts";

/** Compacted away: list again. `oldest` is the oldest revision from which a watch can still start. */
export function tooOld(requested: number, oldest: number): Fault {
  return new Fault("expired", `too old resource version: ${requested} (${oldest})`, { detail: { requested, oldest } });
}

/** Not reached yet. */
export function tooLarge(requested: number, current: number): Fault {
  return new Fault("timeout", `Too large resource version: ${requested}, current: ${current}`, {
    detail: { requested, current },
  });
}
