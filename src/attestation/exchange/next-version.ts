// After a refusal of the version: the best common version below it, each tried once ("Versions" in
// docs/protocols/attestation.md).

import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { encodeProtocol, nextVersion, type Protocol, parseSupportedVersions } from "../evidence/index.ts";

interface VersionRefusal {
  /** What this machine speaks, best first. */
  readonly offered: readonly Protocol[];
  readonly tried: readonly Protocol[];
  readonly minVersion?: number | undefined;
  /** What the controller wrote beside its refusal; empty where it wrote nothing. */
  readonly annotation: string;
}

/** Fault `NoCommonVersion`, for an operator, where there is none. */
export function agreeOnVersion({ offered, tried, minVersion = 1, annotation }: VersionRefusal): Protocol {
  const supported = readSupported(annotation);
  const protocol = nextVersion({ offered, supported, tried, minVersion });
  if (protocol !== undefined) return protocol;
  const [ours, theirs] = [offered, supported].map((list) => list.map(encodeProtocol).join(", ") || "none");
  const detail = { next: "operator", reason: "NoCommonVersion" };
  throw new Fault("unsupported", `NoCommonVersion: this machine speaks ${ours}, the controller ${theirs}`, { detail });
}

/** A list that is missing or malformed is no list. */
function readSupported(annotation: string): readonly Protocol[] {
  try {
    return parseSupportedVersions(annotation);
  } catch (failure) {
    if (isFault(failure)) return [];
    throw failure;
  }
}
