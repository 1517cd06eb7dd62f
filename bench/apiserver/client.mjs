// The client of the load, one for both sides: HTTP/1.1 over TLS with a client certificate, as many connections as
// requests in flight, answers read to their end.
import { Pool } from "undici";

export const IN_FLIGHT = 32;

/** @typedef {ReturnType<typeof createClient>} Client */

/**
 * @param {{ readonly url: string, readonly caPem: string, readonly certPem: string, readonly keyPem: string }} options
 */
export function createClient({ url, caPem, certPem, keyPem }) {
  const connect = { ca: caPem, cert: certPem, key: keyPem };
  const pool = new Pool(url, { connections: IN_FLIGHT, pipelining: 1, connect });
  const streams = new Pool(url, { pipelining: 1, connect, bodyTimeout: 0 });
  const headers = { accept: "application/json", "content-type": "application/json" };

  /**
   * @param {"GET" | "POST" | "PUT"} method
   * @param {string} path
   * @param {string} [body]
   */
  async function ask(method, path, body) {
    const answer = await pool.request({ method, path, headers, body: body ?? null });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} was answered with ${answer.statusCode}: ${text}`);
    return text;
  }

  return {
    ask,
    /** The body of a watch, as bytes come. @param {string} path */
    async stream(path) {
      const answer = await streams.request({ method: "GET", path, headers });
      if (answer.statusCode !== 200) throw new Error(`GET ${path} was answered with ${answer.statusCode}`);
      return answer.body;
    },
    async isReady() {
      try {
        return (await ask("GET", "/readyz")) === "ok";
      } catch {
        return false; // nobody listens yet, or it says that it is not ready
      }
    },
    async close() {
      await Promise.all([pool.destroy(), streams.destroy()]);
    },
  };
}

/**
 * Does `work` for 0 … count-1, IN_FLIGHT at a time, and answers the nanoseconds that took.
 * @param {number} count
 * @param {(index: number) => Promise<void>} work
 */
export async function inFlight(count, work) {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  const start = process.hrtime.bigint();
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return Number(process.hrtime.bigint() - start);
}
