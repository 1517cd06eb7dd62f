// Find the cluster and prove that it is the one, with a token (seed 004; kubeadm's form, where the signature stands in
// the ConfigMap). The secret is never sent: it only checks what came back. Two readings: one from whoever answers, judged
// by the token's signature and the pins; one over TLS that the CA just found vouches for, which must be the same.

import type { BootstrapToken } from "../../api/bootstrap/index.ts";
import type { ConfigMap } from "../../api/core/index.ts";
import { CONFIG_MAPS } from "../../api/meta/index.ts";
import { type Deny, Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { anonymous, createKubeClient } from "../../platform/kube/index.ts";
import { parseEndpoint } from "./endpoint.ts";
import { type DiscoveredCluster, judgeClusterInfo, judgeSecondReading } from "./judge.ts";
import { parseCaPin } from "./pins.ts";

/** Boot order does not matter: node and control plane may start together. As kubeadm. */
export const DISCOVERY_LIMIT_MS = 300_000;
/** One reading; a server that needs longer is asked again. As kubeadm. */
const READ_TIMEOUT_MS = 10_000;
/** A token that was made this moment is signed within milliseconds, so the first looks come quickly. */
const FIRST_PAUSE_MS = 250;
/** As kubeadm: a control plane that is being installed takes minutes. */
const LONGEST_PAUSE_MS = 5_000;

export interface DiscoverOptions {
  /** Host, host:port, IPv6 address or https URL. */
  readonly endpoint: string;
  readonly token: BootstrapToken;
  readonly caPins?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly limitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A signed document was read; it is not trusted yet. */
  readonly onDiscovered?: ((server: string) => void) | undefined;
  /** Called before each pause, with what is awaited. */
  readonly onWaiting?: ((why: string) => void) | undefined;
}

type ClusterInfoData = Readonly<Record<string, string>>;

export async function discoverCluster(options: DiscoverOptions): Promise<DiscoveredCluster> {
  const server = parseEndpoint(options.endpoint);
  const caPins = (options.caPins ?? []).map(parseCaPin);
  const deadlineMs = options.clock.now() + (options.limitMs ?? DISCOVERY_LIMIT_MS);
  const found = await untilAnswered(options, deadlineMs, async () => {
    const data = await readClusterInfo({ server, insecureSkipVerify: true }, options.signal);
    const verdict = judgeClusterInfo({ data, token: options.token, caPins });
    if (verdict.kind === "Deny") throw untrusted(verdict);
    return verdict.kind === "Wait" ? { why: verdict.message } : { value: verdict.cluster };
  });
  options.onDiscovered?.(found.server);
  return untilAnswered(options, deadlineMs, async () => {
    const data = await readClusterInfo({ server, caPem: found.anchorsPem }, options.signal);
    const verdict = judgeSecondReading(found, data);
    if (verdict.kind === "Deny") throw untrusted(verdict);
    return { value: found };
  });
}

type Attempt<T> = { readonly value: T } | { readonly why: string };

async function untilAnswered<T>(
  { clock, signal, onWaiting }: DiscoverOptions,
  deadlineMs: number,
  attempt: () => Promise<Attempt<T>>,
): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const outcome = await orWhy(attempt);
    if ("value" in outcome) return outcome.value;
    if (clock.now() + pauseMs > deadlineMs) {
      throw new Fault("timeout", `the cluster was not found in time: ${outcome.why}`);
    }
    onWaiting?.(outcome.why);
    await clock.sleep(pauseMs, signal);
  }
}

/** A control plane that is just coming up refuses connections, lacks the ConfigMap, or has not bound its role yet. */
const NOT_UP_YET: ReadonlySet<string> = new Set([
  "forbidden",
  "not-found",
  "timeout",
  "too-many-requests",
  "unauthorized",
  "unavailable",
]);

async function orWhy<T>(attempt: () => Promise<Attempt<T>>): Promise<Attempt<T>> {
  try {
    return await attempt();
  } catch (error) {
    if (isFault(error) && NOT_UP_YET.has(error.code)) return { why: error.message };
    throw error;
  }
}

interface Trust {
  readonly server: string;
  readonly caPem?: string;
  readonly insecureSkipVerify?: boolean;
}

async function readClusterInfo(trust: Trust, signal: AbortSignal | undefined): Promise<ClusterInfoData> {
  // A new connection each time: the second reading must not ride on the first one's.
  const client = createKubeClient({ ...trust, credentials: anonymous });
  try {
    const target = { namespace: "kube-public", name: "cluster-info" };
    const map = await client.get<ConfigMap>(CONFIG_MAPS, target, { signal, timeoutMs: READ_TIMEOUT_MS });
    return stringsOf(map.data);
  } catch (error) {
    if (!isFault(error, "untrusted")) throw error;
    throw new Fault(
      "untrusted",
      `${trust.server} does not hold a certificate of the CA that its own document names (${error.message}): ` +
        "somebody relays the cluster's document, or the address is not in the server's certificate",
      { cause: error, detail: { check: "server-holds-a-certificate-of-the-ca" } },
    );
  } finally {
    await client.close();
  }
}

/** The answer of a stranger: only what is text is looked at. */
function stringsOf(data: unknown): ClusterInfoData {
  if (typeof data !== "object" || data === null) return {};
  return Object.fromEntries(Object.entries(data).filter(([, value]) => typeof value === "string"));
}

function untrusted({ rule, message }: Deny): Fault {
  return new Fault("untrusted", message, { detail: { check: rule } });
}
