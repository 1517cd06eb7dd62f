// The Secret of challenge keys, as it is written: a key under its id, which of them is current, the key to which evidence is sealed, and
// when they were rotated. A new key comes daily; the one before is kept for an hour.

import type { Secret } from "../../../api/core/index.ts";
import {
  CHALLENGE_KEY_OCTETS,
  type ChallengeKeys,
  deriveChallengeKeys,
  type RecipientKey,
} from "../../../attestation/evidence/index.ts";
import { encodeBase64, encodeHex, encodeUtf8, parseBase64, parseHex, parseUtf8 } from "../../../kernel/bytes/index.ts";
import { publicPointOf } from "../../../kernel/crypto/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";

const CURRENT = "current";
const RECIPIENT_PREFIX = "recipient-";
const ROTATED_ANNOTATION = "countersign.dev/rotated-at";
const KEY_ID = /^[0-9a-f]{8}$/;
const RECIPIENT_ID_OCTETS = 8;

const DAY_MS = 24 * 3_600_000;
/** Longer than any challenge lasts and any beacon counts. */
const OLD_KEPT_MS = 3_600_000;

export interface KeyRing {
  readonly current: ChallengeKeys;
  readonly all: readonly ChallengeKeys[];
  readonly recipients: readonly RecipientKey[];
}

export interface SecretPlace {
  readonly namespace: string;
  readonly name: string;
}

export interface KeyMaker {
  readonly clock: Pick<Clock, "now">;
  readonly randomBytes: (count: number) => Uint8Array;
}

export function newSecret({ namespace, name }: SecretPlace, { clock, randomBytes }: KeyMaker): Secret {
  const recipient = RECIPIENT_PREFIX + encodeHex(randomBytes(RECIPIENT_ID_OCTETS));
  const kid = encodeHex(randomBytes(4));
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      namespace,
      name,
      annotations: { [ROTATED_ANNOTATION]: new Date(clock.now()).toISOString() },
    },
    type: "Opaque",
    data: {
      [CURRENT]: encodeBase64(encodeUtf8(kid)),
      [kid]: encodeBase64(randomBytes(CHALLENGE_KEY_OCTETS)),
      [recipient]: encodeBase64(randomBytes(CHALLENGE_KEY_OCTETS)),
    },
  };
}

/** The Secret as it should be now; undefined: as it is. */
export function rotated(secret: Secret, { clock, randomBytes }: KeyMaker): Secret | undefined {
  const sinceMs = Date.parse(secret.metadata.annotations?.[ROTATED_ANNOTATION] ?? "");
  const ageMs = Number.isFinite(sinceMs) ? clock.now() - sinceMs : DAY_MS;
  const current = currentOf(secret);
  const others = Object.keys(secret.data ?? {}).filter((name) => KEY_ID.test(name) && name !== current);
  const isTime = ageMs >= DAY_MS;
  if (!isTime && (others.length === 0 || ageMs < OLD_KEPT_MS)) return undefined;
  const kept = Object.fromEntries(Object.entries(secret.data ?? {}).filter(([name]) => !others.includes(name)));
  if (!isTime) return { ...secret, data: kept };
  const kid = encodeHex(randomBytes(4));
  const annotations = { ...secret.metadata.annotations, [ROTATED_ANNOTATION]: new Date(clock.now()).toISOString() };
  return {
    ...secret,
    metadata: { ...secret.metadata, annotations },
    data: { ...kept, [CURRENT]: encodeBase64(encodeUtf8(kid)), [kid]: encodeBase64(randomBytes(CHALLENGE_KEY_OCTETS)) },
  };
}

function currentOf({ data = {} }: Secret): string {
  return parseUtf8(parseBase64(data[CURRENT] ?? ""));
}

/** What somebody spoiled only a person can repair, who is told which Secret it is and what becomes of it. */
export function requireRing(secret: Secret, { namespace, name }: SecretPlace): KeyRing {
  try {
    return readRing(secret);
  } catch (cause) {
    if (!isFault(cause)) throw cause;
    const remedy =
      "restore it, or delete it: it is made anew, exchanges under way begin again, and evidence is sealed to its new key";
    throw new Fault("bad-config", `Secret ${namespace}/${name} cannot be used, ${cause.message}: ${remedy}`, { cause });
  }
}

function readRing(secret: Secret): KeyRing {
  const entries = Object.entries(secret.data ?? {});
  const all = entries.flatMap(([name, value]) =>
    KEY_ID.test(name) ? [deriveChallengeKeys(name, parseBase64(value))] : [],
  );
  const kid = currentOf(secret);
  const current = all.find((key) => key.kid === kid);
  if (current === undefined) throw new Fault("malformed", `${CURRENT} must name a key that it holds`);
  const recipients = entries.flatMap(([name, value]) =>
    name.startsWith(RECIPIENT_PREFIX) ? [readRecipient(name.slice(RECIPIENT_PREFIX.length), value)] : [],
  );
  return { current, all, recipients };
}

function readRecipient(idText: string, value: string): RecipientKey {
  const [id, scalar] = [parseHex(idText), parseBase64(value)];
  if (id.length !== RECIPIENT_ID_OCTETS || scalar.length !== CHALLENGE_KEY_OCTETS)
    throw new Fault("malformed", `recipient ${idText} must be ${CHALLENGE_KEY_OCTETS} octets under an id of 16 digits`);
  publicPointOf("P-256", scalar); // Fault `invalid` where it is no private key
  return { id, scalar };
}
