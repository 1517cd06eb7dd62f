// CustomResourceDefinition (apiextensions.k8s.io/v1): types, and what is commonly asked of a definition.

import type { KubeObject, Resource } from "../../../api/meta/index.ts";
import { encodeHex, encodeUtf8 } from "../../../kernel/bytes/index.ts";
import { sha256 } from "../../../kernel/crypto/index.ts";
import type { Json } from "../../../kernel/json/index.ts";
import { formatTime } from "../metadata.ts";

export const CUSTOM_RESOURCE_DEFINITIONS: Resource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

/** Stays on a deleted definition until all objects of its kind are deleted. */
export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

export interface DefinedNames {
  readonly plural?: string;
  readonly singular?: string;
  readonly kind?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface PrinterColumn {
  readonly name?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath?: string;
}

export interface ScalePaths {
  readonly specReplicasPath?: string;
  readonly statusReplicasPath?: string;
  readonly labelSelectorPath?: string;
}

export interface DefinedVersion {
  readonly name?: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: Json };
  readonly subresources?: { readonly status?: object; readonly scale?: ScalePaths };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath?: string }[];
}

interface Conversion {
  readonly strategy?: string;
  readonly webhook?: { readonly clientConfig?: object; readonly conversionReviewVersions?: readonly string[] };
}

export interface DefinitionSpec {
  readonly group?: string;
  readonly names?: DefinedNames;
  readonly scope?: string;
  readonly versions?: readonly DefinedVersion[];
  readonly conversion?: Conversion;
  readonly preserveUnknownFields?: boolean;
}

interface DefinitionCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly lastTransitionTime?: string;
  readonly reason: string;
  readonly message: string;
}

export interface DefinitionStatus {
  readonly conditions?: readonly DefinitionCondition[];
  readonly acceptedNames?: DefinedNames;
  readonly storedVersions?: readonly string[];
}

export interface Definition extends KubeObject {
  spec: DefinitionSpec;
  status?: DefinitionStatus;
}

export function conditionOf({ status }: Definition, type: string): DefinitionCondition | undefined {
  return status?.conditions?.find((one) => one.type === type);
}

export function isConditionTrue(definition: Definition, type: string): boolean {
  return conditionOf(definition, type)?.status === "True";
}

/** Replaces the condition of its type, or is appended; lastTransitionTime is the last change of `status`. */
export function withCondition(
  conditions: readonly DefinitionCondition[],
  next: DefinitionCondition,
  nowMs: number,
): readonly DefinitionCondition[] {
  const before = conditions.find((one) => one.type === next.type);
  const isSame = before?.status === next.status;
  const lastTransitionTime = (isSame ? before.lastTransitionTime : undefined) ?? formatTime(nowMs);
  const { type, status, reason, message } = next;
  const dated = { type, status, lastTransitionTime, reason, message };
  return before === undefined
    ? [...conditions, dated]
    : conditions.map((one) => (one.type === next.type ? dated : one));
}

/**
 * A digest of what a kind is made from: another digest is another kind, even with the same names. Conditions and
 * generation, which a deletion changes too, are not part of it: a kind that is being removed stays the same.
 */
export function identityOf({ metadata, spec, status }: Definition): string {
  return encodeHex(sha256(encodeUtf8(JSON.stringify([metadata.uid, spec, status?.acceptedNames]))));
}

export function storageVersionOf({ spec }: Definition): DefinedVersion | undefined {
  return spec.versions?.find((version) => version.storage === true);
}
