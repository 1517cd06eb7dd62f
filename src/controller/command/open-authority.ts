// The CA from where the command line says that it lies. A key that does not fit is found here, before anything waits
// for it; what is not there yet, or cannot be reached, is waited for, and /readyz says so.

import { purposeOf } from "../../api/certificates/index.ts";
import type { ConfigMap, Secret } from "../../api/core/index.ts";
import { CONFIG_MAPS, type KubeObject, type Resource, SECRETS } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { createInformer, type Informer, type KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";
import {
  type Authorities,
  clusterCaSecret,
  followAuthoritySecret,
  loadAuthorityFiles,
  onlyOwnCa,
  readSecret,
  TRUST_CONFIG_MAP,
} from "../signing/index.ts";
import type { CaPlace } from "./command-line.ts";

export interface AuthorityWorld {
  /** The cluster of the requests. */
  readonly client: KubeClient;
  /** Where the Clusters are; the same one where there is no other. */
  readonly management: KubeClient;
  /** Those that are served; left out: all. */
  readonly signers?: readonly string[] | undefined;
  /** Something before the API server judges client certificates: what it publishes says nothing. */
  readonly isTrustedElsewhere?: boolean | undefined;
  readonly log: Log;
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

export async function openAuthority(ca: CaPlace, world: AuthorityWorld): Promise<Authorities> {
  const { client, management, signers, log } = world;
  // Whose serving certificates the API server takes, it does not publish; and they may have a CA of their own.
  const isServingOnly = signers?.every((signer) => purposeOf(signer) === "NodeServing") ?? false;
  const isCompared = world.isTrustedElsewhere !== true && (ca.kind === "Cluster" || !isServingOnly);
  const authorities = await open(ca, { client, management, log });
  return isCompared ? compared(authorities, client, log) : authorities;
}

async function open(ca: CaPlace, { client, management, log }: AuthorityWorld): Promise<Authorities> {
  if (ca.kind === "Cluster") return await openSecret(management, clusterCaSecret(ca), log);
  if (ca.kind === "Secret") return await openSecret(client, ca, log);
  return await loadAuthorityFiles(ca, { clock: systemClock, log });
}

/** Nothing is signed by a CA whose client certificates the API server of the requests does not take. */
function compared(authorities: Authorities, client: KubeClient, log: Log): Authorities {
  const trust = followOne<ConfigMap>(client, CONFIG_MAPS, TRUST_CONFIG_MAP, log);
  const own = onlyOwnCa({ authorities, trust });
  const changed: (() => void)[] = [];
  // A server that publishes nothing never changes it: callers that wait for the first look are told of that too.
  const tellWhenRead = async (signal: AbortSignal) => {
    await trust.waitForSync(signal);
    for (const tell of changed) tell();
  };
  return {
    ...own,
    onChange: (handler) => {
      own.onChange?.(handler);
      changed.push(handler);
    },
    run: async (signal) => {
      const first = tellWhenRead(signal).catch(ignoreAborted);
      await Promise.all([authorities.run?.(signal), trust.run(signal), first]);
    },
  };
}

function ignoreAborted(error: unknown): void {
  if (!isFault(error, "aborted")) throw error;
}

async function openSecret(client: KubeClient, place: Place, log: Log): Promise<Authorities> {
  await refuseWrongKey(client, place, log);
  const secrets = followOne<Secret>(client, SECRETS, place, log);
  return { ...followAuthoritySecret({ secrets, ...place, log }), run: (signal) => secrets.run(signal) };
}

/** By a list of one: the right to list and watch a name is what following it needs anyway. */
async function refuseWrongKey(client: KubeClient, { namespace, name }: Place, log: Log): Promise<void> {
  const found = await firstLook(client, { namespace, name }, log);
  if (found !== undefined) readSecret(found);
}

/** Long enough for a server that answers; one that does not is waited for later. */
const FIRST_LOOK_MS = 5_000;

async function firstLook(client: KubeClient, { namespace, name }: Place, log: Log): Promise<Secret | undefined> {
  try {
    const one = { namespace, fieldSelector: `metadata.name=${name}`, timeoutMs: FIRST_LOOK_MS };
    return (await client.list<Secret>(SECRETS, one)).items[0];
  } catch (error) {
    if (!isFault(error)) throw error;
    log.warn("the Secret with the CA cannot be read yet", { namespace, name, error });
    return undefined;
  }
}

function followOne<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  { namespace, name }: Place,
  log: Log,
): Informer<T> {
  const fieldSelector = `metadata.name=${name}`;
  return createInformer<T>(client, resource, {
    ...{ clock: systemClock, random: Math.random, log, namespace, fieldSelector },
  });
}
