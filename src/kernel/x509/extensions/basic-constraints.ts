// basicConstraints (RFC 5280 §4.2.1.9): whether this is a CA, and how many more may follow below it.
import {
  encodeBoolean,
  encodeSequence,
  encodeUnsigned,
  readDefaultFalse,
  readSmallUnsigned,
  readWholeSequence,
  TAG,
} from "../../der/index.ts";
import { Fault } from "../../outcome/index.ts";
import { OID_BASIC_CONSTRAINTS } from "../oids.ts";
import type { Extension } from "./extension.ts";

export interface BasicConstraints {
  readonly ca: boolean;
  readonly pathLength: number | undefined;
}

export function parseBasicConstraints(value: Uint8Array): BasicConstraints {
  return readWholeSequence(value, (content) => {
    const ca = readDefaultFalse(content);
    const pathLength = content.nextTag === TAG.integer ? readSmallUnsigned(content) : undefined;
    if (!ca && pathLength !== undefined) throw new Fault("malformed", "path length belongs to a CA alone");
    return { ca, pathLength };
  });
}

/** Critical, as every CA of Kubernetes writes it; an empty value says "not a CA". */
export function basicConstraintsExtension(constraints: {
  readonly ca: boolean;
  readonly pathLength?: number;
}): Extension {
  const { ca, pathLength } = constraints;
  if (!ca && pathLength !== undefined) throw new Fault("invalid", "path length belongs to a CA alone");
  if (pathLength !== undefined && !(Number.isInteger(pathLength) && pathLength >= 0 && pathLength <= 255)) {
    throw new Fault("invalid", `path length must be 0 to 255, got ${pathLength}`);
  }
  const parts = ca ? [encodeBoolean(true)] : [];
  if (pathLength !== undefined) parts.push(encodeUnsigned(Uint8Array.of(pathLength)));
  return { oid: OID_BASIC_CONSTRAINTS, critical: true, value: encodeSequence(parts) };
}
