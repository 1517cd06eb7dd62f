// Names and addresses in the one form in which they are compared (DNS in lower case without the final dot, IP in
// canonical text, an IPv4-mapped IPv6 address as IPv4), and the patterns and networks of a JoinPolicy that they match.

import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { compileRegexp, createMatchBudget, matches, type Program } from "../../kernel/regexp/index.ts";
import { formatIpAddress, parseIpAddress } from "../../kernel/x509/index.ts";
import { wrong } from "./schema.ts";

/** A pattern for a whole name. */
interface NamePattern {
  readonly text: string;
  readonly program: Program;
}

export interface IpPrefix {
  readonly text: string;
  readonly octets: Uint8Array;
  readonly bits: number;
}

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

export function parsePrefix(text: string, path: string): IpPrefix {
  const [address = "", length = "", ...rest] = text.split("/");
  const octets = parseIpAddress(address);
  if (octets === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length) || Number(length) > octets.length * 8) {
    throw wrong(path, text, "a network such as 10.0.0.0/16 or fd00::/8");
  }
  return { text, octets, bits: Number(length) };
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

/** Patterns are written by administrators; this keeps a mistake from costing seconds. */
export const PATTERN_MAX_CHARACTERS = 1_024;

/**
 * Always for the whole name. differs from upstream: kubelet-csr-approver searches its pattern anywhere in the name, and
 * a pattern without anchors lets `worker-1.evil.example` through.
 */
export function compileName(text: string, path: string): NamePattern {
  if (text.length > PATTERN_MAX_CHARACTERS) throw wrong(path, text, `at most ${PATTERN_MAX_CHARACTERS} characters`);
  try {
    return { text, program: compileRegexp(`^(?:${text})$`) };
  } catch (error) {
    if (!isFault(error)) throw error;
    throw new Fault("invalid", `${path} is not a pattern: ${error.message}`, { cause: error });
  }
}

export function matchesName(pattern: NamePattern, name: string): boolean {
  return matches(pattern.program, name, createMatchBudget());
}

/** Replaces placeholders in braces by texts that match literally. Braces with another name in them stay. */
export function fillTemplate(template: string, texts: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([a-z]+)\}/g, (whole, name: string) => {
    const text = texts[name];
    return text === undefined ? whole : text.replaceAll(/[^A-Za-z0-9]/g, (character) => `\\${character}`);
  });
}
