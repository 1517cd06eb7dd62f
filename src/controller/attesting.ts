// Attestation in this controller: what of the informers, authorities and settings it is given.

import { TOKEN_NAMESPACE, tokenSecretName } from "../api/bootstrap/index.ts";
import { BOOTSTRAP_USER_PREFIX, type CertificateSigningRequest } from "../api/certificates/index.ts";
import type { Secret } from "../api/core/index.ts";
import { encodeHex } from "../kernel/bytes/index.ts";
import { sha256 } from "../kernel/crypto/index.ts";
import { isFault, type Seen } from "../kernel/outcome/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import type { KubeClient } from "../platform/kube/index.ts";
import type { Log } from "../platform/report/index.ts";
import type { Act } from "./approval/index.ts";
import {
  type AttestationWorld,
  createChallengeKeys,
  createGuard,
  createRequestReader,
  createUpkeep,
  type EndorsementKeySource,
  OPEN_HELLOS,
  type ProviderVerifier,
} from "./attestation/index.ts";
import type { Informers } from "./informers.ts";
import type { Handler } from "./loop/index.ts";
import { TPM_SIGNERS } from "./signers.ts";
import type { Authorities, Authority } from "./signing/index.ts";

/** How machines prove what they are, as far as it is not a policy's matter. */
export interface AttestationSettings {
  /** Where NodeIdentities and challenge keys are. Default: the cluster of the requests. */
  readonly home?: KubeClient | undefined;
  /** Of the challenge keys. Default: countersign-system. */
  readonly namespace?: string | undefined;
  /** Whose identities these are, where one home has those of several clusters. */
  readonly clusterName?: string | undefined;
  /** Ids of the cluster beside the pins of its CAs: clusters that share a CA need one. */
  readonly clusterIds?: readonly string[] | undefined;
  readonly endorsementKeySources?: readonly EndorsementKeySource[] | undefined;
  /** Of installed providers. Their signers are served where `signers` names them. */
  readonly verifiers?: readonly ProviderVerifier[] | undefined;
  /** The API server has the admission guard built in. */
  readonly hasBuiltInGuard?: boolean | undefined;
}

export interface AttestingWorld {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly informers: Informers;
  readonly authorities: Authorities;
  readonly signers: readonly string[];
  readonly attestation?: AttestationSettings | undefined;
  readonly randomBytes: (count: number) => Uint8Array;
}

const HOME_NAMESPACE = "countersign-system";

export function createAttestationWorld(world: AttestingWorld, act: Act): AttestationWorld {
  const { client, clock, log, informers, randomBytes, attestation = {} } = world;
  const { home = client, namespace = HOME_NAMESPACE } = attestation;
  const { csrs, nodes, machines, policies, identities, tokens } = informers;
  return {
    ...{ client, home, clock, log, randomBytes, machines, policies, identities, act },
    keys: createChallengeKeys({ home, clock, log, namespace, randomBytes }),
    guard: createGuard({ client, clock, log, isBuiltIn: attestation.hasBuiltInGuard }),
    readRequest: createRequestReader(),
    getNode: (name) => nodes.get(name),
    openHellos: (username = "") => csrs.byIndex(OPEN_HELLOS, username),
    countOpenHellos: () => csrs.countByIndex(OPEN_HELLOS, ""),
    machineOfToken: (username) => machineOfToken(tokens.get(tokenSecretOf(username), TOKEN_NAMESPACE)),
    clusterIds: (csr) => [pinOf(world.authorities.of(csr)), ...(attestation.clusterIds ?? [])],
    clusterName: attestation.clusterName,
    servedSigners: world.signers,
    sources: attestation.endorsementKeySources ?? [],
    verifiers: attestation.verifiers ?? [],
  };
}

export function createAttestationUpkeep({ informers, authorities }: AttestingWorld, world: AttestationWorld): Handler {
  return createUpkeep({
    world,
    wantsBeacon: () => informers.policies.list().some(({ attestation }) => attestation.renewalBeacon === true),
    clusterId: () => {
      try {
        authorities.of(ANY_REQUEST);
        return world.clusterIds(ANY_REQUEST)[0];
      } catch (error) {
        if (isFault(error, "bad-config")) return undefined; // no CA yet: nobody renews either
        throw error;
      }
    },
    nodesSynced: () => informers.nodes.hasSynced(),
  });
}

/** A beacon is of the cluster, not of a request: this one stands for those that will name it. */
const ANY_REQUEST: CertificateSigningRequest = {
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: {},
  spec: { request: "", signerName: TPM_SIGNERS[0] ?? "", usages: [] },
};

/** `sha256:` and the hash of the CA's key: what a machine finds in its bootstrap data. */
function pinOf({ certificate }: Authority): string {
  return `sha256:${encodeHex(sha256(certificate.publicKey.spki))}`;
}

function tokenSecretOf(username: string): string {
  return tokenSecretName(username.slice(BOOTSTRAP_USER_PREFIX.length));
}

/** On the Secret of a bootstrap token: the Machine it was made for, `namespace/name`. */
export const TOKEN_MACHINE_ANNOTATION = "countersign.dev/machine";

function machineOfToken(token: Secret | undefined): Seen<{ readonly namespace: string; readonly name: string }> {
  const [namespace, name] = token?.metadata.annotations?.[TOKEN_MACHINE_ANNOTATION]?.split("/") ?? [];
  if (namespace === undefined || name === undefined) return { kind: "Absent" };
  return { kind: "Present", value: { namespace, name } };
}
