// Source 4. One of ours, though not which.
import { SILENT, type TrustSource } from "./source.ts";

export const listed: TrustSource = {
  id: "listed",
  sentence: "the endorsement key is in the policy's list",
  ask: ({ hash }, { policy }) =>
    policy.tpm?.endorsementKeys?.includes(hash) === true
      ? { kind: "Trusted", level: "Listed", note: "listed in the policy" }
      : SILENT,
};
