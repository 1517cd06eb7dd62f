// Whether the controller may dial the address and port that a Node says its kubelet has. A Node's status is its
// kubelet's own word: without this a compromised node would choose what the controller connects to. Pure.

import { type IpPrefix, isInPrefix } from "../../api/countersign/index.ts";
import { parseIpAddress } from "../../kernel/x509/index.ts";
import type { ApiServerNames } from "../judging/facts.ts";

export interface KubeletTarget {
  /** An IP address in canonical text. */
  readonly host: string;
  readonly port: number;
}

export interface Neighbourhood {
  readonly apiServer: ApiServerNames;
  /** Of the machine or pod that the controller runs on, in canonical text. */
  readonly own: readonly string[];
  /** The Node has the label of the control plane, which NodeRestriction keeps every kubelet from setting. */
  readonly isControlPlane: boolean;
}

/** A kubelet's own ports: 10250, and what stands before kube-proxy's 10256 for machines that run several. */
const PORTS = { first: 10_250, last: 10_255 } as const;

const UNFIT: readonly (readonly [string, readonly string[]])[] = [
  ["a loopback address", ["127.0.0.0/8", "::1/128"]],
  ["a link-local address", ["169.254.0.0/16", "fe80::/10"]],
  ["no address of a machine", ["0.0.0.0/8", "224.0.0.0/3", "::/96", "ff00::/8"]],
];

/** Why it is not dialled; undefined: it may be. */
export function whyNotDialled({ host, port }: KubeletTarget, near: Neighbourhood): string | undefined {
  if (!(port >= PORTS.first && port <= PORTS.last))
    return `port ${port} is none of a kubelet's, ${PORTS.first} to ${PORTS.last}`;
  const unfit = UNFIT.find(([, networks]) => networks.some((network) => isInPrefix(host, prefixOf(network))));
  if (unfit !== undefined) return `${host} is ${unfit[0]}`;
  if (near.apiServer.service.has(host)) return `${host} is the API server's Service`;
  // On a machine of the control plane stand a kubelet, an API server, and often this controller.
  if (near.isControlPlane) return undefined;
  if (near.apiServer.hosts.has(host)) return `${host} is the API server's, and the Node is none of the control plane`;
  return near.own.includes(host)
    ? `${host} is the controller's own, and the Node is none of the control plane`
    : undefined;
}

function prefixOf(text: string): IpPrefix {
  const [address = "", bits] = text.split("/");
  return { text, octets: parseIpAddress(address) ?? new Uint8Array(), bits: Number(bits) };
}
