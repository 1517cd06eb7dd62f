// What approval may ask of the network: a kubelet's present serving certificate, and DNS. Whatever goes wrong on the way is "not
// read", with the reason: the request then waits, and is never refused for it.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import type { Node } from "../../api/core/index.ts";
import { canonicalIp } from "../../api/countersign/index.ts";
import { NODES } from "../../api/meta/index.ts";
import { Fault, isFault, type Seen } from "../../kernel/outcome/index.ts";
import { parseCertificate } from "../../kernel/x509/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { fetchServingCertificate, resolveName } from "../../platform/dial/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { Network, PresentNames } from "../approval/index.ts";
import { createApiServerNames } from "./api-server-names.ts";

export { createApiServerNames } from "./api-server-names.ts";

export interface NetworkOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** URL of the API server. */
  readonly server?: string | undefined;
  /** The CA that signed the serving certificate that this request is to renew. */
  readonly caPemFor: (csr: CertificateSigningRequest) => string;
  /** DNS servers as `address:port`; default: the machine's. */
  readonly dnsServers?: readonly string[] | undefined;
}

/** A kubelet of the same network answers in milliseconds; a request waits for this. */
const DIAL_TIMEOUT_MS = 5_000;
const DNS_TIMEOUT_MS = 2_000;

export function createNetwork({ client, clock, server, caPemFor, dnsServers }: NetworkOptions): Network {
  return {
    apiServer: createApiServerNames({ client, clock, server }),
    presentNames: (csr, nodeName, signal) =>
      seen(async () => {
        const node = await client.get<Node>(NODES, { name: nodeName }, { signal });
        const der = await fetchServingCertificate(
          { ...kubeletAddress(node), caPem: caPemFor(csr), timeoutMs: DIAL_TIMEOUT_MS },
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

function kubeletAddress({ metadata, status }: Node): { readonly host: string; readonly port: number } {
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
