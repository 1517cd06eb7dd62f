// The flags of `up` that say how the API server behaves, and what they mean to it. Names are those of kube-apiserver
// where it has them; defaults are as safe as there.

import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { type AuditRotation, openAuditLog, parsePolicy } from "../../../apiserver/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { ServerChoices } from "../../../plane/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import { dialableAddress } from "../../../platform/http/index.ts";
import type { Log } from "../../../platform/report/index.ts";
import type { CommandOption, OptionValues } from "../../command.ts";
import { countOption, durationOption, listOption, requiredText, textOption } from "../../options.ts";

export const SERVER_OPTIONS: readonly CommandOption[] = [
  {
    flags: "--client-ca-file <file...>",
    description: "more CAs whose client certificates are believed; read again when they change",
  },
  { flags: "--token-auth-file <file>", description: 'static tokens, a line each: token,user,uid[,"group1,group2"]' },
  {
    flags: "--service-account-issuer <url>",
    description: "issuer of service account tokens",
    default: "https://kubernetes.default.svc.cluster.local",
  },
  {
    flags: "--anonymous-path <path...>",
    description: "paths that need no credential; without it RBAC alone decides, `none` allows none",
  },
  { flags: "--audit-log <file>", description: "write who did what to this file, a JSON line each" },
  {
    flags: "--audit-policy <file>",
    description: "a Policy of audit.k8s.io/v1 (default: everything at level Metadata)",
  },
  {
    flags: "--audit-log-maxsize <megabytes>",
    description: "size at which the audit log is put aside",
    default: "100",
  },
  {
    flags: "--audit-log-maxbackup <n>",
    description: "old audit logs that are kept, 0 for any number",
    default: "10",
  },
  {
    flags: "--audit-log-maxage <days>",
    description: "age at which old audit logs are removed, 0 for never",
    default: "30",
  },
  {
    flags: "--kubelet-config <file>",
    description: "a KubeletConfiguration whose fields joining kubelets get beside the usual ones",
  },
  {
    flags: "--advertise-address <ip>",
    description:
      "where others reach the API server: endpoints of Service kubernetes (default: --host, unless it is loopback)",
  },
  {
    flags: "--max-connections-per-address <n>",
    description: "open connections of one address, or of one IPv6 network of 64 bits",
    default: "4096",
  },
  { flags: "--max-requests-inflight <n>", description: "reading requests at once", default: "400" },
  { flags: "--max-mutating-requests-inflight <n>", description: "writing requests at once", default: "200" },
  { flags: "--max-watches <n>", description: "open watches at once", default: "10000" },
  { flags: "--max-watches-per-user <n>", description: "open watches of one user at once", default: "4000" },
  { flags: "--request-timeout <duration>", description: "longest run of a request that is no watch", default: "60s" },
  { flags: "--shutdown-delay <duration>", description: "how long /readyz fails before connections end", default: "0s" },
];

interface World {
  readonly clock: Clock;
  readonly log: Log;
}

/** Fault `bad-config` for a file that cannot be read or parsed, before anything is started. */
export async function readServerChoices(values: OptionValues, world: World): Promise<ServerChoices> {
  const tokenFile = await readOptional(textOption(values, "tokenAuthFile"));
  const paths = listOption(values, "anonymousPath");
  const limits = {
    readOnly: countOption(values, "maxRequestsInflight"),
    mutating: countOption(values, "maxMutatingRequestsInflight"),
    timeoutMs: durationOption(values, "requestTimeout"),
    watches: countOption(values, "maxWatches"),
    watchesPerUser: countOption(values, "maxWatchesPerUser"),
  };
  const { audit, auditLog } = await openAudit(values, world);
  const advertiseAddress = readAddress(textOption(values, "advertiseAddress"));
  return {
    clientCaBundles: await readAll(listOption(values, "clientCaFile")),
    issuer: requiredText(values, "serviceAccountIssuer"),
    auditLog,
    kubelet: await readKubeletConfig(textOption(values, "kubeletConfig")),
    options: {
      ...(tokenFile === undefined ? {} : { tokenFile }),
      ...(paths.length === 0 ? {} : { anonymousPaths: paths.filter((path) => path !== "none") }),
      ...(audit === undefined ? {} : { audit }),
      limits,
      ...(advertiseAddress === undefined ? {} : { advertiseAddress }),
      connectionsPerAddress: countOption(values, "maxConnectionsPerAddress"),
      shutdownDelayMs: durationOption(values, "shutdownDelay"),
    },
  };
}

function readAddress(text: string | undefined): string | undefined {
  if (text === undefined || dialableAddress(text) === text) return text;
  throw new Fault(
    "bad-config",
    `--advertise-address is ${JSON.stringify(text)}, expected an address that others can reach`,
  );
}

async function openAudit(values: OptionValues, { clock, log }: World) {
  const path = textOption(values, "auditLog");
  const policyText = await readOptional(textOption(values, "auditPolicy"));
  if (path === undefined) {
    if (policyText !== undefined) throw new Fault("bad-config", "--audit-policy needs --audit-log");
    return { audit: undefined, auditLog: undefined };
  }
  const policy = policyText === undefined ? {} : { policy: parsePolicy(parseYaml(policyText, "the audit policy")) };
  const onTrouble = (lines: number, cause: unknown) =>
    log.error(lines === 0 ? "the audit log was not put aside" : "audit lines were lost", { lines, error: cause });
  const auditLog = await openAuditLog({ path, clock, rotation: rotationOf(values), onTrouble });
  return { audit: { ...policy, write: auditLog.write }, auditLog };
}

function rotationOf(values: OptionValues): AuditRotation {
  return {
    maxBytes: countOption(values, "auditLogMaxsize") * 1024 * 1024,
    maxBackups: countOption(values, "auditLogMaxbackup", { least: 0 }),
    maxAgeMs: countOption(values, "auditLogMaxage", { least: 0 }) * 24 * 3_600_000,
  };
}

async function readKubeletConfig(path: string | undefined): Promise<ServerChoices["kubelet"]> {
  if (path === undefined) return undefined;
  const value = parseYaml(await readText(path), "the kubelet configuration");
  const { kind = "KubeletConfiguration" } = (value ?? {}) as { kind?: unknown };
  if (typeof value !== "object" || value === null || Array.isArray(value) || kind !== "KubeletConfiguration") {
    throw new Fault("bad-config", "--kubelet-config must hold a KubeletConfiguration");
  }
  return value as Readonly<Record<string, unknown>>;
}

function parseYaml(text: string, what: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 });
  } catch (cause) {
    throw new Fault("bad-config", `${what} is not YAML`, { cause });
  }
}

async function readOptional(path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : await readText(path);
}

async function readAll(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const entries = await Promise.all(paths.map(async (path) => [path, await readText(path)] as const));
  return new Map(entries);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new Fault("bad-config", `cannot read ${path}`, { cause });
  }
}
