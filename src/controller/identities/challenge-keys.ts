// The keys of challenges and beacons, and the one to which evidence is sealed: Secret `countersign-challenge-keys` of
// the management cluster, shared by all replicas (The challenge); each workload cluster has its own. The first replica
// makes it.

import type { Secret } from "../../api/core/index.ts";
import { SECRETS } from "../../api/meta/index.ts";
import {
  CHALLENGE_KEY_OCTETS,
  type ChallengeKeys,
  deriveChallengeKeys,
  type RecipientKey,
} from "../../attestation/evidence/index.ts";
import { encodeBase64, encodeHex, encodeUtf8, parseBase64, parseHex, parseUtf8 } from "../../kernel/bytes/index.ts";
import { publicPointOf } from "../../kernel/crypto/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";

export const CHALLENGE_KEYS_SECRET = "countersign-challenge-keys";

/** Another replica's rotation is noticed this soon; a proof with an unknown key waits for a minute. */
const READ_AGAIN_MS = 1_000;
const FRESH_MS = 60_000;

export interface ChallengeKeyStore {
  /** With `kid`: read again when that key is not known here. */
  ring(kid?: string): Promise<KeyRing>;
  /** Rotates when it is time. */
  upkeep(): Promise<void>;
}

interface KeyStoreOptions extends KeyMaker, SecretPlace {
  readonly management: KubeClient;
  readonly log: Log;
}

export function createChallengeKeys(options: KeyStoreOptions): ChallengeKeyStore {
  const { management, clock, log, namespace, name } = options;
  const target = { namespace, name };
  let known: { readonly ring: KeyRing; readonly atMs: number } | undefined;

  function keep(secret: Secret): Secret {
    known = { ring: requireRing(secret, target), atMs: clock.now() };
    return secret;
  }

  async function load(): Promise<Secret> {
    try {
      return keep(await management.get<Secret>(SECRETS, target));
    } catch (error) {
      if (!isFault(error, "not-found")) throw error;
      return keep((await make()) ?? (await management.get<Secret>(SECRETS, target)));
    }
  }

  /** Undefined where another replica was faster. */
  async function make(): Promise<Secret | undefined> {
    try {
      const made = await management.create<Secret>(SECRETS, newSecret(target, options));
      log.info("challenge keys made", { audit: true, secret: name, namespace });
      return made;
    } catch (error) {
      if (isFault(error, "already-exists")) return undefined;
      if (isFault(error, "not-found")) throw noNamespace(target, error);
      throw error;
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
      keep(await management.update<Secret>(SECRETS, next));
      log.info("challenge keys rotated", { audit: true, secret: name, namespace });
    },
  };
}

/** Nothing but the namespace can be missing where an object is made. */
function noNamespace({ namespace, name }: SecretPlace, cause: Fault): Fault {
  const remedy = "make it (deploy/controller-rbac.yaml does), or name another by --namespace";
  return new Fault("bad-config", `no namespace ${namespace} for the Secret ${name}: ${remedy}`, { cause });
}

// The Secret of challenge keys, as it is written: a key under its id, which of them is current, the key to which
// evidence is sealed, and when they were rotated. A new key comes daily; the one before is kept for an hour.
const CURRENT = "current";
const RECIPIENT_PREFIX = "recipient-";
const ROTATED_ANNOTATION = "countersign.dev/rotated-at";
const KEY_ID = /^[0-9a-f]{8}$/;
const RECIPIENT_ID_OCTETS = 8;

const DAY_MS = 24 * 3_600_000;
/** Longer than any challenge lasts and any beacon counts. */
const OLD_KEPT_MS = 3_600_000;

interface KeyRing {
  readonly current: ChallengeKeys;
  readonly all: readonly ChallengeKeys[];
  readonly recipients: readonly RecipientKey[];
}

interface SecretPlace {
  readonly namespace: string;
  readonly name: string;
}

interface KeyMaker {
  readonly clock: Pick<Clock, "now">;
  readonly randomBytes: (count: number) => Uint8Array;
}

function newSecret({ namespace, name }: SecretPlace, { clock, randomBytes }: KeyMaker): Secret {
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
function rotated(secret: Secret, { clock, randomBytes }: KeyMaker): Secret | undefined {
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

/** A spoiled Secret is repaired by an operator, who is told which it is and what becomes of it. */
function requireRing(secret: Secret, { namespace, name }: SecretPlace): KeyRing {
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
