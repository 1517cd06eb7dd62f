// Does a certificate speak for this host or address? (RFC 9525.) Only subjectAltName counts; a common name is a user in
// Kubernetes, never a host.
import type { SubjectAltNames } from "./extensions/subject-alt-names.ts";
import { formatIpAddress, parseIpAddress } from "./ip-address.ts";
import { isHostName, isHostPattern } from "./text-names.ts";

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
