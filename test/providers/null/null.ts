// The null provider (seed 000, kubelet-authenticator-null): a rubber stamp that may renew, for tests alone. It lives in
// test/, which nothing of src/ may import, so that it can never ship by accident.

import type { NodeAttestationProvider } from "../../../src/attestation/providers/index.ts";
import type { Authenticator } from "../../../src/node/exec/index.ts";

export const NULL_CLIENT_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-null";

export function createNullProvider(): NodeAttestationProvider {
  return { name: "null", contractVersion: 1, canRenew: true, attest: async () => ({ data: new Uint8Array() }) };
}

export const NULL_AUTHENTICATOR: Authenticator = {
  program: "kubelet-authenticator-null",
  signerName: NULL_CLIENT_SIGNER,
  canRenew: true,
  loadProvider: async () => createNullProvider(),
};
