// What a join would do: the cluster is found and proved, and the credential is tried there, because those are what
// fails; nothing is requested and nothing is written.

import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { type CredentialSource, createKubeClient, loadKubeconfigConnection } from "../../platform/kube/index.ts";
import { whoAmI } from "../certificates/index.ts";
import { type Credential, chooseCredential } from "./credential.ts";
import { findKept } from "./enrol.ts";
import { findCluster } from "./find-cluster.ts";
import { openStore, requireOwnDirectory } from "./join.ts";
import type { ClusterAddress } from "./kubeconfigs.ts";
import { type JoinOptions, parseNodeName, signerNameOf } from "./options.ts";
import { joinPlaces } from "./places.ts";

export interface JoinPlan {
  readonly nodeName: string;
  readonly server: string;
  readonly signerName: string;
  /** Which credential would be used, as text. */
  readonly credential: string;
  /** The user name by which the API server knows that credential; absent when it was not tried. */
  readonly knownAs?: string;
  /** A valid certificate is there, and nothing would be requested. */
  readonly isJoined: boolean;
  readonly registers: boolean;
  readonly writes: readonly string[];
}

export async function planJoin(options: JoinOptions): Promise<JoinPlan> {
  const nodeName = parseNodeName(options.nodeName);
  const { certDirectory, kubeconfigPath, execKubeconfigPath } = joinPlaces(options.directory);
  const common = {
    nodeName,
    signerName: signerNameOf(options),
    registers: options.registerNode !== undefined,
    writes: [certDirectory, kubeconfigPath, execKubeconfigPath],
  };
  const store = openStore(options);
  requireOwnDirectory(options, store);
  const kept = await findKept(options, store);
  if (kept !== undefined) {
    return { ...common, server: kept.cluster.server, credential: "none is needed", isJoined: true };
  }
  const cluster = await findCluster(options);
  const credential = chooseCredential(options, cluster);
  const knownAs = await introduce(cluster, credential, options);
  const who = knownAs === undefined ? {} : { knownAs };
  return { ...common, server: cluster.server, credential: credential.words, ...who, isJoined: false };
}

async function introduce(
  { server, caPem, tlsServerName, proxyUrl }: ClusterAddress,
  credential: Credential,
  { signal, env }: JoinOptions,
): Promise<string | undefined> {
  const credentials = await credentialsOf(credential, env);
  if (credentials === undefined) return undefined;
  const client = createKubeClient({ server, caPem, tlsServerName, proxyUrl, credentials, env });
  try {
    return await whoAmI(client, { signal });
  } catch (cause) {
    if (!isFault(cause, "unauthorized")) throw cause;
    throw new Fault("unauthorized", `the API server refuses ${credential.words}: it has expired or was deleted`, {
      cause,
    });
  } finally {
    await client.close();
  }
}

/** An identity of a document is tried only once it is written down: its files stand beside it. */
async function credentialsOf(
  { user, path }: Credential,
  env: JoinOptions["env"],
): Promise<CredentialSource | undefined> {
  if (user === undefined) return (await loadKubeconfigConnection(path, { env })).credentials;
  const { token } = user;
  return token === undefined ? undefined : () => ({ token });
}
