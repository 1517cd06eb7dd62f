// The keys of challenges and beacons, and the one to which evidence is sealed: Secret `countersign-challenge-keys` at home, shared
// by all replicas (protocol 3.4); each cluster of a home has its own. The first replica makes it.

import type { Secret } from "../../../api/core/index.ts";
import { SECRETS } from "../../../api/meta/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import type { Log } from "../../../platform/report/index.ts";
import { type KeyMaker, type KeyRing, newSecret, requireRing, rotated, type SecretPlace } from "./ring.ts";

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

export interface KeyStoreOptions extends KeyMaker, SecretPlace {
  readonly home: KubeClient;
  readonly log: Log;
}

export function createChallengeKeys(options: KeyStoreOptions): ChallengeKeyStore {
  const { home, clock, log, namespace, name } = options;
  const target = { namespace, name };
  let known: { readonly ring: KeyRing; readonly atMs: number } | undefined;

  function keep(secret: Secret): Secret {
    known = { ring: requireRing(secret, target), atMs: clock.now() };
    return secret;
  }

  async function load(): Promise<Secret> {
    try {
      return keep(await home.get<Secret>(SECRETS, target));
    } catch (error) {
      if (!isFault(error, "not-found")) throw error;
      return keep((await make()) ?? (await home.get<Secret>(SECRETS, target)));
    }
  }

  /** Undefined where another replica was faster. */
  async function make(): Promise<Secret | undefined> {
    try {
      const made = await home.create<Secret>(SECRETS, newSecret(target, options));
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
      keep(await home.update<Secret>(SECRETS, next));
      log.info("challenge keys rotated", { audit: true, secret: name, namespace });
    },
  };
}

/** Nothing but the namespace can be missing where an object is made. */
function noNamespace({ namespace, name }: SecretPlace, cause: Fault): Fault {
  const remedy = "make it (deploy/controller-rbac.yaml does), or name another by --namespace";
  return new Fault("bad-config", `no namespace ${namespace} for the Secret ${name}: ${remedy}`, { cause });
}
