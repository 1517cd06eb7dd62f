// The smallest HTTPS client: what a test sends is what goes over the wire, and nothing is hidden or retried.

import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { aClientCertificate, type ClientCertificate } from "../builders/client-certificate.ts";

/** A server and its administrator: the embedded one of api-server.ts, or a real one. */
export interface ApiEndpoint {
  readonly port: number;
  readonly caPem: string;
  readonly adminCertPem: string;
  readonly adminKeyPem: string;
}

/** A server whose CA's key is at hand, as its administrator. */
export function asRoot(server: {
  readonly port: number;
  readonly caPem: string;
  readonly caKeyPem: string;
}): ApiEndpoint {
  const { certPem, keyPem } = aClientCertificate(server, { user: "root", groups: ["system:masters"] });
  return { port: server.port, caPem: server.caPem, adminCertPem: certPem, adminKeyPem: keyPem };
}

export interface Sent {
  readonly method?: string;
  readonly path: string;
  /** An object is sent as JSON; a string or bytes as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the administrator's certificate. */
  readonly as?: ClientCertificate | { readonly token: string } | "anonymous";
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly bytes: Buffer;
  /** The parsed body; undefined when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export async function callApi(server: ApiEndpoint, sent: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const outgoing = request(optionsFor(server, sent), (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const text = bytes.toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, bytes, body: parsed(text) });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(encoded(sent.body));
  });
}

/** An answer whose body comes bit by bit: the headers at once, the chunks when it has ended. */
export async function streamApi(server: ApiEndpoint, sent: Sent) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(optionsFor(server, sent), resolve).on("error", reject).end();
  });
  return { headers: response.headers, chunks: response.toArray() as Promise<Buffer[]> };
}

/** Reads a watch event by event; ends when the server or the caller ends it. */
export async function* watchApi(server: ApiEndpoint, sent: Sent): AsyncGenerator<{ type: string; object: Watched }> {
  const response = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    request(optionsFor(server, sent), resolve).on("error", reject).end();
  });
  let rest = "";
  for await (const chunk of response) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into objects of every shape
type Watched = any;

function optionsFor(server: ApiEndpoint, sent: Sent) {
  const as = sent.as ?? { certPem: server.adminCertPem, keyPem: server.adminKeyPem };
  const identity = typeof as === "object" && "certPem" in as ? { cert: as.certPem, key: as.keyPem } : {};
  const authorization = typeof as === "object" && "token" in as ? { authorization: `Bearer ${as.token}` } : {};
  // Node frames no body of a DELETE by itself, and the server would take it for the next request.
  const bytes = encoded(sent.body);
  const length = bytes === undefined ? {} : { "content-length": String(Buffer.byteLength(bytes)) };
  const isJson = sent.body !== undefined && typeof sent.body !== "string" && !(sent.body instanceof Uint8Array);
  return {
    host: "127.0.0.1",
    port: server.port,
    ca: server.caPem,
    agent: false,
    ...identity,
    method: sent.method ?? "GET",
    path: sent.path,
    headers: {
      ...length,
      ...(isJson ? { "content-type": "application/json" } : {}),
      ...authorization,
      ...sent.headers,
    },
  };
}

function encoded(body: unknown): string | Uint8Array | undefined {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return body;
  return JSON.stringify(body);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
