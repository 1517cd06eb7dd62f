// Which requests are dear, and how they wait: a verb calls `heavyTurn` between its steps.

import type { Call } from "../call.ts";
import type { Content } from "../storage/storage.ts";

/**
 * Below it a request is done at once: leases, pods and certificate requests have a few kilobytes. So many bytes of the dearest
 * kind take some twenty milliseconds in all.
 */
const LIGHT_BYTES = 16 * 1024;

interface Heavy {
  readonly call: Call;
}

/**
 * A dear request goes on when it is its turn, all others at once. The object it is about counts as its body does. Returns
 * whether it is dear.
 */
export async function heavyTurn({ call }: Heavy, current?: Content): Promise<boolean> {
  const stored = current === undefined ? 0 : (current.text?.length ?? LIGHT_BYTES);
  if ((call.sentBody()?.length ?? 0) + stored < LIGHT_BYTES) return false;
  await call.pause();
  return true;
}
