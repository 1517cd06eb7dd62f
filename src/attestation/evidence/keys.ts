// Challenge keys (protocol 3.4): per cluster a secret `K` under a key id; three keys are derived from it, one for each use.
import { encodeUtf8 } from "../../kernel/bytes/index.ts";
import { hkdfSha256 } from "../../kernel/crypto/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";

export interface ChallengeKeys {
  /** Eight hexadecimal digits. */
  readonly kid: string;
  readonly secret: Uint8Array;
  readonly mac: Uint8Array;
  readonly beacon: Uint8Array;
}

export const CHALLENGE_KEY_OCTETS = 32;

export function deriveChallengeKeys(kid: string, key: Uint8Array): ChallengeKeys {
  if (key.length !== CHALLENGE_KEY_OCTETS)
    throw new Fault("invalid", `challenge key must have ${CHALLENGE_KEY_OCTETS} octets, got ${key.length}`);
  const derive = (use: string) => hkdfSha256(key, encodeUtf8(`countersign.dev/${use}/1`), 32);
  return { kid, secret: derive("challenge-secret"), mac: derive("challenge-mac"), beacon: derive("beacon") };
}
