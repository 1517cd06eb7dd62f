// ExecCredential: what client-go hands a credential plugin in KUBERNETES_EXEC_INFO and what it reads from its stdout.
// v1 and v1beta1 have the same fields; the answer must repeat the version that was asked.

import { Fault } from "../../kernel/outcome/index.ts";
import { EXEC_INFO_VARIABLE, EXEC_VERSIONS, type ExecCluster, type ExecVersion } from "./issued-credential.ts";

export {
  EXEC_INFO_VARIABLE,
  type ExecCluster,
  encodeExecInfo,
  type IssuedCredential,
  parseExecCredential,
  requireExecVersion,
} from "./issued-credential.ts";

/** client-go inlines the cluster's CA here, so the text can be some kilobytes; nothing honest comes near this. */
const EXEC_INFO_MAX_CHARACTERS = 1_048_576;

export interface ExecInfo {
  readonly apiVersion: ExecVersion;
  readonly interactive: boolean;
  readonly cluster?: ExecCluster;
}

interface ExecStatus {
  readonly clientCertificateData: string;
  readonly clientKeyData: string;
  readonly expirationTimestamp: string;
}

export function parseExecInfo(text: string): ExecInfo {
  if (text.length > EXEC_INFO_MAX_CHARACTERS) {
    throw new Fault("limit-exceeded", `${EXEC_INFO_VARIABLE} is longer than ${EXEC_INFO_MAX_CHARACTERS} characters`);
  }
  const value = parseObject(text);
  const apiVersion = EXEC_VERSIONS.find((version) => version === value["apiVersion"]);
  if (value["kind"] !== "ExecCredential" || apiVersion === undefined) {
    throw new Fault("unsupported", `${EXEC_INFO_VARIABLE} is not an ExecCredential of ${EXEC_VERSIONS.join(" or ")}`);
  }
  const spec = isRecord(value["spec"]) ? value["spec"] : {};
  const cluster = spec["cluster"];
  return {
    apiVersion,
    interactive: spec["interactive"] === true,
    ...(isCluster(cluster) ? { cluster } : {}),
  };
}

/** One JSON document, nothing else: a byte more on stdout and client-go refuses the credential. */
export function encodeExecCredential(apiVersion: ExecVersion, status: ExecStatus): string {
  return JSON.stringify({ kind: "ExecCredential", apiVersion, status });
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Fault("malformed", `${EXEC_INFO_VARIABLE} is not JSON`, { cause });
  }
  if (!isRecord(value)) throw new Fault("malformed", `${EXEC_INFO_VARIABLE} is not a JSON object`);
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCluster(value: unknown): value is ExecCluster {
  return isRecord(value) && typeof value["server"] === "string";
}
