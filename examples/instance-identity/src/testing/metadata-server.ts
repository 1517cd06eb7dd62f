// A small platform for tests: a signing key, and a metadata server per instance that answers on loopback as a cloud's
// does. Only its own instance reaches it.
import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

interface Platform {
  readonly keyId: string;
  readonly privateKey: KeyObject;
  /** What an operator pins. */
  readonly keysFile: string;
}

export function aPlatform(keyId = "platform-1"): Platform {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keysFile = JSON.stringify({ [keyId]: publicKey.export({ type: "spki", format: "pem" }) });
  return { keyId, privateKey, keysFile };
}

export interface Instance {
  readonly platform: Platform;
  readonly instanceId: string;
  readonly accountId?: string;
  readonly region?: string;
  readonly nowMs?: () => number;
  readonly tokenSeconds?: number;
}

export function documentOf({ instanceId, accountId = "1234", region = "north-1" }: Instance): string {
  return JSON.stringify({ accountId, architecture: "x86_64", instanceId, region });
}

export function signText({ privateKey }: Platform, text: string): Buffer {
  return createSign("sha256").update(text).sign(privateKey);
}

export function tokenFor(instance: Instance, audience: string): string {
  const { platform, instanceId, nowMs = Date.now, tokenSeconds = 600 } = instance;
  const iat = Math.floor(nowMs() / 1_000);
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${encode({ alg: "RS256", kid: platform.keyId, typ: "JWT" })}.${encode({
    aud: audience,
    exp: iat + tokenSeconds,
    iat,
    iss: "https://metadata.example",
    sub: instanceId,
  })}`;
  return `${signed}.${signText(platform, signed).toString("base64url")}`;
}

export interface MetadataServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function startMetadataServer(instance: Instance): Promise<MetadataServer> {
  const sessions = new Set<string>();
  const server: Server = createServer((request, response) => {
    const answer = answerTo(request, instance, sessions);
    response.writeHead(answer === undefined ? 403 : 200).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${port}`, close };
}

function answerTo(request: IncomingMessage, instance: Instance, sessions: Set<string>): string | undefined {
  const url = new URL(request.url ?? "/", "http://metadata");
  if (url.pathname === "/session" && request.method === "PUT") {
    const session = `session-${sessions.size}`;
    sessions.add(session);
    return session;
  }
  if (!sessions.has(String(request.headers["x-metadata-session"]))) return undefined;
  switch (url.pathname) {
    case "/instance/document":
      return documentOf(instance);
    case "/instance/signature":
      return signText(instance.platform, documentOf(instance)).toString("base64");
    case "/instance/token":
      return tokenFor(instance, url.searchParams.get("audience") ?? "");
    default:
      return undefined;
  }
}
