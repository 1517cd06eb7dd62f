// The other side of ExecCredential: the question that a client puts to a plugin, and the answer it reads. The checks
// and their order are client-go's.

import { Fault } from "../../kernel/outcome/index.ts";

// Names that both sides of an ExecCredential share.

export const EXEC_INFO_VARIABLE = "KUBERNETES_EXEC_INFO";

export const EXEC_VERSIONS = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"] as const;
export type ExecVersion = (typeof EXEC_VERSIONS)[number];

export interface ExecCluster {
  readonly server: string;
  readonly "certificate-authority-data"?: string;
  readonly "tls-server-name"?: string;
  readonly "proxy-url"?: string;
  readonly config?: unknown;
}

export interface IssuedCredential {
  readonly token: string | undefined;
  readonly certPem: string | undefined;
  readonly keyPem: string | undefined;
  /** Infinite where the plugin names no end. */
  readonly expiresMs: number;
}

export function requireExecVersion(apiVersion: string): ExecVersion {
  const version = EXEC_VERSIONS.find((known) => known === apiVersion);
  if (version === undefined)
    throw new Fault("bad-config", `exec plugin: invalid apiVersion ${JSON.stringify(apiVersion)}`);
  return version;
}

/** Never interactive: we have no terminal to offer. */
export function encodeExecInfo(apiVersion: ExecVersion, cluster?: ExecCluster): string {
  const spec = { interactive: false, ...(cluster === undefined ? {} : { cluster: { config: null, ...cluster } }) };
  return `${JSON.stringify({ kind: "ExecCredential", apiVersion, spec })}\n`;
}

export function parseExecCredential(text: string, expected: ExecVersion): IssuedCredential {
  const { kind, apiVersion, status } = parseObject(text);
  if (kind !== "ExecCredential") throw new Fault("malformed", "decoding stdout: it is not an ExecCredential");
  if (apiVersion !== expected) {
    const returned = JSON.stringify(apiVersion ?? "none");
    throw new Fault(
      "malformed",
      `exec plugin is configured to use API version ${expected}, plugin returned version ${returned}`,
    );
  }
  if (typeof status !== "object" || status === null) {
    throw new Fault("malformed", "exec plugin didn't return a status field");
  }
  return readStatus(status as Readonly<Record<string, unknown>>);
}

function readStatus(status: Readonly<Record<string, unknown>>): IssuedCredential {
  const [token, certPem, keyPem, end] = ["token", "clientCertificateData", "clientKeyData", "expirationTimestamp"].map(
    (field) => textOf(status[field]),
  );
  if (token === undefined && certPem === undefined && keyPem === undefined) {
    throw new Fault("malformed", "exec plugin didn't return a token or cert/key pair");
  }
  if ((certPem === undefined) !== (keyPem === undefined)) {
    throw new Fault("malformed", "exec plugin returned only certificate or key, not both");
  }
  const expiresMs = end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end);
  if (Number.isNaN(expiresMs)) throw new Fault("malformed", "decoding stdout: expirationTimestamp is not a time");
  return { token, certPem, keyPem, expiresMs };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw new Fault("malformed", "decoding stdout: it is not JSON", { cause });
  }
  throw new Fault("malformed", "decoding stdout: it is not an object");
}
