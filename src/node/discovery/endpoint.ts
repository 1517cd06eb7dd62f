// The address of a cluster as it is typed: a bare host, host:port, an IPv6 address or an https URL. One canonical form
// comes out: https://host:port without a trailing slash.

import { isToken } from "../../api/bootstrap/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";

/** kubeadm's default. */
const DEFAULT_PORT = 6443;
/** A host name has at most 253 characters; the rest is scheme, brackets and port. */
const ENDPOINT_MAX_CHARACTERS = 300;

/** More members than a control plane has. */
const MAX_ENDPOINTS = 16;

/** One address, or several with commas between them; each once, in the order given. */
export function parseEndpoints(text: string): readonly string[] {
  const parts = text.split(",", MAX_ENDPOINTS + 1);
  if (parts.length > MAX_ENDPOINTS) throw new Fault("limit-exceeded", `more than ${MAX_ENDPOINTS} endpoints`);
  return [...new Set(parts.map((part) => parseEndpoint(part.trim())))];
}

export function parseEndpoint(text: string): string {
  if (text.length > ENDPOINT_MAX_CHARACTERS) {
    throw new Fault("limit-exceeded", `endpoint is longer than ${ENDPOINT_MAX_CHARACTERS} characters`);
  }
  // Arguments in the wrong order must not put the secret into a DNS query.
  if (isToken(text)) throw new Fault("bad-config", "endpoint is a bootstrap token, expected an address");
  const address = text.includes("://") ? text : `https://${bracketIpv6(text)}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.hostname === "") {
    throw new Fault("bad-config", "endpoint is not a host, host:port or https URL");
  }
  if (url.protocol !== "https:") {
    throw new Fault("bad-config", `endpoint ${url.host} is not https: a node certificate needs TLS`);
  }
  if (url.username !== "" || url.password !== "" || url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw new Fault("bad-config", `endpoint ${url.host} carries more than a host and a port`);
  }
  return `https://${url.hostname}:${portOf(url, address === text, address)}`;
}

/** A URL without a port means 443, as in every browser; a bare host means an API server's own port. */
function portOf(url: URL, wasUrl: boolean, address: string): number {
  if (url.port !== "") return Number(url.port);
  // The URL parser drops the port 443 of an https address, so a typed `host:443` is seen in the text only.
  return wasUrl || address.endsWith(":443") ? 443 : DEFAULT_PORT;
}

/** `::1` is an address; `[::1]:6443` already has its brackets; `host:6443` has one colon. */
function bracketIpv6(text: string): string {
  return !text.startsWith("[") && text.split(":").length > 2 ? `[${text}]` : text;
}
