// A JoinPolicy with everything decided: what was left out has its default, patterns are compiled, prefixes parsed. The rules
// read this and never the object.

import type { Program } from "../../kernel/regexp/index.ts";
import type { Admission, AttestationPolicy, MachineNameSource, PolicyMode } from "./join-policy.ts";

/** A pattern for a whole name. */
export interface NamePattern {
  readonly text: string;
  readonly program: Program;
}

export interface IpPrefix {
  readonly text: string;
  readonly octets: Uint8Array;
  readonly bits: number;
}

export interface Policy {
  readonly name: string;
  readonly mode: PolicyMode;
  /** Undefined: every signer that is served. */
  readonly signers: readonly string[] | undefined;
  readonly nodeNames: NamePattern | undefined;
  readonly client: {
    readonly admit: Admission;
    readonly requesters: readonly string[];
    readonly bootstrapTokens: "Allow" | "Refuse";
    readonly joinWindowMs: number;
    readonly clockSkewMs: number;
    readonly maxExpirationSeconds: number | undefined;
  };
  readonly serving: {
    readonly approve: boolean;
    readonly inventory: Inventory;
    readonly renewal: "Allow" | "Refuse";
    readonly maxNames: number;
    readonly maxExpirationSeconds: number | undefined;
    readonly evidence: "Required" | "Optional";
    readonly maxAttestationAgeSeconds: number | undefined;
  };
  readonly machines: {
    readonly clusterName: string | undefined;
    readonly namespace: string | undefined;
    readonly nameFrom: readonly MachineNameSource[];
    /** With words in braces in it, which are replaced before it is compiled: so text, checked once. */
    readonly nodeNameTemplate: string | undefined;
  };
  readonly limits: {
    readonly pendingPerRequester: number | undefined;
    /** Undefined: the controller's default, which grows with the inventory. */
    readonly newIdentitiesPerHour: number | undefined;
  };
  readonly attestation: AttestationPolicy;
  readonly disabledRules: readonly string[];
}

export interface Inventory {
  readonly machineAddresses: boolean;
  readonly nodeAddresses: boolean;
  readonly ipPrefixes: readonly IpPrefix[];
  /** With `{node}` in it, which is replaced before it is compiled: so text, checked once. */
  readonly dnsPattern: string | undefined;
  readonly dns: boolean;
  readonly allow: readonly { readonly nodeNames: NamePattern; readonly names: readonly string[] }[];
}
