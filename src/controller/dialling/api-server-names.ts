// Under which names and addresses the API server is reached: what its Service and its endpoints say, and the host that
// we talk to ourselves. Read when a serving request comes, and remembered for a minute: it changes when a control plane
// does.

import type { EndpointSlice, Service } from "../../api/core/index.ts";
import { canonicalDns, canonicalIp } from "../../api/countersign/index.ts";
import { ENDPOINT_SLICES, type KubeObject, type Resource, SERVICES } from "../../api/meta/index.ts";
import { isFault, type Seen } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { ApiServerNames } from "../judging/facts.ts";

interface ApiServerOptions {
  readonly client: Pick<KubeClient, "get">;
  readonly clock: Pick<Clock, "now">;
  /** URL under which the controller reaches it. */
  readonly server?: string | undefined;
}

const REMEMBERED_MS = 60_000;
/** The API server keeps both under this name in every cluster. */
const WHERE = { namespace: "default", name: "kubernetes" } as const;

export function createApiServerNames({
  client,
  clock,
  server,
}: ApiServerOptions): (signal: AbortSignal) => Promise<Seen<ApiServerNames>> {
  let known: { readonly value: ApiServerNames; readonly untilMs: number } | undefined;
  return async (signal) => {
    if (known !== undefined && clock.now() < known.untilMs) return { kind: "Present", value: known.value };
    try {
      const [service, slice] = await Promise.all([
        getIfThere<Service>(client, SERVICES, signal),
        getIfThere<EndpointSlice>(client, ENDPOINT_SLICES, signal),
      ]);
      const value = { service: namesOfService(service), hosts: hostsOf(slice, server) };
      known = { value, untilMs: clock.now() + REMEMBERED_MS };
      return { kind: "Present", value };
    } catch (error) {
      if (!isFault(error)) throw error;
      return { kind: "NotRead", why: `the addresses of the API server cannot be read: ${error.message}` };
    }
  };
}

async function getIfThere<T extends KubeObject>(
  client: Pick<KubeClient, "get">,
  resource: Resource,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await client.get<T>(resource, WHERE, { signal });
  } catch (error) {
    if (isFault(error, "not-found")) return undefined;
    throw error;
  }
}

function namesOfService(service: Service | undefined): ReadonlySet<string> {
  const { clusterIP, clusterIPs = [], externalIPs = [] } = service?.spec ?? {};
  return canonical([...(clusterIP === undefined ? [] : [clusterIP]), ...clusterIPs, ...externalIPs]);
}

function hostsOf(slice: EndpointSlice | undefined, server: string | undefined): ReadonlySet<string> {
  const addresses = (slice?.endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []);
  const own = server !== undefined && URL.canParse(server) ? [new URL(server).hostname.replace(/^\[|\]$/g, "")] : [];
  return canonical([...addresses, ...own]);
}

function canonical(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => canonicalIp(name) ?? canonicalDns(name)));
}
