// Names and addresses in the one form in which they are compared: DNS without case and without the dot at the end, IP in
// canonical text, with an IPv4 address that wears an IPv6 coat taken out of it. Pure.

import { createMatchBudget, matches } from "../../kernel/regexp/index.ts";
import { formatIpAddress, parseIpAddress } from "../../kernel/x509/index.ts";
import type { IpPrefix, NamePattern } from "./policy.ts";

export function canonicalDns(name: string): string {
  const lower = name.toLowerCase();
  return lower.endsWith(".") ? lower.slice(0, -1) : lower;
}

/** Undefined where the text is no address. */
export function canonicalIp(text: string): string | undefined {
  const octets = parseIpAddress(text);
  return octets === undefined ? undefined : formatIpAddress(withoutMapping(octets));
}

const MAPPED_PREFIX = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);

function withoutMapping(octets: Uint8Array): Uint8Array {
  const isMapped = octets.length === 16 && MAPPED_PREFIX.every((octet, index) => octets[index] === octet);
  return isMapped ? octets.subarray(MAPPED_PREFIX.length) : octets;
}

export function isInPrefix(ip: string, { octets: network, bits }: IpPrefix): boolean {
  const parsed = parseIpAddress(ip);
  const octets = parsed === undefined ? undefined : withoutMapping(parsed);
  if (octets === undefined || octets.length !== network.length) return false;
  return network.every((octet, index) => {
    const mask = (0xff << Math.max(0, 8 - Math.max(0, bits - index * 8))) & 0xff;
    return (octet & mask) === ((octets[index] ?? 0) & mask);
  });
}

export function matchesName(pattern: NamePattern, name: string): boolean {
  return matches(pattern.program, name, createMatchBudget());
}

/** A pattern with words in braces, each replaced by a text that stands for itself. */
export function fillTemplate(template: string, words: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([a-z]+)\}/g, (whole, word: string) => {
    const text = words[word];
    return text === undefined ? whole : text.replaceAll(/[^A-Za-z0-9]/g, (character) => `\\${character}`);
  });
}
