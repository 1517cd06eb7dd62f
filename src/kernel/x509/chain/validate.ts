// Path validation (RFC 5280 §6): from a leaf through untrusted intermediates to one of the given roots. In order:
//   1. the leaf by itself: profile, peer name, usage
//   2. a leaf that is one of the roots is trusted as it stands
//   3. paths, searched in search.ts; the first that passes is the answer
// Pure: the time is a parameter, and nothing is fetched. There is no revocation: Kubernetes knows none, its
// certificates are short-lived instead.

import { equalBytes } from "../../bytes/index.ts";
import type { Certificate } from "../certificate.ts";
import { matchesDnsName, matchesIpAddress } from "../host-names.ts";
import { checkProfile, checkUsage } from "./profile.ts";
import { type ChainRefusal, type ChainResult, refuseChain, shown } from "./refusal.ts";
import { searchPath } from "./search.ts";

export type { ChainResult } from "./refusal.ts";

export interface ChainInput {
  readonly leaf: Certificate;
  readonly intermediates: readonly Certificate[];
  readonly roots: readonly Certificate[];
  readonly nowMs: number;
  /** An extended key usage OID every certificate of the path must allow; absent means any. */
  readonly usage?: string;
  readonly dnsName?: string;
  readonly ipAddress?: string;
  /** How many intermediates may stand between leaf and root, self-issued ones not counted. */
  readonly maxIntermediates?: number;
}

/** Clusters have none or one; the deepest public hierarchies have three. */
const DEFAULT_MAX_INTERMEDIATES = 8;

export function validateChain(input: ChainInput): ChainResult {
  const { leaf, roots, nowMs, usage, maxIntermediates = DEFAULT_MAX_INTERMEDIATES } = input;
  const unfit = checkProfile(leaf, "leaf", nowMs) ?? checkPeerName(input) ?? checkUsage([leaf], usage);
  if (unfit !== undefined) return unfit;
  // A self-signed serving certificate that was handed to us as trusted is trusted, as in Go.
  if (roots.some((root) => equalBytes(root.raw, leaf.raw))) return { ok: true, chain: [leaf] };
  return searchPath({ ...input, maxIntermediates });
}

function checkPeerName({ leaf, dnsName, ipAddress }: ChainInput): ChainRefusal | undefined {
  if (dnsName !== undefined && !matchesDnsName(leaf.subjectAltNames, dnsName)) {
    return refuseChain("NameMismatch", `certificate ${shown(leaf)} is not for host ${JSON.stringify(dnsName)}`);
  }
  if (ipAddress !== undefined && !matchesIpAddress(leaf.subjectAltNames, ipAddress)) {
    return refuseChain("NameMismatch", `certificate ${shown(leaf)} is not for address ${JSON.stringify(ipAddress)}`);
  }
  return undefined;
}
