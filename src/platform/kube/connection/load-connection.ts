// From a kubeconfig file, or from inside a pod, to a connection. Files named in a kubeconfig are relative to it; inline
// data wins over files; tokens and client certificates in files are read again when they are renewed.

import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { createSecureContext } from "node:tls";
import {
  type ExecUser,
  type KubeconfigCluster,
  type KubeconfigUser,
  parseKubeconfig,
  selectContext,
} from "../../../api/kubeconfig/index.ts";
import { encodeBase64, encodeUtf8, parseBase64, parseUtf8 } from "../../../kernel/bytes/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { type Clock, systemClock } from "../../clock/index.ts";
import { parseProxyUrl } from "../../dial/index.ts";
import { loadText } from "../../files/index.ts";
import { loadSystemRoots } from "../../http/index.ts";
import { SEALED_KEY_LABEL } from "../../pair/index.ts";
import { type Log, silentLog } from "../../report/index.ts";
import type { KubeClient } from "../client.ts";
import { createKubeClient } from "../create-client.ts";
import { anonymous, type Connection, type CredentialSource, type Credentials, createReloading } from "./credentials.ts";
import { createExecCredentials } from "./exec-user.ts";

export interface LoadOptions {
  /** What the file holds, for a caller that has just written it: another process may have taken it away since. */
  readonly text?: string | undefined;
  /** Left out: the current context. */
  readonly context?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
  /** Given to credential plugins, and looked at for a proxy. Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

export async function loadKubeconfigClient(path: string, options: LoadOptions = {}): Promise<KubeClient> {
  return createKubeClient(await loadKubeconfigConnection(path, options));
}

export interface LoadedConnection extends Connection {
  readonly caPem: string;
  /**
   * The kubeconfig names no CA: as with kubectl, the roots of this machine vouch for the server, and `caPem` holds
   * those.
   */
  readonly usesSystemRoots: boolean;
}

export async function loadKubeconfigConnection(path: string, options: LoadOptions = {}): Promise<LoadedConnection> {
  const config = parseKubeconfig(options.text ?? (await loadText(path)));
  const { cluster, user = {} } = selectContext(config, options.context);
  refuseUnsupported(cluster, user);
  const directory = dirname(resolve(path));
  const named = await loadCa(cluster, directory);
  return {
    server: cluster.server,
    caPem: named ?? (await loadSystemRoots(options.env ?? process.env)),
    usesSystemRoots: named === undefined,
    tlsServerName: cluster["tls-server-name"],
    proxyUrl: cluster["proxy-url"],
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(isPluginUser(user)
      ? runPluginOf(user.exec, { cluster, caPem: named, directory, options })
      : { credentials: createUserCredentials(user, directory, options) }),
  };
}

/** As client-go: a user with a token or a certificate does not ask a plugin. */
function isPluginUser(user: KubeconfigUser): user is KubeconfigUser & { readonly exec: ExecUser } {
  const hasOwn = [user.token, user.tokenFile, user["client-certificate"], user["client-certificate-data"]].some(
    Boolean,
  );
  return user.exec !== undefined && !hasOwn;
}

/** The name of the extension in which a cluster says something to the plugin of its users. */
const EXEC_EXTENSION = "client.authentication.k8s.io/exec";

interface PluginSurroundings {
  readonly cluster: KubeconfigCluster;
  readonly caPem: string | undefined;
  readonly directory: string;
  readonly options: LoadOptions;
}

function runPluginOf(user: ExecUser, { cluster, caPem, directory, options }: PluginSurroundings) {
  const { clock = systemClock, env = process.env } = options;
  const config = cluster.extensions?.find(({ name }) => name === EXEC_EXTENSION)?.extension;
  const { "tls-server-name": serverName, "proxy-url": proxyUrl } = cluster;
  return createExecCredentials(user, {
    ...{ clock, env, directory },
    cluster: {
      server: cluster.server,
      ...(serverName === undefined ? {} : { "tls-server-name": serverName }),
      ...(proxyUrl === undefined ? {} : { "proxy-url": proxyUrl }),
      ...(caPem === undefined ? {} : { "certificate-authority-data": encodeBase64(encodeUtf8(caPem)) }),
      ...(config === undefined ? {} : { config }),
    },
  });
}

/** By the kubeconfig that is named; without one, by the service account of the pod. */
export function loadConnection(kubeconfig: string | undefined, options: InClusterOptions): Promise<Connection> {
  return kubeconfig === undefined ? loadInClusterConnection(options) : loadKubeconfigConnection(kubeconfig, options);
}

/** Where Kubernetes mounts the service account of a pod. */
const SERVICE_ACCOUNT_DIRECTORY = "/var/run/secrets/kubernetes.io/serviceaccount";

interface InClusterOptions extends Omit<LoadOptions, "context"> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory?: string | undefined;
}

/** Fault `bad-config` outside of a pod. */
export async function loadInClusterConnection(options: InClusterOptions): Promise<Connection> {
  const { env, directory = SERVICE_ACCOUNT_DIRECTORY } = options;
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (!host || !port) {
    throw new Fault(
      "bad-config",
      "no kubeconfig is named, and this is no pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set",
    );
  }
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    caPem: await loadText(join(directory, "ca.crt")),
    env,
    credentials: createUserCredentials({ tokenFile: join(directory, "token") }, directory, options),
  };
}

function refuseUnsupported(cluster: KubeconfigCluster, user: KubeconfigUser): void {
  if (typeof cluster.server !== "string") throw new Fault("bad-config", "kubeconfig names no server for the cluster");
  if (cluster["insecure-skip-tls-verify"] === true) {
    throw new Fault("bad-config", "kubeconfig says insecure-skip-tls-verify; give certificate-authority-data instead");
  }
  if (cluster["proxy-url"]) parseProxyUrl(cluster["proxy-url"]);
  if (user.username)
    throw new Fault("unsupported", "kubeconfig user has a password; Kubernetes ended basic authentication");
}

async function loadCa(cluster: KubeconfigCluster, directory: string): Promise<string | undefined> {
  const inline = cluster["certificate-authority-data"];
  if (inline) return decode("certificate-authority-data", inline);
  const file = cluster["certificate-authority"];
  return file ? loadText(resolve(directory, file)) : undefined;
}

function createUserCredentials(user: KubeconfigUser, directory: string, options: LoadOptions): CredentialSource {
  const { clock = systemClock, log = silentLog } = options;
  const token = tokenSource(user, directory);
  const pair = pairSource(user, directory);
  if (token === undefined && pair === undefined) return anonymous;
  return createReloading("kubeconfig user", async () => ({ ...(await token?.()), ...(await pair?.()) }), {
    clock,
    log,
  });
}

/** As kubectl: a token file wins over the token, which may be what the file held long ago. */
function tokenSource(user: KubeconfigUser, directory: string): (() => Promise<Credentials>) | undefined {
  const { token, tokenFile } = user;
  if (tokenFile) return async () => ({ token: (await loadText(resolve(directory, tokenFile))).trim() });
  return token ? async () => ({ token }) : undefined;
}

function pairSource(user: KubeconfigUser, directory: string): (() => Promise<Credentials>) | undefined {
  const certificate = textSource(user, "client-certificate", directory);
  const key = textSource(user, "client-key", directory);
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) {
    throw new Fault("bad-config", "kubeconfig user has a client certificate or a client key, but not both");
  }
  return async () => {
    const [certPem, keyPem] = await Promise.all([certificate(), key()]);
    requirePair(certPem, keyPem);
    return { certPem, keyPem };
  };
}

function textSource(user: KubeconfigUser, field: "client-certificate" | "client-key", directory: string) {
  const inline = user[`${field}-data`];
  if (inline) {
    const text = decode(`${field}-data`, inline);
    return async () => text;
  }
  const file = user[field];
  return file ? () => loadText(resolve(directory, file)) : undefined;
}

/** Two files are never replaced in one step: read in between, they do not match, and the next reading will tell. */
function requirePair(cert: string, key: string): void {
  if (key.includes(`BEGIN ${SEALED_KEY_LABEL}`)) {
    const todo = "use the kubeconfig that calls kubelet-authenticator-tpm: kubelet-exec.kubeconfig beside it";
    throw new Fault("bad-config", "client key is sealed by this machine's TPM, and nobody reads it but the plugin", {
      detail: { todo },
    });
  }
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw new Fault("bad-config", "client certificate and client key are unreadable or do not belong together", {
      cause,
    });
  }
}

function decode(field: string, text: string): string {
  try {
    return parseUtf8(parseBase64(text.replace(/\s/g, "")));
  } catch (cause) {
    throw new Fault("malformed", `kubeconfig field ${field} is not base64 of a text`, { cause });
  }
}
