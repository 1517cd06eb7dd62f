// A way through a proxy: CONNECT to the target, then the caller's own TLS inside. The proxy learns the host and the
// port, and sees nothing else: no header of the request, no token, no answer.

import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { Fault } from "../../kernel/outcome/index.ts";
import { onAbort, reasonOf } from "../signals/index.ts";

interface TunnelOptions {
  readonly proxy: URL;
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A proxy's refusal has a line and some headers; a longer answer is not a proxy's. */
const MAX_ANSWER_OCTETS = 16_384;
const END_OF_HEAD = "\r\n\r\n";
/** As undici has it on a direct connection: small requests leave at once, and a peer that vanished is noticed. */
export const KEEP_ALIVE_DELAY_MS = 60_000;

/** A socket to the target, on which nothing was sent yet. Faults: `unavailable`, `timeout`, `forbidden`, `aborted`. */
export function openTunnel({ proxy, host, port, timeoutMs, signal }: TunnelOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = dial(proxy);
    // For all of it: who sends an octet now and then is not quick enough either.
    const limit = setTimeout(() => fail(silence(proxy, timeoutMs)), timeoutMs);
    let received = Buffer.alloc(0);
    let ignore: () => void = () => undefined;

    /** Takes its own ears off, and leaves those by which Node itself hears. */
    function leave(): void {
      clearTimeout(limit);
      ignore();
      for (const [event, hear] of ears) socket.off(event, hear);
    }
    function fail(fault: Fault): void {
      leave();
      socket.on("error", () => undefined).destroy();
      reject(fault);
    }
    function take(bytes: Buffer): void {
      received = Buffer.concat([received, bytes]);
      const end = received.indexOf(END_OF_HEAD);
      if (end < 0 && received.length <= MAX_ANSWER_OCTETS) return;
      const refusal = refusalIn(received.subarray(0, Math.max(end, 0)).toString("latin1"), proxy, `${host}:${port}`);
      const spokeTooEarly = received.length > end + END_OF_HEAD.length ? tooEarly(proxy) : undefined;
      const fault = refusal ?? spokeTooEarly;
      if (fault !== undefined) {
        fail(fault);
        return;
      }
      leave();
      resolve(socket);
    }
    const ears = [
      ["error", (cause: Error) => fail(new Fault("unavailable", `cannot reach proxy ${proxy.host}`, { cause }))],
      ["close", () => fail(new Fault("unavailable", `proxy ${proxy.host} closed the connection`))],
      [
        proxy.protocol === "https:" ? "secureConnect" : "connect",
        () => socket.write(connectRequest(proxy, host, port)),
      ],
      ["data", take],
    ] as const;
    for (const [event, hear] of ears) socket.on(event, hear);
    ignore = onAbort(signal, () => fail(reasonOf(signal, `stopped while dialling proxy ${proxy.host}`)));
  });
}

function silence(proxy: URL, timeoutMs: number): Fault {
  return new Fault("timeout", `proxy ${proxy.host} did not answer in ${timeoutMs} ms`);
}

function tooEarly(proxy: URL): Fault {
  return new Fault("malformed", `proxy ${proxy.host} speaks before it was spoken to`);
}

function dial(proxy: URL): Socket {
  const host = proxy.hostname.replace(/^\[|\]$/g, "");
  const socket =
    proxy.protocol === "http:"
      ? connectTcp({ host, port: Number(proxy.port || 80) })
      : connectTls({ host, port: Number(proxy.port || 443), ...(isIP(host) === 0 ? { servername: host } : {}) });
  return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
}

function connectRequest({ username, password }: URL, host: string, port: number): string {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const words = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const who = username === "" ? "" : `Proxy-Authorization: Basic ${Buffer.from(words).toString("base64")}\r\n`;
  return `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${who}\r\n`;
}

function refusalIn(head: string, proxy: URL, target: string): Fault | undefined {
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head) ?? [];
  if (status === undefined) return new Fault("unavailable", `${proxy.host} does not answer as a proxy`);
  if (status.startsWith("2")) return undefined;
  const code = status === "407" || status === "403" ? "forbidden" : "unavailable";
  const hint = "; name the host in NO_PROXY if it is to be reached directly";
  return new Fault(code, `proxy ${proxy.host} does not connect to ${target}: status ${status}${hint}`);
}
