// Source 6. The first that comes for this Machine: a race by definition, so the policy must say so in writing, and the TPM must
// be genuine besides.
import { judgeGenuine } from "./genuine.ts";
import type { TrustSource } from "./source.ts";

export const firstUse: TrustSource = {
  id: "first-use",
  sentence: "a genuine TPM is trusted at first use where the policy allows it in writing",
  ask: (key, facts) => {
    const genuine = judgeGenuine(key, facts);
    if (!genuine.isGenuine) return { kind: "Silent", why: genuine.why };
    if (facts.policy.tpm?.firstUse !== "Allow")
      return { kind: "Silent", why: "a maker's certificate alone admits nobody; list or enroll the key" };
    return { kind: "Trusted", level: "FirstUse", note: `first use; ${genuine.note}` };
  },
};
