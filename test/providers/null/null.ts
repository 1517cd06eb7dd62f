// The null provider (kubelet-authenticator-null of *Cluster API Kubelet Authentication*): a rubber stamp that may
// renew, for tests alone. It lives in test/, which nothing of src/ may import, so that it can never ship by accident.

import { draftRequest, finishRequest } from "../../../src/attestation/evidence/index.ts";
import type { SingleProvider } from "../../../src/attestation/provider.ts";
import type { Authenticator } from "../../../src/node/exec/authenticators.ts";

export const NULL_CLIENT_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-null";

export function createNullProvider(): SingleProvider {
  return {
    kind: "single",
    name: "null",
    protocols: [{ provider: "null", version: 1 }],
    canRenew: true,
    canServe: true,
    open: async () => ({
      single: async (input) =>
        finishRequest(draftRequest({ ...input, step: "single" }), { body: { kind: "installed", value: {} } }),
      close: async () => undefined,
    }),
  };
}

export const NULL_AUTHENTICATOR: Authenticator = {
  program: "kubelet-authenticator-null",
  signerName: NULL_CLIENT_SIGNER,
  canRenew: true,
  loadProvider: async () => createNullProvider(),
};
