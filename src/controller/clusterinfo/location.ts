// Where the cluster is and whom to trust there, as the operator says it: addresses on the command line, the CA bundle
// in a file that is read again when it changes.

import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { parseCertificates } from "../../kernel/x509/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { followFile, loadText } from "../../platform/files/index.ts";
import type { Log } from "../../platform/report/index.ts";
import type { WantedLocation } from "./kubeconfig.ts";

export interface LocationSource {
  current(): WantedLocation;
  /** Called after every change. */
  onChange(handler: () => void): void;
  run(signal: AbortSignal): Promise<void>;
}

interface LocationFiles {
  readonly servers: WantedLocation["servers"];
  readonly caFile: string;
}

/** Fault `bad-config` when the file holds no certificate. */
export async function loadLocation(
  { servers, caFile }: LocationFiles,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<LocationSource> {
  let caPem = await loadText(caFile);
  requireBundle(caPem, caFile);
  const handlers: (() => void)[] = [];
  const use = (content: string) => {
    requireBundle(content, caFile);
    caPem = content;
    log.info("the CA bundle of cluster-info changed", { file: caFile });
    for (const handler of handlers) handler();
  };
  const onTrouble = (error: Fault) =>
    log.warn("the CA bundle of cluster-info is unusable, the last one stays", { error });
  return {
    current: () => ({ servers, caPem }),
    onChange: (handler) => handlers.push(handler),
    run: (signal) => followFile(caFile, caPem, { clock, signal, onChange: use, onTrouble }),
  };
}

function requireBundle(pem: string, path: string): void {
  let count = 0;
  try {
    count = parseCertificates(pem).length;
  } catch (cause) {
    if (!isFault(cause)) throw cause;
    throw new Fault("bad-config", `${path} holds something that is no certificate`, { cause });
  }
  if (count === 0) throw new Fault("bad-config", `${path} holds no certificate`);
}
