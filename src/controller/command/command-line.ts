// The words of `node-attestation-controller`: its flags and its help.

import { parseArgs } from "node:util";
import { Fault } from "../../kernel/outcome/index.ts";
import { LOG_LEVELS, type LogLevel } from "../../platform/report/index.ts";

export interface CommandLine {
  /** Absent: the service account of the pod. */
  readonly kubeconfig: string | undefined;
  readonly caCert: string;
  readonly caKey: string;
  readonly allowInsecure: boolean;
  readonly lifetimeMs: number | undefined;
  readonly logLevel: LogLevel;
}

export const HELP = `node-attestation-controller: approves and signs the certificate requests of nodes

Run one of it: which key holds which node name is remembered in the process, and a second one would not know.

usage: node-attestation-controller --ca-cert FILE --ca-key FILE [options]

  --ca-cert FILE               the cluster's CA certificate, PEM, exactly one
  --ca-key FILE                its private key, PEM
  --kubeconfig FILE            how to reach the API server; without it, the service account of the pod
  --certificate-lifetime SPAN  the longest life of a certificate, at least 10m: 90m, 24h, 365d
                               (default: 365d)
  --allow-insecure             also serve cluster.x-k8s.io/kube-apiserver-client-kubelet-insecure,
                               whose requests prove nothing but the possession of a bootstrap token
  --log-level LEVEL            ${LOG_LEVELS.join(", ")} (default: info)
  --help                       this text

Logs go to standard error, one JSON object a line. Ends with 0 after SIGTERM or SIGINT.
`;

const FLAGS = {
  kubeconfig: { type: "string" },
  "ca-cert": { type: "string" },
  "ca-key": { type: "string" },
  "allow-insecure": { type: "boolean", default: false },
  "certificate-lifetime": { type: "string" },
  "log-level": { type: "string", default: "info" },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** `"help"` when that was asked for. Fault `bad-config` for everything that does not fit. */
export function parseCommandLine(args: readonly string[]): CommandLine | "help" {
  const values = parseFlags(args);
  if (values.help) return "help";
  const lifetime = values["certificate-lifetime"];
  return {
    kubeconfig: values.kubeconfig,
    caCert: required("--ca-cert", values["ca-cert"]),
    caKey: required("--ca-key", values["ca-key"]),
    allowInsecure: values["allow-insecure"],
    lifetimeMs: lifetime === undefined ? undefined : parseLifetime(lifetime),
    logLevel: parseLogLevel(values["log-level"]),
  };
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, strict: true, allowPositionals: false }).values;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "not understood";
    throw new Fault("bad-config", `command line: ${why}`, { cause });
  }
}

function required(flag: string, value: string | undefined): string {
  if (value === undefined || value === "") throw new Fault("bad-config", `${flag} is missing`);
  return value;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** No request may ask for less, so no signer should give less. */
const MIN_LIFETIME_MS = 600_000;

function parseLifetime(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (ms >= MIN_LIFETIME_MS) return ms;
  throw new Fault(
    "bad-config",
    `--certificate-lifetime is ${JSON.stringify(text)}, expected at least 10m, such as 24h`,
  );
}

function parseLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text);
  if (level === undefined) {
    throw new Fault("bad-config", `--log-level is ${JSON.stringify(text)}, expected one of ${LOG_LEVELS.join(", ")}`);
  }
  return level;
}
