// The parts that the stages use, put together once at the start of a server.

import type { Secret } from "../api/core/index.ts";
import { NAMESPACES, SECRETS } from "../api/meta/index.ts";
import { createNodeAuthorizer } from "../authorizer/index.ts";
import { generatePrivateKey, randomBytes } from "../platform/keys/index.ts";
import { DEFAULT_POLICY } from "./audit/policy.ts";
import { createAudit, NO_AUDIT } from "./audit/recorder.ts";
import { type Authenticator, forThisServer } from "./authentication/authenticator.ts";
import {
  createBootstrapTokenAuthenticator,
  createDiscoveryJwtAuthenticator,
  createTokenSecretSource,
} from "./authentication/bootstrap-token.ts";
import {
  type ClientCa,
  createClientCa,
  createClientCertificateAuthenticator,
} from "./authentication/client-certificate.ts";
import { createServiceAccountAuthenticator } from "./authentication/service-account/authenticator.ts";
import {
  createTokenIssuer,
  createTokenKeys,
  DEFAULT_ISSUER,
  type TokenIssuer,
  type TokenKeys,
} from "./authentication/service-account/issuer.ts";
import { createTokenFileAuthenticator } from "./authentication/token-file.ts";
import { createNodeScan } from "./authorization/node-scan.ts";
import { createRbacAuthorizer } from "./authorization/rbac.ts";
import { createRbacIndex } from "./authorization/rbac-index.ts";
import { createAuthorizerChain, privilegedAuthorizer } from "./authorization/stage.ts";
import type { Parts } from "./chain.ts";
import { followDefinitions } from "./follow-definitions.ts";
import { createGate, DEFAULT_LIMITS } from "./limits/gate.ts";
import { createLane } from "./limits/lane.ts";
import { createHealth, type Health } from "./metrics/health.ts";
import { followIssued } from "./metrics/issued.ts";
import { createMeter, type Meter } from "./metrics/meter.ts";
import type { ApiServerOptions } from "./options.ts";
import { createOwnDocuments } from "./own-documents.ts";
import { createRegistry } from "./resources/registry.ts";
import { keyOf } from "./storage/key.ts";
import { createTurns } from "./verbs/lost-races.ts";

export interface Assembled {
  readonly parts: Parts & { readonly meter: Meter };
  readonly health: Health;
  readonly clientCa: ClientCa;
  close(): void;
}

export function assemble(options: ApiServerOptions, url: () => string): Assembled {
  const { storage, clock, random = randomBytes } = options;
  const { keys, tokens } = tokensFrom(options);
  const clientCa = createClientCa([options.clientCaPem].flat());
  const rbac = createRbacIndex(storage);
  const registry = createRegistry();
  const follows = [followDefinitions(storage, registry)];
  const health = createHealth([{ name: "storage", isHealthy: () => storage.revision() > 0 }]);
  const meter = createMeter(clock.now());
  follows.push(followIssued(storage, meter));
  const node = createNodeAuthorizer(createNodeScan(storage));
  const parts: Assembled["parts"] = {
    storage,
    registry,
    clock,
    random,
    rbac,
    authenticators: authenticatorsFrom(options, { clientCa, keys, tokens }),
    allowsAnonymous: anonymousRule(options.anonymousPaths),
    authorizer: createAuthorizerChain([privilegedAuthorizer, node, createRbacAuthorizer(rbac)]),
    audit: options.audit === undefined ? NO_AUDIT : createAudit({ policy: DEFAULT_POLICY, clock, ...options.audit }),
    isGuarded: options.guardRequests === true,
    gate: createGate({ ...DEFAULT_LIMITS, ...options.limits }, clock),
    lane: createLane(),
    turns: createTurns(),
    meter,
    tokens,
    ownDocument: createOwnDocuments({ health, meter, keys, issuer: tokens.issuer, url }),
    log: options.log ?? (() => undefined),
  };
  return {
    parts,
    health,
    clientCa,
    close: () => {
      for (const unfollow of follows) unfollow();
      rbac.close();
      parts.gate.deadlines.close();
    },
  };
}

interface Tokens {
  readonly keys: TokenKeys;
  readonly tokens: TokenIssuer;
}

function tokensFrom({ serviceAccounts }: ApiServerOptions): Tokens {
  const signingKeyPem = serviceAccounts?.signingKeyPem ?? generatePrivateKey("P-256").encodePem();
  const keys = createTokenKeys({ signingKeyPem, formerKeysPem: serviceAccounts?.formerKeysPem });
  return { keys, tokens: createTokenIssuer(keys, serviceAccounts?.issuer ?? DEFAULT_ISSUER) };
}

/**
 * In the order of kube-apiserver: certificates, then tokens by file, service account and bootstrap. The JWTs of
 * discovery come before other JWTs.
 */
function authenticatorsFrom(
  options: ApiServerOptions,
  { clientCa, keys, tokens }: Tokens & { readonly clientCa: ClientCa },
): readonly Authenticator[] {
  const { storage, tokenFile } = options;
  const { audiences, issuer } = tokens;
  const file = tokenFile === undefined ? undefined : createTokenFileAuthenticator(tokenFile);
  const getSecret = (name: string) =>
    storage.get(keyOf(SECRETS, { namespace: "kube-system", name }))?.object as Secret | undefined;
  return [
    createClientCertificateAuthenticator({ roots: clientCa.roots }),
    ...(file === undefined ? [] : [forThisServer(file, audiences)]),
    createDiscoveryJwtAuthenticator({
      sources: [...(file === undefined ? [] : [file.secretOf]), createTokenSecretSource({ getSecret })],
      clusterId: clusterIdOf(storage),
    }),
    createServiceAccountAuthenticator({
      keys,
      issuers: [issuer],
      audiences,
      get: (resource, place) => storage.get(keyOf(resource, place))?.object,
    }),
    forThisServer(createBootstrapTokenAuthenticator({ getSecret }), audiences),
  ];
}

/**
 * What Kubernetes' own tools take for a cluster's id: the uid of the namespace kube-system, which cannot be deleted.
 */
function clusterIdOf(storage: ApiServerOptions["storage"]): string | undefined {
  return storage.get(keyOf(NAMESPACES, { name: "kube-system" }))?.object.metadata.uid;
}

function anonymousRule(paths: readonly string[] | undefined): (path: string) => boolean {
  return paths === undefined ? () => true : (path) => paths.includes(path);
}
