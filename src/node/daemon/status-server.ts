// Probes and Prometheus metrics of the daemon: the page of platform/report, by plain HTTP on loopback, else with the
// node's serving certificate, which may change meanwhile.

import { createServer as createTlsServer } from "node:https";
import { Fault } from "../../kernel/outcome/index.ts";
import {
  type Check,
  type Metrics,
  STATUS_LIMITS,
  type StatusServer,
  startStatusServer as startPage,
} from "../../platform/report/index.ts";
import { type CertificateManager, hotSwapServer } from "../certificates/index.ts";
import type { StatusOptions } from "./options.ts";

interface StatusSources {
  /** A node without a valid certificate is neither well nor ready. */
  readonly checks: readonly Check[];
  readonly metrics: Pick<Metrics, "expose">;
  readonly serving: CertificateManager | undefined;
}

export async function startStatusServer(options: StatusOptions, sources: StatusSources): Promise<StatusServer> {
  const { host, port, tls } = options;
  const { checks, metrics, serving } = sources;
  const page = { host, port, metrics, healthy: checks, ready: checks };
  if (!tls) return await startPage(page);
  if (serving === undefined) {
    throw new Fault("bad-config", "the status address can have TLS only together with a serving certificate");
  }
  const server = createTlsServer(STATUS_LIMITS);
  const leave = hotSwapServer(server, serving);
  const started = await startPage({ ...page, server });
  return {
    port: started.port,
    close: async () => {
      leave();
      await started.close();
    },
  };
}
