// The syntax of names that are text: hosts (RFC 1123 §2.1) and mailboxes. One strict reading for SANs, constraints and
// peers: whatever has two readings has none here.

import type { SubjectAltNames } from "./extensions/subject-alt-names.ts";
import { formatIpAddress, parseIpAddress } from "./ip-address.ts";

/** RFC 1035 §2.3.4, without the final dot. */
const MAX_HOST_LENGTH = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
/** The "atom" characters of RFC 5322 with dots. Quoted local parts exist in the grammar only. */
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}$/i;

/** Labels of letters, digits and inner hyphens; no final dot, no wildcard. */
export function isHostName(text: string): boolean {
  return text.length <= MAX_HOST_LENGTH && text.split(".").every((label) => LABEL.test(label));
}

/** A host name, or `*.` before one: the only wildcard there is (RFC 9525 §6.3). */
export function isHostPattern(text: string): boolean {
  return isHostName(text.startsWith("*.") ? text.slice(2) : text);
}

interface Mailbox {
  readonly local: string;
  readonly host: string;
}

export function parseMailbox(text: string): Mailbox | undefined {
  const parts = text.split("@");
  const [local, host] = parts;
  if (parts.length !== 2 || local === undefined || host === undefined) return undefined;
  return LOCAL_PART.test(local) && isHostName(host) ? { local, host: host.toLowerCase() } : undefined;
}

export function isMailbox(text: string): boolean {
  return parseMailbox(text) !== undefined;
}

/**
 * Scheme, then perhaps user information, then a host that ends where RFC 3986 §3.2 says: characters outside it end
 * nothing.
 */
const URI_WITH_HOST = /^[a-z][a-z0-9+.-]*:\/\/(?:[\w.~!$&'()*+,;=:%-]*@)?([a-z0-9.-]+)(?::\d*)?(?:[/?#]|$)/i;

/** The host of a URI, in lower case, or undefined: no authority, or a host that is an address. */
export function uriHost(uri: string): string | undefined {
  const host = URI_WITH_HOST.exec(uri)?.[1];
  if (host === undefined || !isHostName(host) || /^[\d.]+$/.test(host)) return undefined;
  return host.toLowerCase();
}

// Does a certificate speak for this host or address? (RFC 9525.) Only subjectAltName counts; a common name is a user in
// Kubernetes, never a host.

export function matchesDnsName(names: SubjectAltNames | undefined, dnsName: string): boolean {
  const host = (dnsName.endsWith(".") ? dnsName.slice(0, -1) : dnsName).toLowerCase();
  if (!isHostName(host) || parseIpAddress(host) !== undefined) return false;
  return (names?.dnsNames ?? []).some((pattern) => matchesPattern(pattern.toLowerCase(), host));
}

function matchesPattern(pattern: string, host: string): boolean {
  if (!isHostPattern(pattern)) return false;
  if (!pattern.startsWith("*.")) return pattern === host;
  const firstDot = host.indexOf(".");
  return firstDot > 0 && host.slice(firstDot) === pattern.slice(1);
}

export function matchesIpAddress(names: SubjectAltNames | undefined, ipAddress: string): boolean {
  const octets = parseIpAddress(ipAddress);
  if (octets === undefined) return false;
  return (names?.ipAddresses ?? []).includes(formatIpAddress(octets));
}
