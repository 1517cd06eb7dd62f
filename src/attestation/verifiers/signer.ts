// What a signer's name says: for which purpose, of which provider.
import { ATTESTED_CLIENT_SIGNER_PREFIX, ATTESTED_SERVING_SIGNER_PREFIX } from "../../api/certificates/index.ts";
import type { Purpose } from "../evidence/index.ts";

const PREFIXES: readonly (readonly [string, Purpose])[] = [
  [ATTESTED_CLIENT_SIGNER_PREFIX, "client"],
  [ATTESTED_SERVING_SIGNER_PREFIX, "serving"],
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
