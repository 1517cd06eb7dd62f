// The certificates API with a temper: honest except for the answers that a test puts before its own. It signs at once.

import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { CertificateSigningRequest } from "../../src/api/certificates/index.ts";
import { parsePemField } from "../../src/api/pem/index.ts";
import { encodeBase64, encodeUtf8 } from "../../src/kernel/bytes/index.ts";
import { parseCertificateRequest } from "../../src/kernel/x509/index.ts";
import type { NodeCa } from "../builders/node-ca.ts";
import { answerJson, startTestServer, type TestServer } from "./https-server.ts";

export type CsrVerb = "create" | "get" | "watch";

export interface Temper {
  readonly verb: CsrVerb;
  /** An HTTP status with its Status body; `drop` breaks the connection in the middle of the answer. */
  readonly answer: number | "drop";
  readonly retryAfterSeconds?: number;
}

export interface CsrApi {
  readonly server: TestServer;
  /** Each is given once, to the next call of its verb. */
  next(...tempers: readonly Temper[]): void;
  readonly calls: CsrVerb[];
  names(): readonly string[];
}

const REASONS: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  409: "AlreadyExists",
  410: "Expired",
  429: "TooManyRequests",
  500: "InternalError",
};

export async function startCsrApi(ca: NodeCa, lifetimeMs = 3_600_000): Promise<CsrApi> {
  const stored = new Map<string, CertificateSigningRequest>();
  const tempers: Temper[] = [];
  const calls: CsrVerb[] = [];

  function issue(csr: CertificateSigningRequest): CertificateSigningRequest {
    const [block] = parsePemField(csr.spec.request).blocks;
    const { publicKey } = parseCertificateRequest(block?.bytes ?? new Uint8Array());
    const pem = ca.signNode({ publicKey: publicKey.spki, notAfterMs: Date.now() + lifetimeMs });
    const certificate = encodeBase64(encodeUtf8(pem));
    return { ...csr, status: { conditions: [{ type: "Approved", status: "True" }], certificate } };
  }

  function takeTemper(verb: CsrVerb): Temper | undefined {
    const at = tempers.findIndex((temper) => temper.verb === verb);
    return at < 0 ? undefined : tempers.splice(at, 1)[0];
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "https://api");
    const verb = verbOf(request.method ?? "", url);
    const body = await text(request);
    if (verb === undefined) return answerJson(response, 200, { gitVersion: "v1.36.3" });
    calls.push(verb);
    const temper = takeTemper(verb);
    if (temper !== undefined) return misbehave(response, temper);
    if (verb === "create") create(response, JSON.parse(body));
    else show(response, verb, stored.get(nameIn(url)));
  }

  function create(response: ServerResponse, csr: CertificateSigningRequest): void {
    const name = csr.metadata.name ?? "";
    if (stored.has(name)) {
      misbehave(response, { verb: "create", answer: 409 });
      return;
    }
    const metadata = { name, uid: `uid-${stored.size}`, creationTimestamp: new Date().toISOString() };
    stored.set(name, issue({ ...csr, metadata }));
    answerJson(response, 201, { ...csr, metadata });
  }

  const server = await startTestServer((request, response) => void answer(request, response));
  return { server, calls, next: (...more) => void tempers.push(...more), names: () => [...stored.keys()] };
}

function nameIn(url: URL): string {
  return url.searchParams.get("fieldSelector")?.split("=")[1] ?? url.pathname.split("/").at(-1) ?? "";
}

function show(response: ServerResponse, verb: CsrVerb, csr: CertificateSigningRequest | undefined): void {
  if (csr === undefined) misbehave(response, { verb, answer: 404 });
  else if (verb === "get") answerJson(response, 200, csr);
  else response.end(`${JSON.stringify({ type: "ADDED", object: csr })}\n`);
}

function verbOf(method: string, url: URL): CsrVerb | undefined {
  if (!url.pathname.includes("certificatesigningrequests")) return undefined;
  if (method === "POST") return "create";
  return url.searchParams.has("watch") ? "watch" : "get";
}

function misbehave(response: ServerResponse, { answer, retryAfterSeconds }: Temper): void {
  if (answer === "drop") {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"type":"ADD');
    setTimeout(() => response.destroy(), 5);
    return;
  }
  if (retryAfterSeconds !== undefined) response.setHeader("retry-after", String(retryAfterSeconds));
  const reason = REASONS[answer] ?? "NotFound";
  const message = `the server says ${reason}`;
  answerJson(response, answer, { kind: "Status", apiVersion: "v1", status: "Failure", code: answer, reason, message });
}
