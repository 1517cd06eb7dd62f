import { describe, expect, it } from "vitest";
import { aPolicy } from "../../test/builders/csr-facts.ts";
import {
  API_CLIENT_SIGNER,
  INSECURE_CLIENT_SIGNER,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
} from "../api/certificates/index.ts";
import { type LifetimeBounds, longestLifeMs, servedSigners } from "./signers.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const TPM_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm";
const policy = aPolicy({ client: { maxExpirationSeconds: 3_600 }, serving: { maxExpirationSeconds: 7_200 } });

describe("the longest life of a certificate", () => {
  const lives: Record<string, [string, LifetimeBounds, number]> = {
    "of Kubernetes' own signers is a year": [KUBELET_CLIENT_SIGNER, {}, YEAR_MS],
    "of the insecure signer is a year": [INSECURE_CLIENT_SIGNER, {}, YEAR_MS],
    "of an attested one is a day": [TPM_SIGNER, {}, 24 * HOUR_MS],
    "is what the operator says": [TPM_SIGNER, { configuredMs: 5 * HOUR_MS }, 5 * HOUR_MS],
    "is bounded by a policy, for clients": [KUBELET_CLIENT_SIGNER, { policy }, HOUR_MS],
    "is bounded by a policy, for servers": [KUBELET_SERVING_SIGNER, { policy }, 2 * HOUR_MS],
    "is not made longer by a policy": [KUBELET_CLIENT_SIGNER, { policy, configuredMs: 600_000 }, 600_000],
    "is not a policy's to say for people": [API_CLIENT_SIGNER, { policy }, YEAR_MS],
    "is the signer's where the policy says nothing": [KUBELET_CLIENT_SIGNER, { policy: aPolicy() }, YEAR_MS],
  };
  it.each(Object.entries(lives))("%s", (_, [signerName, bounds, expectedMs]) => {
    expect(longestLifeMs(signerName, bounds)).toBe(expectedMs);
  });
});

describe("the signers that are served where nobody names them", () => {
  const always = [KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER, API_CLIENT_SIGNER, ...of("tpm")];

  it("are Kubernetes' own and those of the TPM provider", () =>
    expect(servedSigners({ allowInsecure: false })).toEqual(always));
  it("are those of installed providers too", () =>
    expect(servedSigners({ allowInsecure: false, providers: ["aws"] })).toEqual([...always, ...of("aws")]));
  it("are the insecure one where somebody wants it", () =>
    expect(servedSigners({ allowInsecure: true })).toEqual([...always, INSECURE_CLIENT_SIGNER]));
});

function of(provider: string): readonly string[] {
  return [`cluster.x-k8s.io/kube-apiserver-client-kubelet-${provider}`, `cluster.x-k8s.io/kubelet-serving-${provider}`];
}
