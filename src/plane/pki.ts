// The keys and certificates of an embedded control plane, made once and kept in its data directory:
//   pki/ca.{crt,key}          signs everything below and the nodes' certificates
//   pki/apiserver.{crt,key}   the serving pair
//   pki/sa.key                signs the tokens of service accounts
// Client certificates of the administrator and the controller are issued at each start, for at most a year.

import { join } from "node:path";
import { equalBytes } from "../kernel/bytes/index.ts";
import { Fault } from "../kernel/outcome/index.ts";
import { encodePem, parsePem } from "../kernel/pem/index.ts";
import {
  authorityKeyIdExtension,
  basicConstraintsExtension,
  type Certificate,
  computeKeyId,
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  type Extension,
  encodeName,
  extKeyUsageExtension,
  keyUsageExtension,
  parseCertificate,
  parsePublicKey,
  signCertificate,
  subjectAltNameExtension,
  subjectKeyIdExtension,
} from "../kernel/x509/index.ts";
import { atomicWriteFile, ensureDirectory, loadTextIfPresent } from "../platform/files/index.ts";
import { generatePrivateKey, type PrivateKey, parsePrivateKey, randomBytes } from "../platform/keys/index.ts";
import { SERVICE_ADDRESS } from "./service-objects.ts";

export interface Pair {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface Pki {
  readonly ca: Pair;
  readonly serving: Pair;
  readonly serviceAccountKeyPem: string;
  /** A client certificate of this cluster's CA, for the processes that come up with it. */
  issueClient(user: { readonly name: string; readonly groups: readonly string[] }): Pair;
}

interface PkiOptions {
  readonly directory: string;
  readonly nowMs: number;
  /** Names and addresses of the API server beside the fixed ones. */
  readonly hosts: readonly string[];
}

const DAY_MS = 86_400_000;
const CA_LIFETIME_MS = 3650 * DAY_MS;
const LEAF_LIFETIME_MS = 365 * DAY_MS;
/** A serving certificate with less than this left is made anew at start. */
const RENEW_BEFORE_MS = 30 * DAY_MS;
/** Clocks of joining machines may be a little behind ours. */
const BACKDATE_MS = 5 * 60_000;
/** 127 random bits and a set bit in front: always positive, always 16 octets. */
const SERIAL_BYTES = 16;

export async function loadOrCreatePki(options: PkiOptions): Promise<Pki> {
  await ensureDirectory(options.directory, 0o700);
  const ca =
    (await loadPair(options.directory, "ca")) ?? (await savePair(options.directory, "ca", createCa(options.nowMs)));
  if (!isPair(ca)) throw new Fault("bad-config", `ca.crt and ca.key in ${options.directory} do not belong together`);
  const authority = openAuthority(ca);
  const kept = await loadPair(options.directory, "apiserver");
  const serving =
    kept !== undefined && isPair(kept) && stillServes(kept, options)
      ? kept
      : await savePair(options.directory, "apiserver", createServing(authority, options));
  const serviceAccountKeyPem = await loadOrCreateKey(join(options.directory, "sa.key"));
  return {
    ca,
    serving,
    serviceAccountKeyPem,
    issueClient: (user) => createClient(authority, user, options.nowMs),
  };
}

interface Authority {
  readonly certificate: Certificate;
  readonly key: PrivateKey;
}

function openAuthority(pair: Pair): Authority {
  return { certificate: leafOf(pair), key: parsePrivateKey(pair.keyPem) };
}

function leafOf(pair: Pair): Certificate {
  const [block] = parsePem(pair.certPem);
  if (block?.label !== "CERTIFICATE")
    throw new Fault("malformed", "a certificate file of the control plane has no CERTIFICATE block");
  return parseCertificate(block.bytes);
}

function createCa(nowMs: number): Pair {
  const key = generatePrivateKey("P-256");
  const keyId = computeKeyId(parsePublicKey(key.signer.publicKey));
  const subject = encodeName({ commonName: "kubernetes", organizations: [] });
  const der = signCertificate(
    {
      serialNumber: serialNumber(),
      subject,
      issuer: subject,
      notBeforeMs: nowMs - BACKDATE_MS,
      notAfterMs: nowMs + CA_LIFETIME_MS,
      publicKey: key.signer.publicKey,
      extensions: [
        basicConstraintsExtension({ ca: true }),
        keyUsageExtension(["digitalSignature", "keyCertSign", "cRLSign"]),
        subjectKeyIdExtension(keyId),
        authorityKeyIdExtension(keyId),
      ],
    },
    key.signer,
  );
  return { certPem: encodePem("CERTIFICATE", der), keyPem: key.encodePem() };
}

function createServing(authority: Authority, options: PkiOptions): Pair {
  return createLeaf(authority, {
    subject: { commonName: "kube-apiserver", organizations: [] },
    nowMs: options.nowMs,
    extensions: [extKeyUsageExtension([EKU_SERVER_AUTH]), subjectAltNameExtension(servingNames(options.hosts))],
  });
}

/** Names of the API server for this machine and for pods. */
const FIXED_NAMES: readonly string[] = [
  "localhost",
  "127.0.0.1",
  "::1",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
  SERVICE_ADDRESS,
];

function servingNames(hosts: readonly string[]) {
  const all = [...new Set([...FIXED_NAMES, ...hosts])];
  const isAddress = (host: string) => host.includes(":") || /^[\d.]+$/.test(host);
  return { dnsNames: all.filter((host) => !isAddress(host)), ipAddresses: all.filter(isAddress), uris: [], emails: [] };
}

function stillServes(pair: Pair, options: PkiOptions): boolean {
  const { notAfterMs, subjectAltNames } = leafOf(pair);
  const wanted = servingNames(options.hosts);
  const has = new Set([...(subjectAltNames?.dnsNames ?? []), ...(subjectAltNames?.ipAddresses ?? [])]);
  return (
    notAfterMs - options.nowMs > RENEW_BEFORE_MS &&
    [...wanted.dnsNames, ...wanted.ipAddresses].every((name) => has.has(name))
  );
}

function createClient(authority: Authority, user: { name: string; groups: readonly string[] }, nowMs: number): Pair {
  return createLeaf(authority, {
    subject: { commonName: user.name, organizations: [...user.groups] },
    nowMs,
    extensions: [extKeyUsageExtension([EKU_CLIENT_AUTH])],
  });
}

interface Leaf {
  readonly subject: { readonly commonName: string; readonly organizations: readonly string[] };
  readonly nowMs: number;
  readonly extensions: readonly Extension[];
}

function createLeaf(authority: Authority, leaf: Leaf): Pair {
  const key = generatePrivateKey("P-256");
  const issuer = authority.certificate;
  const der = signCertificate(
    {
      serialNumber: serialNumber(),
      subject: leaf.subject,
      issuer: issuer.subject.raw,
      notBeforeMs: leaf.nowMs - BACKDATE_MS,
      notAfterMs: Math.min(leaf.nowMs + LEAF_LIFETIME_MS, issuer.notAfterMs),
      publicKey: key.signer.publicKey,
      extensions: [
        basicConstraintsExtension({ ca: false }),
        keyUsageExtension(["digitalSignature"]),
        ...leaf.extensions,
        authorityKeyIdExtension(issuer.subjectKeyId ?? computeKeyId(issuer.publicKey)),
      ],
    },
    authority.key.signer,
  );
  return { certPem: encodePem("CERTIFICATE", der), keyPem: key.encodePem() };
}

function serialNumber(): Uint8Array {
  const serial = randomBytes(SERIAL_BYTES);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return serial;
}

async function loadPair(directory: string, name: string): Promise<Pair | undefined> {
  const [certPem, keyPem] = await Promise.all([
    loadTextIfPresent(join(directory, `${name}.crt`)),
    loadTextIfPresent(join(directory, `${name}.key`)),
  ]);
  return certPem === undefined || keyPem === undefined ? undefined : { certPem, keyPem };
}

/** False after a crash between the two files of a renewal: the new key stands beside the old certificate. */
function isPair(pair: Pair): boolean {
  return equalBytes(leafOf(pair).publicKey.spki, parsePrivateKey(pair.keyPem).signer.publicKey);
}

/** Key first: after a crash between the two files they are no pair, and the next start replaces both. */
async function savePair(directory: string, name: string, pair: Pair): Promise<Pair> {
  await atomicWriteFile(join(directory, `${name}.key`), pair.keyPem, { mode: 0o600 });
  await atomicWriteFile(join(directory, `${name}.crt`), pair.certPem, { mode: 0o644 });
  return pair;
}

async function loadOrCreateKey(path: string): Promise<string> {
  const kept = await loadTextIfPresent(path);
  if (kept !== undefined) return kept;
  const keyPem = generatePrivateKey("P-256").encodePem();
  await atomicWriteFile(path, keyPem, { mode: 0o600 });
  return keyPem;
}
