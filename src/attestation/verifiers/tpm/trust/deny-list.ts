// Source 0. Revoked keys, and keys that a known flaw lets anybody compute (ROCA, CVE-2017-15361).
import { isRocaModulus } from "../roca.ts";
import { SILENT, type TrustSource } from "./source.ts";

export const denyList: TrustSource = {
  id: "deny-list",
  sentence: "a key that is revoked or weak is trusted by nobody",
  ask: ({ hash, area }, { deniedKeys, policy }) => {
    const isListed = deniedKeys.includes(hash) || policy.tpm?.deniedEndorsementKeys?.includes(hash) === true;
    if (isListed)
      return { kind: "Refused", reason: "EndorsementKeyDenied", message: "the endorsement key is on the deny list" };
    if (area.type === "rsa" && isRocaModulus(area.modulus))
      return { kind: "Refused", reason: "EndorsementKeyDenied", message: "the endorsement key has the ROCA weakness" };
    return SILENT;
  },
};
