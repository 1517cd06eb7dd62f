// nameConstraints (RFC 5280 §4.2.1.10): the name space a CA may issue in. Read here, applied in chain/constraints.ts. A
// pattern that cannot be understood is a Fault: a CA whose limits are unreadable must not be taken for one without
// limits.
import { contextConstructed, type DerReader, readWholeSequence, TAG } from "../../der/index.ts";
import { Fault } from "../../outcome/index.ts";
import { type GeneralName, readGeneralName } from "../general-names.ts";
import { isHostName, isMailbox } from "../host-names.ts";

export interface NameConstraints {
  readonly permitted: readonly GeneralName[];
  readonly excluded: readonly GeneralName[];
}

/** Public CAs list a few dozen subtrees. */
const MAX_SUBTREES = 1024;
const IPV4_RANGE_OCTETS = 8;
const IPV6_RANGE_OCTETS = 32;

export function parseNameConstraints(value: Uint8Array): NameConstraints {
  return readWholeSequence(value, (content) => {
    if (content.isEmpty) throw new Fault("malformed", "name constraints must permit or exclude something");
    const permitted = readSubtrees(content.enterOptional(contextConstructed(0)));
    const excluded = readSubtrees(content.enterOptional(contextConstructed(1)));
    return { permitted, excluded };
  });
}

function readSubtrees(list: DerReader | undefined): readonly GeneralName[] {
  if (list === undefined) return [];
  if (list.isEmpty) throw new Fault("malformed", "list of name constraints must not be empty");
  const subtrees: GeneralName[] = [];
  while (!list.isEmpty) {
    if (subtrees.length === MAX_SUBTREES)
      throw new Fault("limit-exceeded", `more than ${MAX_SUBTREES} name constraints`);
    const subtree = list.enter(TAG.sequence);
    const base = readGeneralName(subtree);
    if (!subtree.isEmpty) throw new Fault("unsupported", "name constraint must not have a minimum or maximum distance");
    checkPattern(base);
    subtrees.push(base);
  }
  return subtrees;
}

function checkPattern(base: GeneralName): void {
  if (!isUsablePattern(base))
    throw new Fault("malformed", `name constraint of kind ${base.kind} must be a pattern of RFC 5280`);
}

function isUsablePattern(base: GeneralName): boolean {
  switch (base.kind) {
    case "dns":
      return base.text === "" || isHostName(base.text);
    case "email":
      return isHostOrDomain(base.text) || isMailbox(base.text);
    case "uri":
      return isHostOrDomain(base.text);
    case "ip":
      return isIpRange(base.octets);
    default:
      return true;
  }
}

/** A host, or a leading period and the domain whose hosts are meant; empty means all. */
function isHostOrDomain(text: string): boolean {
  return text === "" || isHostName(text.startsWith(".") ? text.slice(1) : text);
}

/** Address and mask, the mask being ones and then zeros. */
function isIpRange(octets: Uint8Array): boolean {
  if (octets.length !== IPV4_RANGE_OCTETS && octets.length !== IPV6_RANGE_OCTETS) return false;
  let bits = "";
  for (const octet of octets.subarray(octets.length / 2)) bits += octet.toString(2).padStart(8, "0");
  return /^1*0*$/.test(bits);
}
