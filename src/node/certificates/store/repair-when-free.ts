// The repair of a start: under the lock, unless somebody works there, who has repaired it then.

import { isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import { waitForLock } from "../../../platform/files/index.ts";
import type { CertificateStore } from "./store.ts";

export async function repairWhenFree(store: CertificateStore, owner: string, clock: Clock): Promise<void> {
  await store.open();
  try {
    const lock = await waitForLock(store.layout.lockPath, { clock, limitMs: 0 });
    try {
      await store.repair(owner);
    } finally {
      await lock.release();
    }
  } catch (error) {
    if (!isFault(error, "timeout")) throw error;
  }
}
