// What approval may ask of the network: a kubelet's present serving certificate, and DNS. Whatever goes wrong on the
// way is "not read", with the reason: the request then waits, and is never refused for it.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import { CONTROL_PLANE_LABEL, type Node } from "../../api/core/index.ts";
import { canonicalIp } from "../../api/countersign/index.ts";
import { NODES } from "../../api/meta/index.ts";
import { Fault, isFault, type Seen } from "../../kernel/outcome/index.ts";
import { parseCertificate } from "../../kernel/x509/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { fetchServingCertificate, ownAddresses, resolveName } from "../../platform/dial/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { ApiServerNames, PresentNames } from "../judging/facts.ts";
import type { Network } from "../judging/look.ts";
import { createApiServerNames } from "./api-server-names.ts";
import { type KubeletTarget, type Neighbourhood, whyNotDialled } from "./kubelet-target.ts";

export { createApiServerNames } from "./api-server-names.ts";

interface NetworkOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** URL of the API server. */
  readonly server?: string | undefined;
  /** The CA that signed the serving certificate that this request is to renew. */
  readonly caPemFor: (csr: CertificateSigningRequest) => string;
  /** DNS servers as `address:port`; default: the machine's. */
  readonly dnsServers?: readonly string[] | undefined;
  /**
   * Why a kubelet is not dialled. Tests alone give another, for kubelets on loopback; no flag and no setting reaches
   * it.
   */
  readonly whyNot?: typeof whyNotDialled;
}

/** A kubelet of the same network answers in milliseconds; a request waits for this. */
const DIAL_TIMEOUT_MS = 5_000;
const DNS_TIMEOUT_MS = 2_000;

export function createNetwork(options: NetworkOptions): Network {
  const { client, clock, server, caPemFor, dnsServers, whyNot = whyNotDialled } = options;
  const apiServer = createApiServerNames({ client, clock, server });
  return {
    apiServer,
    presentNames: (csr, nodeName, signal) =>
      seen(async () => {
        const node = await client.get<Node>(NODES, { name: nodeName }, { signal });
        const reached = await apiServer(signal);
        if (reached.kind === "NotRead") return reached;
        const target = kubeletAddress(node);
        const why = whyNot(target, neighbourhoodOf(node, reached));
        if (why !== undefined) return { kind: "NotRead", why: describeRefusal(nodeName, why) };
        const der = await fetchServingCertificate(
          { ...target, caPem: caPemFor(csr), timeoutMs: DIAL_TIMEOUT_MS },
          signal,
        );
        return { kind: "Present", value: namesIn(der) };
      }),
    resolve: (name) =>
      seen(async () => {
        const answer = await resolveName(name, { timeoutMs: DNS_TIMEOUT_MS, servers: dnsServers });
        if (answer.kind === "Absent") return answer;
        return { kind: "Present", value: answer.addresses.flatMap((address) => canonicalIp(address) ?? []) };
      }),
  };
}

async function seen<T>(look: () => Promise<Seen<T>>): Promise<Seen<T>> {
  try {
    return await look();
  } catch (error) {
    if (!isFault(error)) throw error;
    return { kind: "NotRead", why: error.message };
  }
}

const KUBELET_PORT = 10_250;

function neighbourhoodOf({ metadata }: Node, reached: Seen<ApiServerNames>): Neighbourhood {
  return {
    apiServer: reached.kind === "Present" ? reached.value : { service: new Set(), hosts: new Set() },
    own: ownAddresses().flatMap((address) => canonicalIp(address) ?? []),
    isControlPlane: CONTROL_PLANE_LABEL in (metadata.labels ?? {}),
  };
}

function describeRefusal(nodeName: string, why: string): string {
  return `the kubelet of node ${nodeName} is not dialled: ${why}; correct the Node's InternalIP and kubelet port`;
}

function kubeletAddress({ metadata, status }: Node): KubeletTarget {
  const internal = status?.addresses?.find(({ type }) => type === "InternalIP")?.address;
  const host = internal === undefined ? undefined : canonicalIp(internal);
  if (host === undefined) throw new Fault("unavailable", `node ${metadata.name ?? ""} has no InternalIP to dial`);
  return { host, port: status?.daemonEndpoints?.kubeletEndpoint?.Port ?? KUBELET_PORT };
}

function namesIn(der: Uint8Array): PresentNames {
  const { subject, subjectAltNames } = parseCertificate(der);
  return {
    commonName: subject.commonName,
    dnsNames: subjectAltNames?.dnsNames ?? [],
    ipAddresses: subjectAltNames?.ipAddresses ?? [],
  };
}
