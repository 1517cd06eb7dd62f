// IP addresses between the octets of a certificate and canonical text: dotted quads, and RFC 5952 for IPv6.
import { Fault } from "../outcome/index.ts";

const IPV4_OCTETS = 4;
const IPV6_OCTETS = 16;

export function formatIpAddress(octets: Uint8Array): string {
  if (octets.length === IPV4_OCTETS) return octets.join(".");
  if (octets.length !== IPV6_OCTETS)
    throw new Fault("malformed", `IP address must have 4 or 16 octets, got ${octets.length}`);
  if (isIpv4Mapped(octets)) return `::ffff:${octets.subarray(12).join(".")}`;
  const groups = Array.from({ length: 8 }, (_, i) => ((octets[2 * i] ?? 0) << 8) | (octets[2 * i + 1] ?? 0));
  const gap = longestZeroRun(groups);
  const text = (part: readonly number[]) => part.map((group) => group.toString(16)).join(":");
  if (gap.length < 2) return text(groups);
  return `${text(groups.slice(0, gap.start))}::${text(groups.slice(gap.start + gap.length))}`;
}

function isIpv4Mapped(octets: Uint8Array): boolean {
  return octets.subarray(0, 10).every((octet) => octet === 0) && octets[10] === 0xff && octets[11] === 0xff;
}

function longestZeroRun(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (let i = 0; i <= groups.length; i++) {
    if (groups[i] === 0) continue;
    if (i - start > best.length) best = { start, length: i - start };
    start = i + 1;
  }
  return best;
}

/** The octets of an address in text, or undefined where the text is none. Leading zeros and zone names are none. */
export function parseIpAddress(text: string): Uint8Array | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): Uint8Array | undefined {
  if (!/^(?:\d{1,3}\.){3}\d{1,3}$/.test(text)) return undefined;
  const parts = text.split(".");
  const isCanonical = parts.every((part) => Number(part) <= 255 && String(Number(part)) === part);
  return isCanonical ? Uint8Array.from(parts, Number) : undefined;
}

function parseIpv6(text: string): Uint8Array | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const last = halves.length - 1;
  const [head, tail] = halves.map((half, index) => parseGroups(half, { mayEndInQuad: index === last }));
  if (head === undefined) return undefined;
  if (halves.length === 1) return head.length === IPV6_OCTETS ? Uint8Array.from(head) : undefined;
  if (tail === undefined || head.length + tail.length > IPV6_OCTETS - 2) return undefined;
  const octets = new Uint8Array(IPV6_OCTETS);
  octets.set(head);
  octets.set(tail, IPV6_OCTETS - tail.length);
  return octets;
}

/** Groups of up to four hexadecimal digits; the last of the address may be a dotted quad. */
function parseGroups(text: string, { mayEndInQuad }: { readonly mayEndInQuad: boolean }): number[] | undefined {
  if (text === "") return [];
  const octets: number[] = [];
  const groups = text.split(":");
  for (const [index, group] of groups.entries()) {
    const quad = mayEndInQuad && index === groups.length - 1 ? parseIpv4(group) : undefined;
    if (quad === undefined && !/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined;
    const value = Number.parseInt(group, 16);
    octets.push(...(quad ?? [value >> 8, value & 0xff]));
  }
  return octets;
}
