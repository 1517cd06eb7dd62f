// How a call ends: the code of its Fault, or `none`.

import { isFault } from "../../src/kernel/outcome/index.ts";

export function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (failure) {
    return isFault(failure) ? failure.code : String(failure);
  }
  return "none";
}
