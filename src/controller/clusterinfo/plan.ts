// cluster-info and the tokens of this moment → the data it should have, or nothing to do. Every token that may sign
// puts a detached JWS over the kubeconfig beside it, so that its holder can tell the true cluster from a false one.
// Upstream: pkg/controller/bootstrap/bootstrapsigner.go; the kubeconfig itself is kubeadm's there, and here too unless
// the operator says where the cluster is.

import { isExpired, readTokenSecret, type StoredToken } from "../../api/bootstrap/index.ts";
import type { ConfigMap, Secret } from "../../api/core/index.ts";
import { signDetachedHs256 } from "../../kernel/jose/index.ts";
import { kubeconfigFor, type WantedLocation } from "./kubeconfig.ts";

const KUBECONFIG_KEY = "kubeconfig";
const SIGNATURE_PREFIX = "jws-kubeconfig-";

interface ClusterInfoFacts {
  readonly nowMs: number;
  readonly configMap: ConfigMap | undefined;
  readonly secrets: readonly Secret[];
  /** Where the cluster is, if that is ours to say. */
  readonly location?: WantedLocation | undefined;
}

interface ClusterInfoPlan {
  /** The whole new data; absent when the present data is right. */
  readonly data?: Readonly<Record<string, string>>;
  /** When the first of the tokens ends, and with it its signature. */
  readonly nextExpiryMs?: number;
}

export function planClusterInfo({ nowMs, configMap, secrets, location }: ClusterInfoFacts): ClusterInfoPlan {
  const present = configMap?.data ?? {};
  const kept = present[KUBECONFIG_KEY];
  const kubeconfig = location === undefined ? kept : kubeconfigFor(kept, location);
  if (kubeconfig === undefined) return {};
  const tokens = secrets
    .flatMap((secret) => readTokenSecret(secret) ?? [])
    .filter((token) => token.maySign && !isExpired(token, nowMs));
  const data = {
    ...withoutSignatures(present),
    [KUBECONFIG_KEY]: kubeconfig,
    ...signaturesOf(tokens, kubeconfig),
  };
  const ends = tokens.flatMap(({ expiresMs }) => expiresMs ?? []);
  return {
    ...(isSame(present, data) ? {} : { data }),
    ...(ends.length === 0 ? {} : { nextExpiryMs: Math.min(...ends) }),
  };
}

function withoutSignatures(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).filter(([key]) => !key.startsWith(SIGNATURE_PREFIX)));
}

function signaturesOf(tokens: readonly StoredToken[], kubeconfig: string): Record<string, string> {
  return Object.fromEntries(
    tokens.map(({ id, secret }) => [
      `${SIGNATURE_PREFIX}${id}`,
      signDetachedHs256({ keyId: id, secret, content: kubeconfig }),
    ]),
  );
}

function isSame(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
