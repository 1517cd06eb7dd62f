// The keys of challenges and beacons, and the one to which evidence is sealed: Secret `countersign-challenge-keys` at home, shared
// by all replicas (protocol 3.4); each cluster of a home has its own. The first replica makes it; a new key comes daily, the one before is kept for an hour.

import type { Secret } from "../../api/core/index.ts";
import { SECRETS } from "../../api/meta/index.ts";
import {
  CHALLENGE_KEY_OCTETS,
  type ChallengeKeys,
  deriveChallengeKeys,
  type RecipientKey,
} from "../../attestation/evidence/index.ts";
import { encodeBase64, encodeHex, encodeUtf8, parseBase64, parseHex, parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";

export const CHALLENGE_KEYS_SECRET = "countersign-challenge-keys";
const CURRENT = "current";
const RECIPIENT_PREFIX = "recipient-";
const ROTATED_ANNOTATION = "countersign.dev/rotated-at";
const KEY_ID = /^[0-9a-f]{8}$/;

const DAY_MS = 24 * 3_600_000;
/** Longer than any challenge lasts and any beacon counts. */
const OLD_KEPT_MS = 3_600_000;
/** Another replica's rotation is noticed this soon; a proof with an unknown key waits for a minute. */
const READ_AGAIN_MS = 1_000;
const FRESH_MS = 60_000;
const RECIPIENT_ID_OCTETS = 8;

export interface KeyRing {
  readonly current: ChallengeKeys;
  readonly all: readonly ChallengeKeys[];
  readonly recipients: readonly RecipientKey[];
}

export interface ChallengeKeyStore {
  /** With `kid`: read again when that key is not known here. */
  ring(kid?: string): Promise<KeyRing>;
  /** Rotates when it is time. */
  upkeep(): Promise<void>;
}

export interface KeyStoreOptions {
  readonly home: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly namespace: string;
  readonly name: string;
  readonly randomBytes: (count: number) => Uint8Array;
}

export function createChallengeKeys(options: KeyStoreOptions): ChallengeKeyStore {
  const { home, clock, log, namespace, name } = options;
  const target = { namespace, name };
  let known: { readonly ring: KeyRing; readonly atMs: number } | undefined;

  function keep(secret: Secret): Secret {
    known = { ring: readRing(secret), atMs: clock.now() };
    return secret;
  }

  async function load(): Promise<Secret> {
    try {
      return keep(await home.get<Secret>(SECRETS, target));
    } catch (error) {
      if (!isFault(error, "not-found")) throw error;
    }
    try {
      const made = await home.create<Secret>(SECRETS, newSecret(options));
      log.info("challenge keys made", { audit: true, secret: name, namespace });
      return keep(made);
    } catch (error) {
      if (!isFault(error, "already-exists")) throw error;
      return keep(await home.get<Secret>(SECRETS, target));
    }
  }

  function mustRead(kid: string | undefined): boolean {
    if (known === undefined) return true;
    const ageMs = clock.now() - known.atMs;
    return (
      ageMs > FRESH_MS || (kid !== undefined && ageMs > READ_AGAIN_MS && !known.ring.all.some((key) => key.kid === kid))
    );
  }

  return {
    ring: async (kid) => {
      if (mustRead(kid)) await load();
      if (known === undefined) throw new Fault("unavailable", "the challenge keys could not be read");
      return known.ring;
    },
    upkeep: async () => {
      const secret = await load();
      const next = rotated(secret, options);
      if (next === undefined) return;
      keep(await home.update<Secret>(SECRETS, next));
      log.info("challenge keys rotated", { audit: true, secret: name, namespace });
    },
  };
}

function newSecret({ clock, namespace, name, randomBytes }: KeyStoreOptions): Secret {
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
function rotated(secret: Secret, { clock, randomBytes }: KeyStoreOptions): Secret | undefined {
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

function readRing(secret: Secret): KeyRing {
  const entries = Object.entries(secret.data ?? {});
  const all = entries.flatMap(([name, value]) =>
    KEY_ID.test(name) ? [deriveChallengeKeys(name, parseBase64(value))] : [],
  );
  const kid = currentOf(secret);
  const current = all.find((key) => key.kid === kid);
  if (current === undefined)
    throw new Fault("malformed", `Secret ${secret.metadata.name ?? ""} must hold its current key`);
  const recipients = entries.flatMap(([name, value]) =>
    name.startsWith(RECIPIENT_PREFIX)
      ? [{ id: parseHex(name.slice(RECIPIENT_PREFIX.length)), scalar: parseBase64(value) }]
      : [],
  );
  return { current, all, recipients };
}
