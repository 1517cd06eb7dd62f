// A request and its connection → facts. A certificate is judged once per connection and CA bundle, and again when the
// first certificate of its chain ends: what it may do ends with it, on open connections too. A refusal is never
// remembered.

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { bearerTokenOf, type CertificateVerdict, judgeClientCertificate } from "../api/access/index.ts";
import { parseDiscoveryJwt, type ReplyKey, refuseDiscoveryJwt } from "../api/bootstrap/index.ts";
import type { Certificate } from "../kernel/x509/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import { peerCertificatesOf } from "../platform/http/index.ts";
import type { RequestFacts } from "./judge.ts";
import type { Tokens } from "./tokens.ts";

interface Sources {
  readonly clock: Clock;
  readonly tokens: Pick<Tokens, "find" | "clusterId">;
  /** The CAs of client certificates at this moment; undefined: none is trusted. */
  readonly clientRoots: () => readonly Certificate[] | undefined;
}

type GatherFacts = (message: IncomingMessage) => RequestFacts;

export function createGatherer(sources: Sources): GatherFacts {
  const judgeCertificate = createCertificateMemory(sources.clientRoots);
  return (message) => {
    const nowMs = sources.clock.now();
    const { method = "", url: target = "", headers, socket } = message;
    const token = bearerTokenOf(headers.authorization);
    return {
      method,
      target,
      headers,
      certificate: judgeCertificate(socket, nowMs),
      hasBearerToken: token !== undefined,
      discoveryKey: token === undefined ? undefined : findDiscoveryKey(token, sources, nowMs),
    };
  };
}

/** The live token that a bearer token is a good JWT of, and that JWT. Used by the webhook too. */
export function findDiscoveryKey(
  bearerToken: string,
  { tokens }: Pick<Sources, "tokens">,
  nowMs: number,
): ReplyKey | undefined {
  const jwt = parseDiscoveryJwt(bearerToken);
  const token = jwt === undefined ? undefined : tokens.find(jwt.keyId, nowMs);
  if (jwt === undefined || token === undefined) return undefined;
  const facts = { secret: token.secret, nowMs, clusterId: tokens.clusterId() };
  return refuseDiscoveryJwt(jwt, facts) === undefined ? { token, jwt: bearerToken } : undefined;
}

interface Remembered {
  readonly roots: readonly Certificate[] | undefined;
  readonly verdict: CertificateVerdict;
}

const NOT_TAKEN: CertificateVerdict = { kind: "refused", reason: "client certificates are not taken here" };

function createCertificateMemory(clientRoots: Sources["clientRoots"]) {
  const memory = new WeakMap<Socket, Remembered>();
  return (socket: Socket, nowMs: number): CertificateVerdict => {
    const roots = clientRoots();
    const known = memory.get(socket);
    if (known !== undefined && known.roots === roots && isStillSo(known.verdict, nowMs)) return known.verdict;
    const ders = peerCertificatesOf(socket);
    const verdict: CertificateVerdict =
      ders.length > 0 && roots === undefined ? NOT_TAKEN : judgeClientCertificate({ ders, roots: roots ?? [], nowMs });
    if (ders.length === 0 || verdict.kind === "user") memory.set(socket, { roots, verdict });
    return verdict;
  };
}

function isStillSo(verdict: CertificateVerdict, nowMs: number): boolean {
  return verdict.kind !== "user" || nowMs < verdict.untilMs;
}
