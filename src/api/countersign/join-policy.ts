// JoinPolicy v1alpha1: which requests it covers, by what they are admitted, what a serving certificate may name, and
// whether its verdicts count (Enforce) or are only recorded (Shadow). A new field is declared here, once; after that
// `npm run crds` writes deploy/crds. A default is the careful choice: evidence for clients, the Machine's addresses for
// servers, two hours to join. What attestation leaves out is left to the providers.

import type { KubeObject } from "../meta/index.ts";
import { compileName, fillTemplate, PATTERN_MAX_CHARACTERS, parsePrefix } from "./names.ts";
import { type Fields, objectAt, type Read, readFields, type Written } from "./schema.ts";

export const POLICY_MODES = ["Shadow", "Enforce"] as const;
export type PolicyMode = (typeof POLICY_MODES)[number];

export const ADMISSIONS = ["Evidence", "Machine", "Access"] as const;
export type Admission = (typeof ADMISSIONS)[number];

export const MACHINE_NAME_SOURCES = ["InternalDNS", "Hostname", "ExternalDNS", "MachineName", "ProviderID"] as const;
export type MachineNameSource = (typeof MACHINE_NAME_SOURCES)[number];

const PATTERN = { type: "text", minLength: 1, maxLength: PATTERN_MAX_CHARACTERS } as const;
const DIGEST = { type: "text", pattern: "^[0-9a-f]{64}$", expected: "64 lower-case hexadecimal digits" } as const;
const LIFETIME_MAX_SECONDS = 315_360_000;
const LIFETIME = {
  type: "number",
  min: 600,
  max: LIFETIME_MAX_SECONDS,
  description: "The longest life of a certificate. Without evidence, a request for more is refused.",
} as const;

/** Two hours, as OpenShift's machine-approver has it. */
export const JOIN_WINDOW_SECONDS = 7_200;

const CLIENT = {
  admit: {
    type: "word",
    words: ADMISSIONS,
    default: "Evidence",
    isDefaultStored: true,
    description:
      "By what a request for a client certificate is admitted. Evidence: the machine proves what it is. Machine: its " +
      "Machine is expected and young. Access: a SubjectAccessReview, as kube-controller-manager does it.",
  },
  requesters: {
    type: "list",
    items: { type: "text", minLength: 1, maxLength: 512 },
    maxItems: 32,
    uniqueBy: "set",
    default: [],
    description: "Users who may ask for a first certificate, beside holders of bootstrap tokens.",
  },
  bootstrapTokens: {
    type: "word",
    words: ["Allow", "Refuse"],
    default: "Allow",
    description:
      "Refuse: only the users in requesters may ask for a first certificate. With admit Access the rights of the " +
      "requester decide alone.",
  },
  joinWindowSeconds: {
    type: "number",
    min: 1,
    max: 604_800,
    default: JOIN_WINDOW_SECONDS,
    description: "How long after its Machine was made a machine may ask for its first certificate.",
  },
  clockSkewSeconds: {
    type: "number",
    min: 0,
    max: 600,
    // As machine-approver has it.
    default: 10,
    description: "By how much the clocks of the clusters may differ.",
  },
  maxExpirationSeconds: LIFETIME,
} as const satisfies Fields;

const ALLOWED_NAMES = {
  nodeNames: { ...PATTERN, required: true, parse: compileName },
  names: {
    type: "list",
    items: { type: "text", minLength: 1, maxLength: 253 },
    maxItems: 256,
    required: true,
    default: [],
  },
} as const satisfies Fields;

const INVENTORY = {
  machineAddresses: {
    type: "flag",
    default: false,
    description: "The addresses in the status of the node's Machine.",
  },
  nodeAddresses: {
    type: "flag",
    default: false,
    description: "The addresses in the status of the Node. A kubelet writes them itself, so they prove little.",
  },
  ipPrefixes: {
    type: "list",
    items: { type: "text", minLength: 3, maxLength: 64, parse: parsePrefix },
    maxItems: 256,
    uniqueBy: "set",
    default: [],
    description: "Networks in which every address is accepted.",
  },
  dnsPattern: {
    ...PATTERN,
    // Stays text: {node} is replaced for each request before the pattern is compiled.
    parse: (text: string, path: string) => checked(text, compileName(text.replaceAll("{node}", "n"), path)),
    description: "An RE2 pattern for the whole DNS name. {node} stands for the node's name.",
  },
  dns: {
    type: "flag",
    default: false,
    description:
      "Look each DNS name up. The addresses of the node's own name, and of names that another entry here " +
      "vouches for, " +
      "are the node's; any other name is when it leads to no address but those.",
  },
  allow: {
    type: "list",
    items: { type: "group", fields: ALLOWED_NAMES },
    maxItems: 256,
    default: [],
    description: "Names that the nodes with a matching name may have.",
  },
} as const satisfies Fields;

const SERVING = {
  approve: { type: "flag", default: true, description: "False leaves every serving request to a person." },
  inventory: {
    type: "group",
    fields: INVENTORY,
    default: { machineAddresses: true },
    description: "A name is the node's when any of these says so. Without it, the addresses of its Machine.",
  },
  renewal: {
    type: "word",
    words: ["Allow", "Refuse"],
    default: "Refuse",
    description: "A request for exactly the names of the certificate that the kubelet serves with now.",
  },
  maxNames: {
    type: "number",
    min: 1,
    max: 100,
    // A kubelet asks for its Node's addresses: a dual-stack machine with many interfaces has some twenty.
    default: 32,
    description: "How many names and addresses a request may have.",
  },
  maxExpirationSeconds: LIFETIME,
  evidence: {
    type: "word",
    words: ["Required", "Optional"],
    default: "Optional",
    description: "Whether a serving request needs evidence, or an attested client certificate.",
  },
  maxAttestationAgeSeconds: {
    type: "number",
    min: 60,
    max: LIFETIME_MAX_SECONDS,
    description: "How old the node's last attestation may be.",
  },
} as const satisfies Fields;

const MACHINES = {
  clusterName: {
    type: "text",
    minLength: 1,
    maxLength: 63,
    description: "The cluster whose Machines count, where several are kept in one place.",
  },
  namespace: { type: "text", minLength: 1, maxLength: 63, description: "The namespace whose Machines count." },
  nameFrom: {
    type: "list",
    items: { type: "word", words: MACHINE_NAME_SOURCES },
    minItems: 1,
    maxItems: 5,
    uniqueBy: "set",
    // Names that exist before the Node does, and the provider ID where the request carries one.
    default: ["InternalDNS", "Hostname", "ExternalDNS", "ProviderID"],
    description:
      "What of a Machine must be the name that its node asks for. ProviderID: the provider ID in the request is the " +
      "Machine's.",
  },
  nodeNameTemplate: {
    ...PATTERN,
    parse: (text: string, path: string) =>
      checked(text, compileName(fillTemplate(text, { machine: "m", namespace: "n", cluster: "c" }), path)),
    description:
      "Node names that a Machine may have beside its own, an RE2 pattern for the whole name. {machine}, {namespace} " +
      "and {cluster} stand for the Machine's. For attestation.",
  },
} as const satisfies Fields;

const LIMITS = {
  pendingPerRequester: {
    type: "number",
    min: 1,
    max: 100_000,
    description: "Pending requests of one requester. Without it, 100 more than there are Machines or Nodes.",
  },
  newIdentitiesPerHour: {
    type: "number",
    min: 1,
    max: 100_000,
    description: "NodeIdentities made in an hour. Without it, a number that grows with the inventory.",
  },
} as const satisfies Fields;

const PCR_INDEX = {
  type: "number",
  min: 0,
  max: 23,
} as const;

const PCRS = {
  rule: { type: "word", words: ["Record", "Match", "PinFirst"] },
  select: { type: "list", items: PCR_INDEX, maxItems: 24, uniqueBy: "set" },
  allowed: {
    type: "list",
    items: {
      type: "group",
      fields: {
        index: { ...PCR_INDEX, required: true, whenMissing: "is nothing, expected the number of a PCR" },
        values: { type: "list", items: DIGEST, maxItems: 256, required: true, default: [] },
      },
    },
    maxItems: 24,
    uniqueBy: "index",
    description: "With Match: the values that are allowed, lower-case hex.",
  },
} as const satisfies Fields;

const ENDORSEMENT_KEYS = { type: "list", items: DIGEST, maxItems: 100_000 } as const;

const TPM = {
  endorsementKeys: {
    ...ENDORSEMENT_KEYS,
    description: "SHA-256 of the endorsement keys (PKIX) of our machines, lower-case hex.",
  },
  deniedEndorsementKeys: { ...ENDORSEMENT_KEYS, description: "Endorsement keys that are refused." },
  roots: { type: "text", maxLength: 262_144, description: "PEM of the makers' root CAs." },
  intermediates: { type: "text", maxLength: 262_144, description: "PEM of the makers' other CAs." },
  revocationLists: {
    type: "text",
    maxLength: 1_048_576,
    description: "PEM of the makers' revocation lists (X509 CRL). None is ever fetched.",
  },
  certificateValidity: {
    type: "word",
    words: ["Enforce", "Report"],
    description: "What an expired certificate of an endorsement key means.",
  },
  firstUse: {
    type: "word",
    words: ["Allow", "Refuse"],
    description: "Whether the key of a genuine TPM that is not pinned, bound or listed is pinned at first use.",
  },
  clockRegression: {
    type: "word",
    words: ["Refuse", "Warn"],
    description: "What a TPM's clock that went back means. Warn: an Event; the exchange goes on.",
  },
  pcrs: { type: "group", fields: PCRS },
} as const satisfies Fields;

const ATTESTATION = {
  providers: {
    type: "list",
    items: { type: "text", minLength: 1, maxLength: 63 },
    maxItems: 32,
    uniqueBy: "set",
    description: "Attestation providers whose evidence counts.",
  },
  tpm: { type: "group", fields: TPM },
  challengeSeconds: { type: "number", min: 60, max: 600, description: "How long a challenge is valid." },
  sealing: {
    type: "word",
    words: ["Required", "Optional"],
    description: "Whether evidence must be sealed to the controller.",
  },
  renewalBeacon: { type: "flag", description: "Whether a renewal may prove itself by a beacon, in one request." },
  ekAnnotation: {
    type: "word",
    words: ["Pem", "Digest"],
    description: "Whether the approved request shows the endorsement key, or its hash.",
  },
  previousCredential: {
    type: "word",
    words: ["Report", "Refuse"],
    description:
      "A renewal with the certificate before the current one, an hour or more after that was given: two " +
      "machines hold " +
      "one identity, or a write was lost. Report: by a full exchange, with an Event. Refuse: not at all.",
  },
} as const satisfies Fields;

export const JOIN_POLICY_SPEC = {
  mode: {
    type: "word",
    words: POLICY_MODES,
    required: true,
    description: "Shadow records verdicts and decides nothing; Enforce approves and denies.",
  },
  signers: {
    type: "list",
    items: { type: "text", minLength: 3, maxLength: 571 },
    maxItems: 32,
    uniqueBy: "set",
    description: "Signers whose requests are covered. Without it, all that the controller serves.",
  },
  nodeNames: {
    ...PATTERN,
    parse: compileName,
    description: "Node names that are covered, an RE2 pattern for the whole name. Without it, every name.",
  },
  client: { type: "group", fields: CLIENT, default: {} },
  serving: { type: "group", fields: SERVING, default: {} },
  machines: { type: "group", fields: MACHINES, default: {} },
  limits: { type: "group", fields: LIMITS, default: {} },
  attestation: {
    type: "group",
    fields: ATTESTATION,
    default: {},
    description: "What the evidence has to be; docs/guides/attestation.md explains each field.",
  },
  disabledRules: {
    type: "list",
    items: { type: "text", minLength: 1, maxLength: 63 },
    maxItems: 32,
    uniqueBy: "set",
    default: [],
    description: "Rules that this policy leaves out; only those that docs/rules.md calls stricter can be.",
  },
} as const satisfies Fields;

const CONDITION = {
  type: { type: "text", maxLength: 316, required: true },
  status: { type: "word", words: ["True", "False", "Unknown"], required: true },
  observedGeneration: { type: "number", isLong: true },
  lastTransitionTime: { type: "text", format: "date-time", required: true },
  reason: { type: "text", minLength: 1, maxLength: 1024, required: true },
  message: { type: "text", maxLength: 32_768, required: true },
} as const satisfies Fields;

export const CONDITIONS = {
  type: "list",
  items: { type: "group", fields: CONDITION },
  maxItems: 16,
  uniqueBy: "type",
} as const;

export const JOIN_POLICY_STATUS = {
  observedGeneration: { type: "number", isLong: true },
  conditions: CONDITIONS,
} as const satisfies Fields;

/** A JoinPolicy as an administrator writes it. */
export interface JoinPolicySpec extends Written<typeof JOIN_POLICY_SPEC> {}
export interface JoinPolicyStatus extends Written<typeof JOIN_POLICY_STATUS> {}
export interface PolicyCondition extends Written<typeof CONDITION> {}
export interface ServingInventory extends Written<typeof INVENTORY> {}
export interface AttestationPolicy extends Written<typeof ATTESTATION> {}

export interface JoinPolicy extends KubeObject {
  spec: JoinPolicySpec;
  status?: JoinPolicyStatus;
}

/** A JoinPolicy with its defaults, patterns compiled and prefixes parsed. Rules read this and never the object. */
export interface Policy extends Read<typeof JOIN_POLICY_SPEC> {
  readonly name: string;
}

export interface Inventory extends Read<typeof INVENTORY> {}

export function readJoinPolicy(object: unknown): Policy {
  const { metadata, spec } = objectAt(object, "the JoinPolicy");
  const { name } = readFields({ name: { type: "text", required: true } }, metadata, "metadata");
  return { name, ...readFields(JOIN_POLICY_SPEC, spec, "spec") };
}

/** The text itself; the pattern was compiled only to find mistakes in it. */
function checked(text: string, _: unknown): string {
  return text;
}
