// Which proxy, if any, lies between this machine and an https address: that of a kubeconfig, or HTTPS_PROXY and
// NO_PROXY (or in lower case), read as Go's programs read them, so that what helps kubeadm and kubectl helps here.
// Pure.

import { BlockList, isIP } from "node:net";
import { Fault } from "../../kernel/outcome/index.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Undefined: directly. `named` is the proxy of a kubeconfig, which counts for every address. Fault `bad-config` for one
 * that cannot be used.
 */
export function proxyFor(target: URL, env: Environment, named?: string): URL | undefined {
  if (named) return parseProxyUrl(named);
  // The first that is not empty: an empty variable does not hide the other.
  const text = env["HTTPS_PROXY"] || env["https_proxy"] || "";
  if (text === "" || isLocal(hostOf(target)) || isExcepted(target, env["NO_PROXY"] || env["no_proxy"] || "")) {
    return undefined;
  }
  return parseProxy(text.includes("://") ? text : `http://${text}`, "HTTPS_PROXY");
}

/** The field of a kubeconfig; as in client-go it has a scheme. */
export function parseProxyUrl(text: string): URL {
  return parseProxy(text, "kubeconfig field proxy-url");
}

/** Go's rule: a proxy for a company's network is not meant for this machine. */
function isLocal(host: string): boolean {
  return host === "localhost" || isInRange("127.0.0.0/8", host) || isInRange("::1/128", host);
}

/** The message does not repeat the text: there may be a password in it. */
function parseProxy(text: string, where: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWhole = url !== undefined && url.hostname !== "" && [url.username, url.password].every(isUnescapable);
  if (!isWhole) throw new Fault("bad-config", `${where} is not the URL of a proxy`);
  if (url.protocol === "http:" || url.protocol === "https:") return url;
  throw new Fault("bad-config", `${where} names a proxy of kind ${url.protocol}, expected http or https`);
}

/** `%` and two hex digits of UTF-8, or a password that cannot be sent to the proxy. */
function isUnescapable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}

function isExcepted(target: URL, list: string): boolean {
  const host = hostOf(target);
  const port = target.port === "" ? "443" : target.port;
  return list
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== "" && covers(entry, host, port));
}

/**
 * `*`, `10.0.0.0/8`, `10.0.0.1`, `example.com` with everything below it, `.example.com` with only that; each may have a
 * port.
 */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isInRange(entry, host);
  const [name, wantedPort] = splitPort(entry);
  if (wantedPort !== undefined && wantedPort !== port) return false;
  if (isIP(name) !== 0) return isInRange(`${name}/${bitsOf(name)}`, host);
  if (isIP(host) !== 0) return false;
  const suffix = name.replace(/^\*?\./, "");
  return host.endsWith(`.${suffix}`) || (host === suffix && name === suffix);
}

function splitPort(entry: string): readonly [string, string | undefined] {
  const match = /^\[?([^[\]]*?)\]?:(\d{1,5})$/.exec(entry);
  // `::1` has colons and no port.
  if (match === null || (isIP(entry) !== 0 && !entry.startsWith("[")))
    return [entry.replace(/^\[|\]$/g, ""), undefined];
  return [match[1] ?? "", match[2]];
}

/**
 * By value, not by spelling: `0:0::1` is `::1`, `::ffff:10.0.0.1` is `10.0.0.1`, a zone is left out. What is no range
 * covers nothing, as in Go.
 */
function isInRange(range: string, host: string): boolean {
  const [address = "", bits = ""] = range.split("/");
  if (isIP(address) === 0 || isIP(host) === 0) return false;
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > bitsOf(address)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), familyOf(address));
  return list.check(host, familyOf(host));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

function bitsOf(address: string): number {
  return isIP(address) === 6 ? 128 : 32;
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "").toLowerCase();
}
