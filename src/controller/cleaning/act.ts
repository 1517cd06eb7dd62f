// Deletes what the plan names. differs from upstream: with the uid as a precondition, so that a request that was deleted and
// made anew under the same name meanwhile is not taken for the old one.

import { CSRS } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";
import type { Removal } from "./plan.ts";

export interface ActOptions {
  readonly client: KubeClient;
  readonly log: Log;
}

/** False when there was nothing left to delete. */
export async function remove({ client, log }: ActOptions, { name, uid, because }: Removal): Promise<boolean> {
  try {
    await client.delete(CSRS, { name }, { uid });
    log.info("request deleted", { csr: name, uid, because });
    return true;
  } catch (error) {
    if (isFault(error, "not-found") || isFault(error, "conflict")) return false;
    throw error;
  }
}
