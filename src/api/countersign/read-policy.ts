// JoinPolicy → Policy: checks and defaults. Fault `invalid` names the field. A default is the careful choice: evidence for
// clients, the Machine's addresses for servers, two hours to join.

import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { compileRegexp } from "../../kernel/regexp/index.ts";
import { parseIpAddress } from "../../kernel/x509/index.ts";
import {
  type Fields,
  fieldsOf,
  flagAt,
  listAt,
  numberAt,
  type Range,
  textAt,
  textsAt,
  wordAt,
  wrong,
} from "./fields.ts";
import { ADMISSIONS, MACHINE_NAME_SOURCES, type MachineNameSource, POLICY_MODES } from "./join-policy.ts";
import { fillTemplate } from "./names.ts";
import type { Inventory, IpPrefix, NamePattern, Policy } from "./policy.ts";
import { readAttestation } from "./read-attestation.ts";

/** As machine-approver has them. */
const JOIN_WINDOW_SECONDS = 7_200;
const CLOCK_SKEW_SECONDS = 10;
/** A kubelet asks for its Node's addresses: a dual-stack machine with many interfaces has some twenty. */
const MAX_NAMES = 32;
/** Names first that exist before the Node does; the provider ID where the request carries one. */
const NAME_FROM: readonly MachineNameSource[] = ["InternalDNS", "Hostname", "ExternalDNS", "ProviderID"];

const EXPIRATION: Range = { min: 600, max: 315_360_000 };
/** Patterns are written by administrators; this keeps a mistake from costing seconds. */
const PATTERN_MAX_CHARACTERS = 1_024;

export function readJoinPolicy(object: unknown): Policy {
  const { metadata, spec: written } = fieldsOf(object, "the JoinPolicy");
  const name = textAt(fieldsOf(metadata, "metadata")["name"], "metadata.name");
  if (name === undefined) throw new Fault("invalid", "metadata.name is missing");
  const spec = fieldsOf(written, "spec");
  const mode = wordAt(spec["mode"], "spec.mode", POLICY_MODES);
  if (mode === undefined)
    throw new Fault("invalid", `spec.mode is missing, expected one of ${POLICY_MODES.join(", ")}`);
  return {
    name,
    mode,
    signers: textsAt(spec["signers"], "spec.signers"),
    nodeNames: patternAt(spec["nodeNames"], "spec.nodeNames"),
    client: readClient(fieldsOf(spec["client"], "spec.client")),
    serving: readServing(fieldsOf(spec["serving"], "spec.serving")),
    machines: readMachines(fieldsOf(spec["machines"], "spec.machines")),
    limits: readLimits(fieldsOf(spec["limits"], "spec.limits")),
    attestation: readAttestation(fieldsOf(spec["attestation"], "spec.attestation")),
    disabledRules: textsAt(spec["disabledRules"], "spec.disabledRules") ?? [],
  };
}

function readClient(client: Fields): Policy["client"] {
  const path = "spec.client";
  const window = numberAt(client["joinWindowSeconds"], `${path}.joinWindowSeconds`, { min: 1, max: 604_800 });
  const skew = numberAt(client["clockSkewSeconds"], `${path}.clockSkewSeconds`, { min: 0, max: 600 });
  return {
    admit: wordAt(client["admit"], `${path}.admit`, ADMISSIONS) ?? "Evidence",
    requesters: textsAt(client["requesters"], `${path}.requesters`) ?? [],
    bootstrapTokens: wordAt(client["bootstrapTokens"], `${path}.bootstrapTokens`, ["Allow", "Refuse"]) ?? "Allow",
    joinWindowMs: (window ?? JOIN_WINDOW_SECONDS) * 1_000,
    clockSkewMs: (skew ?? CLOCK_SKEW_SECONDS) * 1_000,
    maxExpirationSeconds: numberAt(client["maxExpirationSeconds"], `${path}.maxExpirationSeconds`, EXPIRATION),
  };
}

function readServing(serving: Fields): Policy["serving"] {
  const path = "spec.serving";
  const age = { min: 60, max: EXPIRATION.max };
  return {
    approve: flagAt(serving["approve"], `${path}.approve`) ?? true,
    inventory: readInventory(serving["inventory"], `${path}.inventory`),
    renewal: wordAt(serving["renewal"], `${path}.renewal`, ["Allow", "Refuse"]) ?? "Refuse",
    maxNames: numberAt(serving["maxNames"], `${path}.maxNames`, { min: 1, max: 100 }) ?? MAX_NAMES,
    maxExpirationSeconds: numberAt(serving["maxExpirationSeconds"], `${path}.maxExpirationSeconds`, EXPIRATION),
    evidence: wordAt(serving["evidence"], `${path}.evidence`, ["Required", "Optional"]) ?? "Optional",
    maxAttestationAgeSeconds: numberAt(serving["maxAttestationAgeSeconds"], `${path}.maxAttestationAgeSeconds`, age),
  };
}

/** Left out as a whole: the Machine's addresses. Written: what is written, and no more. */
function readInventory(written: unknown, path: string): Inventory {
  const fields = fieldsOf(written, path);
  const dnsPattern = textAt(fields["dnsPattern"], `${path}.dnsPattern`);
  if (dnsPattern !== undefined) compileName(dnsPattern.replaceAll("{node}", "n"), `${path}.dnsPattern`);
  return {
    machineAddresses: flagAt(fields["machineAddresses"], `${path}.machineAddresses`) ?? written === undefined,
    nodeAddresses: flagAt(fields["nodeAddresses"], `${path}.nodeAddresses`) ?? false,
    ipPrefixes: (textsAt(fields["ipPrefixes"], `${path}.ipPrefixes`) ?? []).map(parsePrefix),
    dnsPattern,
    dns: flagAt(fields["dns"], `${path}.dns`) ?? false,
    allow: (listAt(fields["allow"], `${path}.allow`) ?? []).map((item, index) =>
      readAllowed(item, `${path}.allow[${index}]`),
    ),
  };
}

function readAllowed(item: unknown, path: string): Inventory["allow"][number] {
  const fields = fieldsOf(item, path);
  const nodeNames = patternAt(fields["nodeNames"], `${path}.nodeNames`);
  if (nodeNames === undefined) throw new Fault("invalid", `${path}.nodeNames is missing`);
  return { nodeNames, names: textsAt(fields["names"], `${path}.names`) ?? [] };
}

function readMachines(machines: Fields): Policy["machines"] {
  const path = "spec.machines";
  const nameFrom = listAt(machines["nameFrom"], `${path}.nameFrom`)?.flatMap((source, index) => {
    return wordAt(source, `${path}.nameFrom[${index}]`, MACHINE_NAME_SOURCES) ?? [];
  });
  return {
    clusterName: textAt(machines["clusterName"], `${path}.clusterName`),
    namespace: textAt(machines["namespace"], `${path}.namespace`),
    nameFrom: nameFrom ?? NAME_FROM,
    nodeNameTemplate: templateAt(machines["nodeNameTemplate"], `${path}.nodeNameTemplate`),
  };
}

function templateAt(value: unknown, path: string): string | undefined {
  const text = textAt(value, path);
  if (text !== undefined) compileName(fillTemplate(text, { machine: "m", namespace: "n", cluster: "c" }), path);
  return text;
}

function readLimits(limits: Fields): Policy["limits"] {
  const range = { min: 1, max: 100_000 };
  return {
    pendingPerRequester: numberAt(limits["pendingPerRequester"], "spec.limits.pendingPerRequester", range),
    newIdentitiesPerHour: numberAt(limits["newIdentitiesPerHour"], "spec.limits.newIdentitiesPerHour", range),
  };
}

function patternAt(value: unknown, path: string): NamePattern | undefined {
  const text = textAt(value, path);
  return text === undefined ? undefined : compileName(text, path);
}

/**
 * Always for the whole name. differs from upstream: kubelet-csr-approver searches its pattern anywhere in the name, and a
 * pattern without anchors lets `worker-1.evil.example` through.
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

function parsePrefix(text: string, index: number): IpPrefix {
  const path = `spec.serving.inventory.ipPrefixes[${index}]`;
  const [address = "", length = "", ...rest] = text.split("/");
  const octets = parseIpAddress(address);
  if (octets === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length) || Number(length) > octets.length * 8) {
    throw wrong(path, text, "a network such as 10.0.0.0/16 or fd00::/8");
  }
  return { text, octets, bits: Number(length) };
}
