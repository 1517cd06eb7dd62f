export type { KeyRing } from "./ring.ts";
export { CHALLENGE_KEYS_SECRET, type ChallengeKeyStore, createChallengeKeys, type KeyStoreOptions } from "./store.ts";
