// The formats a schema may ask of a string. A format that is not here restricts nothing, as in Kubernetes.
// k8s.io/kube-openapi/pkg/validation/strfmt; differs from upstream: isbn, creditcard, ssn, bsonobjectid and rgbcolor
// are accepted unchecked.

import { dnsLabel, dnsSubdomain } from "../../names.ts";

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.|$)){4}$/;
const HOSTNAME =
  /^(?=.{1,255}$)[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*\.?$/;
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:?\d\d)?$/;
const DURATION =
  /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))*$|^[+-]?0$/;
/** "3 days", "1 hour": also accepted. */
const SPOKEN_DURATION =
  /^\d+\s*(?:ns|nanos?|nanoseconds?|us|µs|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?)$/;
const MAC = /^[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2}(?:\1[0-9A-Fa-f]{2}){4}(?:\1[0-9A-Fa-f]{2}){0,2})$/;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  datetime: (text) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  duration: (text) => DURATION.test(text) || SPOKEN_DURATION.test(text),
  byte: (text) => BASE64.test(text),
  uri: isUri,
  email: (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text),
  hostname: (text) => HOSTNAME.test(text),
  ipv4: (text) => IPV4.test(text),
  ipv6: (text) => isIpv6(text),
  cidr: isCidr,
  mac: (text) => MAC.test(text),
  uuid: (text) => UUID.test(text),
  uuid3: (text) => UUID.test(text) && text.replaceAll("-", "").charAt(12) === "3",
  uuid4: (text) => UUID.test(text) && /^.{12}4.{3}[89ab]/i.test(text.replaceAll("-", "")),
  uuid5: (text) => UUID.test(text) && /^.{12}5.{3}[89ab]/i.test(text.replaceAll("-", "")),
  hexcolor: (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  "k8s-short-name": (text) => dnsLabel(text).length === 0,
  "k8s-long-name": (text) => dnsSubdomain(text).length === 0,
  password: () => true,
};
const UNCHECKED: readonly string[] = ["isbn", "isbn10", "isbn13", "creditcard", "ssn", "bsonobjectid", "rgbcolor"];
const NUMBER_FORMATS: readonly string[] = ["int32", "int64", "float", "double"];

/** `date-time` and `datetime` are one format; names of Kubernetes' own keep their dashes. */
function normalised(format: string): string {
  return Object.hasOwn(FORMATS, format) ? format : format.replaceAll("-", "");
}

export function isKnownFormat(format: string): boolean {
  const name = normalised(format);
  return Object.hasOwn(FORMATS, name) || UNCHECKED.includes(name) || NUMBER_FORMATS.includes(format);
}

export function fitsFormat(text: string, format: string): boolean {
  const name = normalised(format);
  return !Object.hasOwn(FORMATS, name) || FORMATS[name]?.(text) !== false;
}

/** Go's url.ParseRequestURI: an absolute URI or an absolute path. */
function isUri(text: string): boolean {
  return !/\s/.test(text) && (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) || text.startsWith("/"));
}

function isIpv6(text: string): boolean {
  const [head = "", tail, more] = text.split("::");
  if (more !== undefined) return false;
  const groups = [...partsOf(head), ...partsOf(tail ?? "")];
  const width = groups.reduce((sum, group) => sum + (group.includes(".") ? 2 : 1), 0);
  const isWhole = tail === undefined ? width === 8 : width < 8;
  return isWhole && groups.every((group, at) => isGroup(group, at === groups.length - 1));
}

function partsOf(text: string): readonly string[] {
  return text === "" ? [] : text.split(":");
}

function isGroup(group: string, isLast: boolean): boolean {
  return /^[0-9A-Fa-f]{1,4}$/.test(group) || (isLast && IPV4.test(group));
}

function isCidr(text: string): boolean {
  const [address = "", bits = "", more] = text.split("/");
  if (more !== undefined || !/^(?:0|[1-9]\d{0,2})$/.test(bits)) return false;
  return (IPV4.test(address) && Number(bits) <= 32) || (isIpv6(address) && Number(bits) <= 128);
}
