// The embedded API server: storage, clock and keys come in, an HTTPS endpoint that Kubernetes clients talk to comes out.

import type { UserInfo } from "../api/access/index.ts";
import type { Secret } from "../api/core/index.ts";
import { SECRETS } from "../api/meta/index.ts";
import { assert, Fault } from "../kernel/outcome/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import {
  type HttpAnswer,
  type HttpRequest,
  headerValue,
  type Listener,
  type ServingCertificate,
  startListener,
} from "../platform/http/index.ts";
import { randomBytes } from "../platform/keys/index.ts";
import {
  createBootstrapTokenAuthenticator,
  createClientCertificateAuthenticator,
  parseCaBundle,
} from "./authentication/index.ts";
import {
  createAuthorizerChain,
  createNodeAuthorizer,
  createRbacAuthorizer,
  createRbacIndex,
  privilegedAuthorizer,
  type RbacIndex,
} from "./authorization/index.ts";
import type { Call, Parts, RequestLine, Reviews } from "./call.ts";
import { runChain } from "./chain.ts";
import { NO_QUERY, NO_REQUEST_INFO } from "./entry/index.ts";
import { runEventExpiry } from "./expire-events.ts";
import { prepareStorage } from "./prepare.ts";
import { WHOLE } from "./reply/accept.ts";
import { keyOf } from "./storage/key.ts";
import type { Storage } from "./storage/storage.ts";
import { randomUid } from "./verbs/create.ts";

export interface ApiServerOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random?: (count: number) => Uint8Array;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly servingCertificate: ServingCertificate;
  /** Whose client certificates are believed. */
  readonly clientCaPem: string;
  readonly log?: (line: RequestLine) => void;
}

export interface ApiServer {
  readonly url: string;
  readonly port: number;
  /** Ends open watches and connections. Storage stays open: it belongs to whoever handed it in. */
  close(): Promise<void>;
}

export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { storage, clock, random = randomBytes } = options;
  await prepareStorage({ storage, clock, random });
  const rbac = createRbacIndex(storage);
  const parts = assemble(options, rbac, random);
  const listener = await startListener({
    host: options.host,
    port: options.port,
    servingCertificate: options.servingCertificate,
    handler: (request) => handle(request, parts),
  });
  const stopping = new AbortController();
  const expiring = runEventExpiry({ storage, clock, signal: stopping.signal });
  const close = async () => {
    await listener.close();
    stopping.abort();
    await expiring;
    rbac.close();
  };
  return { url: urlOf(listener), port: listener.port, close };
}

function assemble(options: ApiServerOptions, rbac: RbacIndex, random: (count: number) => Uint8Array): Parts {
  const { storage, clock } = options;
  const roots = parseCaBundle(options.clientCaPem);
  if (roots.length === 0) throw new Fault("bad-config", "the client CA bundle holds no certificate");
  return {
    storage,
    clock,
    random,
    rbac,
    authenticators: [
      createClientCertificateAuthenticator({ roots: () => roots }),
      createBootstrapTokenAuthenticator({
        getSecret: (name) =>
          storage.get(keyOf(SECRETS, { namespace: "kube-system", name }))?.object as Secret | undefined,
      }),
    ],
    authorizer: createAuthorizerChain([privilegedAuthorizer, createNodeAuthorizer(), createRbacAuthorizer(rbac)]),
    log: options.log ?? (() => undefined),
  };
}

function urlOf({ host, port }: Listener): string {
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Longest audit id taken over from a client. */
const MAX_AUDIT_ID = 64;
const NOBODY: UserInfo = { username: "", groups: [] };
/** Before admission has spoken, nothing may be written. */
const NO_REVIEWS: Reviews = {
  before: () => ({ kind: "Deny", rule: "admission", reason: "NotReviewed", message: "not reviewed" }),
  after: () => ({ kind: "Deny", rule: "admission", reason: "NotReviewed", message: "not reviewed" }),
};

async function handle(request: HttpRequest, parts: Parts): Promise<HttpAnswer> {
  const call: Call = {
    request,
    receivedMs: parts.clock.now(),
    auditId: auditIdOf(request) ?? randomUid({ parts }),
    info: NO_REQUEST_INFO,
    query: NO_QUERY,
    user: NOBODY,
    reviews: NO_REVIEWS,
    endpoint: undefined,
    accepted: WHOLE,
  };
  const answer = await runChain(call, parts);
  assert(answer.kind === "sent", "the outermost stage answers in HTTP");
  return answer.http;
}

/** It goes back in a header and into logs, so it may hold nothing that means something there. */
function auditIdOf({ headers }: HttpRequest): string | undefined {
  const id = headerValue(headers, "audit-id");
  return id !== undefined && id.length <= MAX_AUDIT_ID && /^[\w.:-]+$/.test(id) ? id : undefined;
}
