// The connections to one API server, on undici. They belong to the client certificate with which they were opened: when
// the credential source gives another one, new connections are opened, running calls may finish on the old ones, and
// running watches end (as if the server had closed them), so that nothing goes on under the old identity.

import { createSecureContext, type SecureContext } from "node:tls";
import type { Client, Pool } from "undici";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { connectionTo } from "../../dial/index.ts";
import type { Connection, Credentials } from "../connection/credentials.ts";

/**
 * Connections for calls in flight; more calls wait in line. A watch has a connection of its own, so it never starves
 * calls.
 */
export const MAX_CALL_CONNECTIONS = 64;

/**
 * Long enough to be found open by a controller's next call, short enough to survive proxies that drop idle connections.
 */
const KEEP_ALIVE_MS = 30_000;

const CONNECT_TIMEOUT_MS = 10_000;

/** The connections of one client certificate. */
export interface Generation {
  readonly certPem: string | undefined;
  readonly keyPem: string | undefined;
  readonly calls: Pool;
  readonly watches: Watches;
  retired: boolean;
}

interface Watches {
  /** A client for one watch. */
  open(): Client;
  leave(client: Client): void;
  destroy(reason: Fault): Promise<void>;
}

interface Current {
  readonly generation: Generation;
  readonly token: string | undefined;
}

interface Generations {
  current(): Promise<Current>;
  /** The server refused the present credential. True when there is another one now. */
  renew(): Promise<boolean>;
  close(): Promise<void>;
}

export function createGenerations(connection: Connection, origin: string): Generations {
  const retired = new Set<Generation>();
  let latest: Generation | undefined;
  let asking: Promise<Current> | undefined;
  let closed = false;
  let lastToken: string | undefined;

  async function refresh(): Promise<Current> {
    const { token, certPem, keyPem } = await askCredentials(connection);
    if (latest === undefined || latest.certPem !== certPem || latest.keyPem !== keyPem) {
      const next = await openGeneration(connection, origin, { certPem, keyPem });
      if (latest !== undefined) retire(latest);
      latest = next;
    }
    return { generation: latest, token };
  }

  function retire(generation: Generation): void {
    generation.retired = true;
    retired.add(generation);
    void generation.watches.destroy(new Fault("unavailable", "the client certificate was replaced"));
    void generation.calls.close().then(() => retired.delete(generation));
  }

  async function current(): Promise<Current> {
    // Requests that come together share one question: an older answer cannot overtake a newer one.
    asking ??= refresh().finally(() => {
      asking = undefined;
    });
    const answer = await asking;
    if (closed) throw new Fault("aborted", "the client is closed");
    lastToken = answer.token;
    return answer;
  }

  return {
    current,
    renew: async () => {
      if (connection.refused === undefined) return false;
      const before = { token: lastToken, certPem: latest?.certPem, keyPem: latest?.keyPem };
      connection.refused(before);
      const { generation, token } = await current();
      return token !== before.token || generation.certPem !== before.certPem;
    },
    close: async () => {
      closed = true;
      const all = latest === undefined ? [...retired] : [...retired, latest];
      const fault = new Fault("aborted", "the client was closed");
      await Promise.all(all.flatMap(({ calls, watches }) => [calls.destroy(fault), watches.destroy(fault)]));
    },
  };
}

async function askCredentials({ credentials }: Connection): Promise<Credentials> {
  try {
    return await credentials();
  } catch (cause) {
    throw isFault(cause) ? cause : new Fault("internal", "the source of credentials failed", { cause });
  }
}

async function openGeneration(
  connection: Connection,
  origin: string,
  { certPem, keyPem }: Credentials,
): Promise<Generation> {
  const secureContext = createContext(connection.caPem, certPem, keyPem);
  // Loaded here because it takes longer than everything else in the exec plugin, which mostly answers from disk.
  const undici = await import("undici");
  const tls = {
    secureContext,
    rejectUnauthorized: connection.insecureSkipVerify !== true,
    ...(connection.tlsServerName === undefined ? {} : { servername: connection.tlsServerName }),
  };
  // As every client of Kubernetes, through the proxy that the kubeconfig or the environment names.
  const { env = process.env, proxyUrl } = connection;
  const way = connectionTo(origin, { timeoutMs: CONNECT_TIMEOUT_MS, tls, env, proxyUrl });
  // One for all, because it keeps the TLS sessions: the second connection costs the server no signature.
  const connect = typeof way === "function" ? way : undici.buildConnector(way);
  const pool = { connections: MAX_CALL_CONNECTIONS, keepAliveTimeout: KEEP_ALIVE_MS, maxResponseSize: -1, connect };
  return {
    certPem,
    keyPem,
    calls: new undici.Pool(origin, pool),
    watches: createWatches(() => new undici.Client(origin, { maxResponseSize: -1, connect })),
    retired: false,
  };
}

/**
 * Not a pool: a watch that ends destroys its connection, and a pool of undici's would at once open another that is
 * not used: a handshake for each certificate that a node waits for.
 */
function createWatches(connect: () => Client): Watches {
  const open = new Set<Client>();
  let ended: Fault | undefined;
  return {
    open: () => {
      if (ended !== undefined) throw ended;
      const client = connect();
      open.add(client);
      return client;
    },
    leave: (client) => {
      open.delete(client);
      void client.destroy();
    },
    destroy: async (reason) => {
      ended = reason;
      await Promise.all([...open].map((client) => client.destroy(reason)));
    },
  };
}

/** Made once for all connections of a generation; and a bad file is named here, not at some later handshake. */
function createContext(ca: string | undefined, cert: string | undefined, key: string | undefined): SecureContext {
  try {
    return createSecureContext({ ...(ca === undefined ? {} : { ca }), ...(cert === undefined ? {} : { cert, key }) });
  } catch (cause) {
    throw new Fault(
      "bad-config",
      "the CA, client certificate or client key is unreadable, or the pair does not match",
      {
        cause,
      },
    );
  }
}
