// The root certificates that are installed on this machine, where Go's programs and OpenSSL look for them. Node brings
// a list of its own, which is not the machine's: a company's own root is in the files here, and in the list of Node
// never.

import { join } from "node:path";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { nodeFileSystem } from "../files/index.ts";

/** The first that exists counts, as in Go's crypto/x509. */
const BUNDLES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/tls/cacert.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** A directory of roots holds some 150 files; one with far more is not one. */
const MAX_FILES = 2_000;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * PEM text. SSL_CERT_FILE and SSL_CERT_DIR replace the machine's places, as everywhere. Fault `bad-config` without any.
 */
export async function loadSystemRoots(env: Environment): Promise<string> {
  const file = env["SSL_CERT_FILE"];
  const directories = env["SSL_CERT_DIR"];
  const bundle = await firstOf(file ? [file] : directories ? [] : BUNDLES);
  const rest = directories ? await Promise.all(directories.split(":").map(loadDirectory)) : [];
  const pem = [bundle ?? "", ...rest].join("\n");
  if (!pem.includes("-----BEGIN CERTIFICATE-----")) {
    throw new Fault(
      "bad-config",
      "this machine has no root certificates: install the package ca-certificates, or set SSL_CERT_FILE",
    );
  }
  return pem;
}

async function firstOf(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const text = await loadIfPresent(path);
    if (text !== undefined) return text;
  }
  return undefined;
}

async function loadDirectory(directory: string): Promise<string> {
  const names = (await ifPresent(() => nodeFileSystem.list(directory))) ?? [];
  const files = names.filter((name) => /\.(pem|crt)$/.test(name)).sort();
  const texts = await Promise.all(files.slice(0, MAX_FILES).map((name) => loadIfPresent(join(directory, name))));
  return texts.join("\n");
}

async function loadIfPresent(path: string): Promise<string | undefined> {
  return (await ifPresent(() => nodeFileSystem.read(path)))?.toString("utf8");
}

async function ifPresent<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch (error) {
    if (isFault(error, "not-found")) return undefined;
    throw error;
  }
}
