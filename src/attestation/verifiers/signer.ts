// What a signer's name says: for which purpose, of which provider.
import type { Purpose } from "../evidence/index.ts";

const PREFIXES: readonly (readonly [string, Purpose])[] = [
  ["cluster.x-k8s.io/kube-apiserver-client-kubelet-", "client"],
  ["cluster.x-k8s.io/kubelet-serving-", "serving"],
];

export interface SignerParts {
  readonly purpose: Purpose;
  readonly provider: string;
}

export function signerParts(signerName: string): SignerParts | undefined {
  for (const [prefix, purpose] of PREFIXES) {
    if (signerName.startsWith(prefix)) return { purpose, provider: signerName.slice(prefix.length) };
  }
  return undefined;
}
