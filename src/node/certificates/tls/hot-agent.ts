// For clients: an agent whose connections present the pair of the moment (the seed's GetClientCertificate). When the pair
// changes, every connection that was opened with the old one is closed, also under a running request: nothing goes on under
// an identity that the node no longer has.

import { Agent, type AgentOptions } from "node:https";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import type { CertificateManager } from "../manager/index.ts";

export interface HotAgent {
  readonly agent: Agent;
  /** Closes all connections and stops following the manager. */
  close(): void;
}

export function createHotAgent(
  manager: Pick<CertificateManager, "current" | "onChange">,
  options: AgentOptions = {},
): HotAgent {
  const open = new Set<TLSSocket>();
  // A resumed session is the session of the certificate that opened it, so none is kept.
  const agent: Agent & { createConnection?: unknown } = new Agent({ ...options, maxCachedSessions: 0 });
  agent.createConnection = (target: ConnectionOptions) => {
    const pair = manager.current();
    const socket = connect({ ...target, ...(pair && { cert: pair.certificatePem, key: pair.keyPem }) });
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    return socket;
  };
  const closeAll = () => {
    for (const socket of open) socket.destroy();
  };
  const leave = manager.onChange(closeAll);
  return {
    agent,
    close: () => {
      leave();
      closeAll();
      agent.destroy();
    },
  };
}
