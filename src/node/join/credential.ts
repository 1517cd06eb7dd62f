// With what the certificate is asked for: what was named, else what found the cluster, else what an earlier start left.

import { existsSync } from "node:fs";
import { encodeToken } from "../../api/bootstrap/index.ts";
import type { KubeconfigUser } from "../../api/kubeconfig/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { atomicWriteFile, ensureDirectory, requirePrivate } from "../../platform/files/index.ts";
import { type Connection, loadKubeconfigConnection } from "../../platform/kube/index.ts";
import { createDiscoveryCache } from "../discovery/index.ts";
import type { FoundCluster } from "./find-cluster.ts";
import { bootstrapKubeconfig } from "./kubeconfigs.ts";
import type { JoinOptions } from "./options.ts";
import { joinPlaces } from "./places.ts";

export interface Credential {
  /** For people: names the credential, never shows it. */
  readonly words: string;
  /** Of the user entry that is written down. Absent when a file has it already. */
  readonly user?: KubeconfigUser;
  /** The kubeconfig that has it, or will. */
  readonly path: string;
}

export function chooseCredential(options: JoinOptions, { user }: Pick<FoundCluster, "user">): Credential {
  const { bootstrap, discovery } = options;
  const path = joinPlaces(options.directory).bootstrapPath;
  if (bootstrap?.kind === "kubeconfig") return { words: `kubeconfig ${bootstrap.path}`, path: bootstrap.path };
  const token = bootstrap?.token ?? (discovery?.kind === "token" ? discovery.token : undefined);
  if (token !== undefined) {
    return { words: `bootstrap token ${token.id}`, user: { token: encodeToken(token) }, path };
  }
  if (user !== undefined) return { words: "the identity in the cluster's document", user, path };
  if (discovery === undefined) return leftBehind(options, path);
  throw new Fault(
    "bad-config",
    "the cluster is found, but there is nothing to ask with: give --token-file, --tls-bootstrap-token or --bootstrap-kubeconfig",
  );
}

/** A finished join keeps no token, so it cannot be resumed once its certificate is useless. */
function leftBehind({ directory }: JoinOptions, path: string): Credential {
  if (existsSync(path)) return { words: "what the earlier start left", path };
  throw new Fault("bad-config", `the join in ${directory} is over and its token is gone: give --token-file`, {
    detail: { todo: "countersign token create on a control-plane machine makes a live one" },
  });
}

/** On disk before the request is sent, so that an interrupted join can be resumed without its arguments. */
export async function openCredential(
  options: JoinOptions,
  cluster: FoundCluster,
  { user, path }: Credential,
): Promise<Connection> {
  const text = user === undefined ? undefined : bootstrapKubeconfig(cluster, user);
  // First, so that what cannot be read leaves no directory behind.
  const { credentials } = await loadKubeconfigConnection(path, { text, env: options.env });
  await ensureDirectory(options.directory, 0o700);
  await requirePrivate(options.directory);
  await keepWaysBack(options, cluster);
  if (text !== undefined) await atomicWriteFile(path, text, { mode: 0o600 });
  const { server, caPem, tlsServerName, proxyUrl } = cluster;
  return { server, caPem, tlsServerName, proxyUrl, credentials, env: options.env };
}

async function keepWaysBack({ directory, clock, signal }: JoinOptions, { discovered }: FoundCluster): Promise<void> {
  if (discovered === undefined) return;
  const cache = createDiscoveryCache(joinPlaces(directory).discoveryPath);
  await cache.locked(() => cache.save(discovered), { clock, signal });
}
